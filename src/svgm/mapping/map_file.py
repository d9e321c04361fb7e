"""Files of maps: all fields of all pieces as arrays of one .npz file, and back bit for bit."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import Any

import numpy as np

from svgm.checks.arguments import as_finite, as_floats
from svgm.geometry.points import Array
from svgm.io.archive import archive_names, read_archive, write_archive
from svgm.io.errors import file_error, file_errors
from svgm.io.paths import as_path
from svgm.mapping.edge import Edge
from svgm.mapping.joints import Joint
from svgm.mixture.mixture import Mixture
from svgm.rigid import as_pose

#: Version 1 has no covariances of components, version 2 neither pieces nor joints nor second opinions.  A map that
#: needs none of these is still written as an older version, for older readers.
_FORMAT, _ISOTROPIC, _FULL, _PIECES = "svgm map", 1, 2, 3


def write_map_file(path: str | os.PathLike[str], pieces: tuple[Any, ...]) -> None:
    """Write the pieces of a map (each a :class:`svgm.MapResult`), the largest first."""
    version = max(_version(piece) for piece in pieces)
    write_archive(
        path,
        format=np.array(_FORMAT),
        version=np.array(version),
        **({} if version < _PIECES else {"pieces": np.array(len(pieces))}),
        **{
            f"{_prefix(number)}{name}": value
            for number, piece in enumerate(pieces)
            for name, value in _arrays(piece).items()
        },
    )


def read_map_file(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The fields of each piece of a file; FileError if it is damaged, or not a map of svgm."""
    path = as_path(path)
    arrays = read_archive(path)
    if str(arrays.get("format")) != _FORMAT:
        raise file_error(path, "is not a map of svgm, as MapResult.save writes it")
    with file_errors(path, "is a damaged map"):
        version = int(arrays["version"])
        if version > _PIECES:
            raise file_error(path, f"is a map of version {version}, this svgm reads up to {_PIECES}")
        pieces = int(arrays["pieces"]) if version >= _PIECES else 1
        if pieces < 1:
            raise ValueError("it has no pieces")
        return [_fields(arrays, _prefix(number), version) for number in range(pieces)]


def _version(piece: Any) -> int:
    """The oldest version of the file format that holds a piece."""
    edges = [*piece.edges, *(edge for edge, _ in piece.rejected)]
    told = any(edge.second != 1.0 or edge.loose for edge in edges)
    if piece.others or piece.joints or piece.times is not None or told:
        return _PIECES
    return _ISOTROPIC if piece.mixture.covariances is None else _FULL


def _arrays(piece: Any) -> dict[str, Array]:
    """The fields of a piece as arrays of a file."""
    edges = [*piece.edges, *(edge for edge, _ in piece.rejected)]
    record = {
        "edges": [_without(edge, "transformation", "covariance") for edge in edges],
        "rejected": [reason for _, reason in piece.rejected],
        "left_out": list(piece.left_out.items()),
        "components": piece.components,
        "sigma": piece.sigma,
        "seconds": piece.seconds,
        "settings": piece.settings,
        "joints": [asdict(joint) for joint in piece.joints],
    }
    d, k = piece.poses.shape[1], piece.covariances.shape[1]
    return {
        "record": np.array(json.dumps(record, default=_plain)),
        "poses": piece.poses,
        "covariances": piece.covariances,
        **({} if piece.times is None else {"times": piece.times}),
        "mixture_means": piece.mixture.means,
        "mixture_weights": piece.mixture.weights,
        "mixture_variance": np.array(piece.mixture.variance),
        "mixture_bias": np.array([] if piece.mixture.bias is None else [piece.mixture.bias]),
        **({} if piece.mixture.covariances is None else {"mixture_covariances": piece.mixture.covariances}),
        "edge_transformations": np.array([edge.transformation for edge in edges]).reshape(-1, d, d),
        "edge_covariances": np.array([edge.covariance for edge in edges]).reshape(-1, k, k),
    }


def _prefix(number: int) -> str:
    """What the names of a piece's arrays begin with."""
    return f"piece{number}_" if number else ""


def _fields(file: dict[str, Any], prefix: str, version: int) -> dict[str, Any]:
    """The fields of one piece of a file."""
    arrays = {name.removeprefix(prefix): array for name, array in file.items() if name.startswith(prefix)}
    record = json.loads(str(arrays["record"]))
    bias = as_floats(arrays["mixture_bias"], "bias")
    mixture = Mixture(
        arrays["mixture_means"],
        float(as_floats(arrays["mixture_variance"], "variance")),
        arrays["mixture_weights"],
        float(bias[0]) if bias.size else None,
        covariances=arrays["mixture_covariances"] if version == _FULL else arrays.get("mixture_covariances"),
    )
    d, k = mixture.dimension + 1, mixture.dimension * (mixture.dimension + 1) // 2
    poses, covariances = _stacked(arrays, "poses", d), _stacked(arrays, "covariances", k)
    transformations = _stacked(arrays, "edge_transformations", d)
    matrices = zip(transformations, _stacked(arrays, "edge_covariances", k), strict=True)
    edges = [_edge(fields, *pair) for fields, pair in zip(record["edges"], matrices, strict=True)]
    used = len(edges) - len(record["rejected"])
    if used < 0 or len(covariances) != len(poses):
        raise ValueError("its parts have different lengths")
    left_out = {int(number): str(reason) for number, reason in record["left_out"]}
    for number, (pose, covariance) in enumerate(zip(poses, covariances, strict=True)):
        if number not in left_out:
            as_pose(pose, mixture.dimension, "pose")
        elif not np.isnan(pose).all():
            raise ValueError(f"scan {number} was left out, but has a pose")
        if not np.isnan(covariance).all():
            as_finite(covariance, "covariance")
    return {
        "poses": poses,
        "covariances": covariances,
        "mixture": mixture,
        "edges": tuple(edges[:used]),
        "rejected": tuple(zip(edges[used:], map(str, record["rejected"]), strict=True)),
        "left_out": left_out,
        "components": int(record["components"]),
        "sigma": float(record["sigma"]),
        "seconds": {name: float(seconds) for name, seconds in record["seconds"].items()},
        "settings": dict(record["settings"]),
        "times": as_floats(arrays["times"], "times") if "times" in arrays else None,
        "joints": tuple(Joint(**joint) for joint in record.get("joints", [])),
    }


def is_map_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path is an .npz file that :meth:`svgm.MapResult.save` wrote."""
    return str(path).lower().endswith(".npz") and {"format", "record", "poses"} <= set(archive_names(path))


def _without(edge: Edge, *names: str) -> dict[str, Any]:
    return {name: value for name, value in edge.as_dict().items() if name not in names}


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python, for JSON."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"settings must hold plain values, got {type(value).__name__}")


def _stacked(arrays: dict[str, Any], name: str, size: int) -> Array:
    """Matrices (n, size, size) of a file."""
    array = as_floats(arrays[name], name, size, size)
    if array.ndim != 3:
        raise ValueError(f"{name} has shape {array.shape}")
    return array


def _edge(fields: dict[str, Any], transformation: Array, covariance: Array) -> Edge:
    source, target, kind = int(fields["source"]), int(fields["target"]), str(fields["kind"])
    confidence, overlap = float(fields["confidence"]), float(fields["overlap"])
    as_pose(transformation, len(transformation) - 1, "transformation")
    as_finite(covariance, "covariance")
    second, loose = float(fields.get("second", 1.0)), int(fields.get("loose", 0))
    return Edge(source, target, transformation, covariance, confidence, overlap, kind, second, loose)
