"""The scene of `svgm view`: the layers of files, and the poses that the slider shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from svgm.checks.errors import FileError, InputError
from svgm.cli.input_files import read_input, read_json, read_pose
from svgm.cli.scene_of_map import map_layers
from svgm.geometry.points import Array
from svgm.io.errors import file_errors, printable
from svgm.mixture.mixture import Mixture
from svgm.rigid import as_pose
from svgm.view.colours import PALETTE
from svgm.view.scenes.layers import Cloud, Layer, mixture_layer
from svgm.view.scenes.scene import Frame, Scene

#: File names in the title, at most.
MOST_TITLE_NAMES = 4


def read_scene(
    files: Sequence[Path], pose_file: Path | None, result: Path | None, most: int
) -> tuple[Scene, list[str]]:
    """The scene, and a note on each cloud with more than `most` points, of which only every k-th is shown."""
    record = {} if result is None else read_json(result)
    files = files or _registered(result, record)
    names, colours = _names(files), _colours(len(files))
    layers: list[Layer] = []
    registered = pose_file is not None or result is not None
    up: Array | None = None
    for path, name, colour in zip(files, names, colours, strict=True):
        moves = not layers and registered
        if path.is_dir():
            alone = len(files) == 1
            found, up = map_layers(path, "" if alone else f"{name} ", None if alone else colour, moves)
            layers += found
        else:
            given = read_input(path, columns=True)
            if isinstance(given.value, Mixture):
                layers.append(mixture_layer(given.value, name=name, colour=colour, moves=moves))
            else:
                # Two registered sets are told apart by one colour each.
                own = None if registered or given.cloud is None else given.cloud.colours
                layers.append(Cloud(name=name, colour=colour, moves=moves, points=given.value, colours=own))
    dimension = layers[0].places.shape[1]
    if any(layer.places.shape[1] != dimension for layer in layers):
        raise InputError(f"files must be all 2D or all 3D, {files[0]} is {dimension}D and others are not")
    if pose_file is not None:
        after = read_pose(pose_file, dimension, "pose")
        frames = [Frame("before", np.eye(dimension + 1)), Frame("after", after)]
    elif result is not None:
        frames = [Frame("before", _start(record, dimension)), *_stages(result, record, dimension)]
    else:
        frames = []
    shown, notes = _thinned(layers, most)
    title = ", ".join(names[:MOST_TITLE_NAMES]) + (", ..." if len(names) > MOST_TITLE_NAMES else "")
    return Scene(shown, frames, title=title, up=up), notes


def _registered(path: Path | None, record: dict[str, Any]) -> list[Path]:
    files = [record.get("source"), record.get("target")]
    if not all(isinstance(file, str) for file in files):
        raise FileError(f"{path}: is not the output of svgm register --json, it has no source and target")
    return [Path(str(file)) for file in files]


def _names(files: Sequence[Path]) -> list[str]:
    """The names of files: without their folders if these names are all different."""
    short = [path.resolve().name for path in files]
    return list(map(printable, short if len(set(short)) == len(files) else map(str, files)))


def _colours(count: int) -> list[str]:
    """A colour for each file, repeated if there are many. Of two files the first has the colour of a source."""
    palette = PALETTE[1::-1] if count == 2 else PALETTE
    return [palette[number % len(palette)] for number in range(count)]


def _stages(path: Path, record: dict[str, Any], dimension: int) -> list[Frame]:
    """The pose after each level of the annealing, and the result."""
    with file_errors(path, "is not the output of svgm register --json, it has no stages"):
        poses = [
            (f"gamma {stage['gamma']:.3g}, sigma {stage['sigma']:.3g}", stage["transformation"])
            for stage in record["stages"]
        ]
        poses.append((f"result, confidence {record['confidence']:.2f}", record["transformation"]))
        return [Frame(label, as_pose(value, dimension, label)) for label, value in poses]


def _start(record: dict[str, Any], dimension: int) -> Array:
    """The pose that the registration started from: that of --init if its file still exists, else the identity."""
    settings = record.get("settings")
    given = settings.get("init") if isinstance(settings, dict) else None
    if isinstance(given, str) and Path(given).is_file():
        return read_pose(Path(given), dimension, "init")
    return np.eye(dimension + 1)


def _thinned(layers: list[Layer], most: int) -> tuple[list[Layer], list[str]]:
    """The layers with clouds of at most `most` points, and a note on each cloud that had more."""
    shown: list[Layer] = []
    notes: list[str] = []
    for layer in layers:
        if isinstance(layer, Cloud) and len(layer.points) > most:
            step = -(-len(layer.points) // most)
            notes.append(f"{layer.name}: has {len(layer.points):,} points, 1 in {step} is shown")
            values = None if layer.values is None else layer.values[::step]
            own = None if layer.colours is None else layer.colours[::step]
            layer = replace(layer, points=layer.points[::step], values=values, colours=own)
        shown.append(layer)
    return shown, notes
