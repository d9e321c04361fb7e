"""Results of finished tasks in a folder, so that an interrupted run goes on where it was."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from svgm.checks.errors import FileError, InputError
from svgm.geometry.points import Array
from svgm.io.archive import read_archive, write_archive
from svgm.mapping.chain import Stretch
from svgm.mapping.edge import Edge
from svgm.mapping.fingerprint import fingerprint
from svgm.mixture.mixture import Mixture

#: Changes when a task's answer or its hash may: results of another version, or of another svgm, do not count.
VERSION = 2


class Memory:
    """Results by what was asked: the function and its arguments, files by name and content."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._version = f"{VERSION} of svgm {version('svgm')}"

    def place(self, name: str, task: tuple[Any, ...]) -> Path | None:
        """The file of a task's result; None if the task cannot be told from others, so that it is done anew."""
        try:
            return self._folder / f"{name}-{fingerprint((self._version, task))}.npz"
        except InputError:
            return None

    def recall(self, place: Path) -> Any:
        """The result, or None if there is none, or none that can be read."""
        if not place.exists():
            return None
        try:
            arrays = read_archive(place)
            kept = json.loads(str(arrays["text"]))
            # A file under another name than its own holds the result of another task.
            return _decoded(kept["result"], arrays) if kept["task"] == place.stem else None
        except Exception:  # a damaged file, whatever that makes its readers raise, costs the time of its task
            return None

    def keep(self, place: Path, result: Any) -> None:
        """Write a result, whole or not at all."""
        arrays: dict[str, Array] = {}
        text = json.dumps({"task": place.stem, "result": _encoded(result, arrays)})
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{self._folder}: cannot be made ({error.strerror or error})") from None
        write_archive(place, text=np.array(text), **arrays)


def _encoded(value: Any, arrays: dict[str, Array]) -> Any:
    """A value as JSON, its arrays set aside by name."""

    def aside(array: Array) -> str:
        name = f"a{len(arrays)}"
        arrays[name] = np.asarray(array)
        return name

    if isinstance(value, Mixture):
        return {
            "mixture": [aside(value.means), float(value.variance).hex(), aside(value.weights), _hex(value.bias)],
        }
    if isinstance(value, Edge):
        return {"edge": value.as_dict()}
    if isinstance(value, Stretch):
        return {
            "stretch": {
                "mixtures": [[number, _encoded(mixture, arrays)] for number, mixture in value.mixtures.items()],
                "radii": list(value.radii.items()),
                "edges": [edge.as_dict() for edge in value.edges],
                "pieces": value.pieces,
                "left_out": list(value.left_out.items()),
            }
        }
    raise TypeError(f"results of type {type(value).__name__} are not kept")


def _decoded(value: Any, arrays: dict[str, Any]) -> Any:
    (kind, content) = next(iter(value.items()))
    if kind == "mixture":
        means, variance, weights, bias = content
        return Mixture.unchecked(
            arrays[means], float.fromhex(variance), arrays[weights], None if bias is None else float.fromhex(bias)
        )
    if kind == "edge":
        return Edge.from_dict(content)
    return Stretch(
        {number: _decoded(mixture, arrays) for number, mixture in content["mixtures"]},
        dict(content["radii"]),
        [Edge.from_dict(edge) for edge in content["edges"]],
        content["pieces"],
        dict(content["left_out"]),
    )


def _hex(value: float | None) -> str | None:
    return None if value is None else float(value).hex()
