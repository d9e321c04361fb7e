"""The output folder of `svgm map` as layers of a scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from svgm.checks.errors import FileError
from svgm.cli.input_files import read_json
from svgm.geometry.points import Array
from svgm.io import read_points
from svgm.io.g2o import read_g2o
from svgm.mixture.mixture import Mixture
from svgm.view.colours import shares
from svgm.view.map_viewpoint import up_axis
from svgm.view.scenes.layers import Cloud, Layer, Lines, mixture_layer

#: Colours of lines. The colours of heights do not contain them.
TRAJECTORY_COLOUR, EDGE_COLOUR, LOOP_COLOUR = "#e0218a", "#8a8a8a", "#d95f02"


def map_layers(folder: Path, prefix: str, colour: str | None, moves: bool) -> tuple[list[Layer], Array | None]:
    """The layers cloud, model, edges, loops and trajectory, and in 3D the direction that is up.

    The model is hidden at first, because the cloud covers it. If no colour is given, the cloud is coloured by height.
    """
    stations, edges = _graph(folder)
    ordered, loops = _record(folder / "record.json")
    plain = [(source, target) for source, target in edges if (source, target) not in loops]
    closing = [(source, target) for source, target in edges if (source, target) in loops]
    numbers = {number: row for row, number in enumerate(stations)}
    vertices = np.array(list(stations.values()))
    points = read_points(folder / "cloud.ply")
    if points.shape[1] != vertices.shape[1]:
        raise FileError(f"{folder}: cloud.ply is {points.shape[1]}D, but graph.g2o is {vertices.shape[1]}D")
    up = up_axis(points, vertices) if points.shape[1] == 3 else None
    values = None if up is None or colour is not None else shares(points @ up)
    tint: dict[str, Any] = {} if colour is None else {"colour": colour}
    layers: list[Layer] = [
        Cloud(name=f"{prefix}cloud", points=points, values=values, moves=moves, **tint),
        mixture_layer(Mixture.load(folder / "map.npz"), name=f"{prefix}model", moves=moves, shown=False, **tint),
    ]
    for name, paint, pairs in (("edges", EDGE_COLOUR, plain), ("loops", LOOP_COLOUR, closing)):
        if pairs:
            rows = np.array([(numbers[source], numbers[target]) for source, target in pairs])
            layers.append(Lines(name=f"{prefix}{name}", colour=paint, moves=moves, vertices=vertices, pairs=rows))
    if ordered and len(vertices) > 1:
        layers.append(Lines(name=f"{prefix}trajectory", colour=TRAJECTORY_COLOUR, moves=moves, vertices=vertices))
    return layers, up


def _graph(folder: Path) -> tuple[dict[int, Array], list[tuple[int, int]]]:
    """The position of each scan by its number, and the pairs of scans that an edge joins."""
    path = folder / "graph.g2o"
    if not path.is_file():
        raise FileError(f"{folder}: is not an output folder of svgm map, it holds no graph.g2o")
    poses, edges = read_g2o(path)
    if not poses:
        raise FileError(f"{path}: holds no poses")
    stations = {number: pose[:-1, -1] for number, pose in poses.items()}
    return stations, [(e.source, e.target) for e in edges if e.source in stations and e.target in stations]


def _record(path: Path) -> tuple[bool, set[tuple[int, int]]]:
    """Whether the scans are a sequence, and the edges that close loops."""
    record = read_json(path)
    try:
        loops = {(edge["source"], edge["target"]) for edge in record["edges"] if edge["kind"] == "loop"}
        return record["settings"]["order"] == "sequence", loops
    except (KeyError, TypeError):
        raise FileError(f"{path}: is not the record of svgm map") from None
