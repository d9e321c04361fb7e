"""The scene that `svgm view` makes of files."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from svgm.cli.inputs import read_matrix, read_set
from svgm.errors import FileError, InputError
from svgm.io.g2o import read_g2o
from svgm.io.source import file_error, read_bytes
from svgm.mixture import Mixture
from svgm.points import Array
from svgm.rigid import as_pose
from svgm.view.colours import PALETTE
from svgm.view.drawing import MOST_POINTS
from svgm.view.scene import Cloud, Frame, Gaussians, Layer, Lines, Scene

#: Of a map's edges, and of those among them that close a loop.
EDGE, LOOP = "#8a8a8a", "#d95f02"


def read_scene(files: Sequence[Path], transform: Path | None, result: Path | None) -> tuple[Scene, list[str]]:
    """The scene, and a line on each file that has too many points to show them all."""
    record = {} if result is None else read_json(result)
    files = files or _registered(result, record)
    names = _names(files)
    thinned: list[str] = []
    layers: list[Layer] = []
    for number, (path, name) in enumerate(zip(files, names, strict=True)):
        # Of two, the one that moves has the colour that sources have in pictures.
        colour = PALETTE[(number + (len(files) == 2)) % min(len(PALETTE), max(len(files), 2))]
        moves = number == 0 and (transform is not None or result is not None)
        if path.is_dir():
            layers += _map_layers(path, name, colour, moves)
        else:
            layers.append(_layer(path, name, colour, moves))
        layers = [_thinned(layer, MOST_POINTS // len(files), thinned) for layer in layers]
    dimension = layers[0].places.shape[1]
    if any(layer.places.shape[1] != dimension for layer in layers):
        raise InputError(f"files must be all 2D or all 3D, {files[0]} is {dimension}D and others are not")
    if transform is not None:
        T = read_matrix(transform, dimension, "transform")
        frames = [Frame("before", np.eye(dimension + 1)), Frame("after", T)]
    else:
        frames = [] if result is None else _stages(result, record, dimension)
    return Scene(layers, frames, title=", ".join(names[:4]) + (", ..." if len(names) > 4 else "")), thinned


def read_json(path: Path) -> dict[str, Any]:
    """An object written as JSON; "-" is standard input."""
    name = Path("standard input") if str(path) == "-" else path
    try:
        value = json.loads(sys.stdin.buffer.read() if str(path) == "-" else read_bytes(path))
    except ValueError:
        raise file_error(name, "must hold JSON") from None
    if not isinstance(value, dict):
        raise file_error(name, "must hold a JSON object")
    return value


def _registered(path: Path | None, record: dict[str, Any]) -> list[Path]:
    files = [record.get("source"), record.get("target")]
    if not all(isinstance(file, str) for file in files):
        raise FileError(f"{path}: must be what svgm register --json prints, with source and target")
    return [Path(str(file)) for file in files]


def _names(files: Sequence[Path]) -> list[str]:
    """Names of files without their folders, where that tells them apart."""
    short = [path.resolve().name for path in files]
    return short if len(set(short)) == len(files) else [str(path) for path in files]


def _layer(path: Path, name: str, colour: str, moves: bool) -> Layer:
    value = read_set(path)
    if isinstance(value, Mixture):
        return _mixture_layer(value, name, colour, moves)
    return Cloud(name=name, colour=colour, moves=moves, points=value)


def _mixture_layer(mixture: Mixture, name: str, colour: str, moves: bool = False, shown: bool = True) -> Layer:
    """The positive components; negative ones are free space."""
    positive = mixture.weights > 0
    return Gaussians(
        name=name,
        colour=colour,
        moves=moves,
        shown=shown,
        means=mixture.means[positive],
        weights=mixture.weights[positive],
        sigma=mixture.sigma,
    )


def _map_layers(folder: Path, name: str, colour: str, moves: bool) -> list[Layer]:
    """Cloud, model (hidden at first, since it lies in the cloud), trajectory and edges of a map."""
    if not (folder / "graph.g2o").is_file():
        raise FileError(f"{folder}: is not a folder of svgm map, it holds no graph.g2o")
    poses, edges = read_g2o(folder / "graph.g2o")
    if not poses:
        raise FileError(f"{folder / 'graph.g2o'}: holds no poses")
    order = {number: row for row, number in enumerate(poses)}
    stations = np.array([pose[:-1, -1] for pose in poses.values()])
    record = read_json(folder / "record.json") if (folder / "record.json").is_file() else {}
    ways = [(edge.source, edge.target) for edge in edges if edge.source in order and edge.target in order]
    loops = _loops(record)
    plain = _pairs(order, [way for way in ways if way not in loops])
    closing = _pairs(order, [way for way in ways if way in loops])
    layers: list[Layer] = []
    if (folder / "cloud.ply").is_file():
        layers.append(_layer(folder / "cloud.ply", f"{name} cloud", colour, moves))
    if (folder / "map.npz").is_file():
        model = Mixture.load(folder / "map.npz")
        layers.append(_mixture_layer(model, f"{name} model", colour, moves, shown=not layers))
    common: dict[str, Any] = {"vertices": stations, "moves": moves}
    layers.append(Lines(name=f"{name} edges", colour=EDGE, pairs=plain, **common))
    if len(closing):
        layers.append(Lines(name=f"{name} loops", colour=LOOP, pairs=closing, **common))
    if _setting(record, "order") != "unordered" and len(stations) > 1:
        layers.append(Lines(name=f"{name} trajectory", colour="#222222", **common))
    return layers


def _loops(record: dict[str, Any]) -> set[tuple[int, int]]:
    edges = record.get("edges", [])
    return {(edge["source"], edge["target"]) for edge in edges if edge.get("kind") == "loop"}


def _setting(record: dict[str, Any], name: str) -> Any:
    return record.get("settings", {}).get(name)


def _pairs(order: dict[int, int], ways: list[tuple[int, int]]) -> Any:
    return np.array([(order[source], order[target]) for source, target in ways], dtype=np.intp).reshape(-1, 2)


def _stages(path: Path, record: dict[str, Any], dimension: int) -> list[Frame]:
    """Before, every scale of the annealing, and the answer."""
    try:
        stages = [
            (f"gamma {stage['gamma']:.3g}, sigma {stage['sigma']:.3g}", stage["transformation"])
            for stage in record["stages"]
        ]
        answer = f"answer, confidence {record['confidence']:.2f}", record["transformation"]
    except (KeyError, TypeError, ValueError):
        raise FileError(f"{path}: must be what svgm register --json prints, with stages") from None
    frames = [("before", np.eye(dimension + 1)), *stages, answer]
    return [Frame(label, _pose(path, value, dimension, label)) for label, value in frames]


def _pose(path: Path, value: Any, dimension: int, label: str) -> Array:
    try:
        return as_pose(value, dimension, label)
    except ValueError as error:
        raise FileError(f"{path}: {error}") from None


def _thinned(layer: Layer, most: int, told: list[str]) -> Layer:
    if not isinstance(layer, Cloud) or len(layer.points) <= most:
        return layer
    step = -(-len(layer.points) // most)
    points = layer.points[::step]
    told.append(f"{layer.name}: one in {step} of {len(layer.points):,} points is shown")
    return Cloud(name=layer.name, colour=layer.colour, moves=layer.moves, shown=layer.shown, points=points)
