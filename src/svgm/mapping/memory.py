"""Results of finished tasks in a folder, so that an interrupted run goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from svgm.errors import FileError
from svgm.io.archive import read_archive, write_archive
from svgm.mapping.chain import Stretch
from svgm.mapping.edge import Edge
from svgm.mapping.fingerprint import fingerprint
from svgm.mixture import Mixture
from svgm.points import Array

#: Changes when a task's answer may: results of another version do not count.
VERSION = 1


class Memory:
    """Results by what was asked: the function and its arguments, files by name, size and time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def place(self, name: str, task: tuple[Any, ...]) -> Path:
        """The file of a task's result."""
        return self._folder / f"{name}-{fingerprint((VERSION, task))}.npz"

    def recall(self, place: Path) -> Any:
        """The result, or None if there is none, or none that can be read."""
        if not place.exists():
            return None
        try:
            arrays = read_archive(place)
            return _decoded(json.loads(str(arrays["text"])), arrays)
        except (FileError, KeyError, ValueError, TypeError, AttributeError, StopIteration):
            return None  # a damaged file costs the time of its task

    def keep(self, place: Path, result: Any) -> None:
        """Write a result, whole or not at all."""
        arrays: dict[str, Array] = {}
        text = json.dumps(_encoded(result, arrays))
        self._folder.mkdir(parents=True, exist_ok=True)
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
        return Mixture.trusted(
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
