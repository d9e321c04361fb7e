"""Results of finished tasks, kept in a folder, so that an interrupted run continues where it stopped."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from svgm.checks.errors import InputError
from svgm.geometry.points import Array
from svgm.io.archive import read_archive, write_archive
from svgm.io.errors import file_error, reason
from svgm.mapping.edge import Edge
from svgm.mapping.scan_linking import Segment
from svgm.mapping.task_hash import task_hash
from svgm.mixture.mixture import Mixture

#: To be increased whenever a task's result or its hash may change: results of another version, or of another svgm, are
#: not used.
CACHE_VERSION = 4


class TaskCache:
    """A table from tasks to results.  A task is a function's name with its arguments; files are hashed by content."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._version = f"{CACHE_VERSION} of svgm {version('svgm')}"

    def path(self, name: str, task: tuple[Any, ...]) -> Path | None:
        """The file of a task's result; None if the task cannot be hashed, so that its result is not kept."""
        try:
            return self._folder / f"{name}-{task_hash((self._version, task))}.npz"
        except InputError:
            return None

    def load(self, path: Path) -> Any:
        """The result, or None if there is no file or the file cannot be read."""
        if not path.exists():
            return None
        try:
            arrays = read_archive(path)
            stored = json.loads(str(arrays["text"]))
            # A renamed file holds the result of another task.
            return _decoded(stored["result"], arrays) if stored["task"] == path.stem else None
        except Exception:  # whatever a damaged file raises, only its task is computed again
            return None

    def store(self, path: Path, result: Any) -> None:
        """Write a result, whole or not at all."""
        arrays: dict[str, Array] = {}
        text = json.dumps({"task": path.stem, "result": _encoded(result, arrays)})
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise file_error(self._folder, f"cannot be made ({reason(error)})") from None
        write_archive(path, text=np.array(text), **arrays)


def _encoded(value: Any, arrays: dict[str, Array]) -> Any:
    """A value as JSON; its arrays are put into `arrays` and named in the JSON."""

    def named(array: Array) -> str:
        name = f"a{len(arrays)}"
        arrays[name] = np.asarray(array)
        return name

    if isinstance(value, Mixture):
        full = [] if value.covariances is None else [named(value.covariances)]
        return {
            "mixture": [named(value.means), float(value.variance).hex(), named(value.weights), _hex(value.bias), *full],
        }
    if isinstance(value, Edge):
        return {"edge": value.as_dict()}
    if isinstance(value, Segment):
        return {
            "segment": {
                "mixtures": [[number, _encoded(mixture, arrays)] for number, mixture in value.mixtures.items()],
                "radii": list(value.radii.items()),
                "edges": [edge.as_dict() for edge in value.edges],
                "submaps": value.submaps,
                "left_out": list(value.left_out.items()),
            }
        }
    raise TypeError(f"results of type {type(value).__name__} cannot be stored")


def _decoded(value: Any, arrays: dict[str, Any]) -> Any:
    (kind, content) = next(iter(value.items()))
    if kind == "mixture":
        means, variance, weights, bias, *full = content
        return Mixture.unchecked(
            arrays[means],
            float.fromhex(variance),
            arrays[weights],
            None if bias is None else float.fromhex(bias),
            arrays[full[0]] if full else None,
        )
    if kind == "edge":
        return Edge.from_dict(content)
    return Segment(
        {number: _decoded(mixture, arrays) for number, mixture in content["mixtures"]},
        dict(content["radii"]),
        [Edge.from_dict(edge) for edge in content["edges"]],
        content["submaps"],
        dict(content["left_out"]),
    )


def _hex(value: float | None) -> str | None:
    return None if value is None else float(value).hex()
