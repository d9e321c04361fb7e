"""Pose graphs in the format of g2o, which every optimiser of pose graphs reads.

``VERTEX_SE2 id x y theta`` and ``VERTEX_SE3:QUAT id x y z qx qy qz qw`` are poses, world from scan;
``EDGE_SE2 i j ...`` and ``EDGE_SE3:QUAT i j ...`` hold the pose of j in the frame of i, so i is the target and j the
source of a registration, followed by the upper triangle of the information matrix, translation first; ``FIX id`` holds
a pose where it is.

**The information** is that of xi in ``T_true = T · Exp(xi)``, (rotation, translation) reordered to (translation,
rotation), the rotation as a rotation vector in radians.  That is what gtsam (``readG2o``, ``writeG2o``), SE-Sync and
the example of Ceres take the numbers for.  The program g2o itself measures a 3D rotation by the vector part of the
unit quaternion, which is half the rotation vector, so to it the same edge would have four times the rotation block and
twice the mixed blocks.  Files in circulation follow both, none says which; we keep to the majority of readers, and in
2D all agree.  Whoever optimises with g2o multiplies.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.checks.arguments import attribute, count, flag, items
from svgm.io.atomic import atomic_write
from svgm.io.checks import checked_numbers, checked_poses
from svgm.io.source import PathLike, as_path, file_error, shown
from svgm.io.text import data_lines
from svgm.rigid import quaternion_rotation, rotation_quaternion

Array = NDArray[np.float64]

_VERTEX = {2: "VERTEX_SE2", 3: "VERTEX_SE3:QUAT"}
_EDGE = {2: "EDGE_SE2", 3: "EDGE_SE3:QUAT"}
_TAGS = {tag: (kind, d) for kind in ("vertex", "edge") for d, tag in (_VERTEX if kind == "vertex" else _EDGE).items()}
#: Numbers of a pose, and size of its tangent vector.
_POSE, _SIZE = {2: 3, 3: 7}, {2: 3, 3: 6}
#: svgm's (rotation, translation) as g2o's (translation, rotation), and back.
_TO_G2O = {2: [1, 2, 0], 3: [3, 4, 5, 0, 1, 2]}
_FROM_G2O = {2: [2, 0, 1], 3: [3, 4, 5, 0, 1, 2]}


class Edge(Protocol):
    """What an edge must have to be written: scan numbers, a motion of source into target, and its information.

    The edges of :class:`svgm.MapResult` have it, and so does any object of yours.

    Examples
    --------
    >>> import pathlib, tempfile, types
    >>> edge = types.SimpleNamespace()
    >>> edge.source, edge.target = 1, 0
    >>> edge.transformation, edge.information = np.eye(3), np.eye(3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "graph.g2o"
    ...     write_g2o(path, [np.eye(3), np.eye(3)], [edge])
    ...     print(path.read_text().splitlines()[2])
    EDGE_SE2 0 1 0.0 0.0 0.0 1.0 0.0 0.0 1.0 0.0 1.0
    """

    @property
    def source(self) -> int: ...
    @property
    def target(self) -> int: ...
    @property
    def transformation(self) -> Array: ...
    @property
    def information(self) -> Array: ...


@dataclass(frozen=True, eq=False)
class G2oEdge:
    """An edge as it is read: `transformation` (d+1, d+1) maps source into target, `information` is svgm's.

    Examples
    --------
    >>> edge = G2oEdge(source=1, target=0, transformation=np.eye(3), information=np.diag([900.0, 100.0, 100.0]))
    >>> (1.0 / np.sqrt(np.diag(edge.information))).round(3).tolist()  # deviations: radians, then the unit of length
    [0.033, 0.1, 0.1]
    """

    source: int
    target: int
    transformation: Array
    information: Array


def write_g2o(path: PathLike, poses: ArrayLike, edges: Iterable[Edge], *, fix: bool = True) -> None:
    """Write a pose graph.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace, whole or not at all.
    poses : array_like, shape (n, d + 1, d + 1)
        World from scan, d 2 or 3; the i-th is vertex i.  A pose of NaN (a scan that was left out) is no vertex.
    edges : iterable
        Objects with ``source``, ``target`` (numbers of scans with a pose), ``transformation`` (d+1, d+1) of source into
        target and ``information``, 3x3 or 6x6, symmetric, of xi = (rotation, translation).
    fix : bool
        End with a ``FIX`` line for the first pose.  g2o wants it and gtsam passes over it; SE-Sync and the example of
        Ceres refuse lines they do not know.

    Raises
    ------
    FileError
        If poses or edges cannot be written, or the system refuses.
    InputError
        If `edges` are not such objects, or `fix` is neither True nor False.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> step = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> edge = G2oEdge(source=1, target=0, transformation=step, information=np.diag([900.0, 100.0, 100.0]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "graph.g2o"
    ...     write_g2o(path, [np.eye(3), step], [edge])
    ...     print(path.read_text().strip())
    VERTEX_SE2 0 0.0 0.0 0.0
    VERTEX_SE2 1 2.0 0.0 0.0
    EDGE_SE2 0 1 2.0 0.0 0.0 100.0 0.0 0.0 100.0 0.0 900.0
    FIX 0
    """
    path, fix = as_path(path), flag("fix", fix)
    array, there = checked_poses(path, poses)
    d = array.shape[1] - 1
    numbers = np.flatnonzero(there).tolist()
    lines = [f"{_VERTEX[d]} {i} {_words(_pose_numbers(array[i]))}\n" for i in numbers]
    upper = np.triu_indices(_SIZE[d])
    for k, edge in enumerate(items("edges", edges)):
        i, j = (count(f"edges[{k}].{end}", attribute(edge, end), least=0) for end in ("target", "source"))
        if i == j or not all(end < len(array) and there[end] for end in (i, j)):
            raise file_error(path, f"an edge must join two scans with poses, one goes from {j} to {i}")
        motion, information = _checked_edge(path, edge, d, f"the edge from {j} to {i}")
        triangle = information[np.ix_(_TO_G2O[d], _TO_G2O[d])][upper]
        lines.append(f"{_EDGE[d]} {i} {j} {_words(_pose_numbers(motion))} {_words(triangle)}\n")
    if fix:
        # Last of all: gtsam (4.3, in 2D) reads no edge that comes after it.
        lines.append(f"FIX {numbers[0]}\n")
    with atomic_write(path) as temporary, temporary.open("w", encoding="ascii", newline="\n") as stream:
        stream.writelines(lines)


def read_g2o(path: PathLike) -> tuple[dict[int, Array], list[G2oEdge]]:
    """Read a pose graph.

    Parameters
    ----------
    path : str or os.PathLike
        The file; comments after ``#``, ``FIX`` and ``PARAMS_...`` lines are passed over.

    Returns
    -------
    dict of int to ndarray, shape (d + 1, d + 1)
        The poses by number, in the order of the file.
    list of G2oEdge
        The edges; their numbers need not have poses.

    Raises
    ------
    FileError
        If a line is of another type than poses and edges of one dimension, has another number of columns, or holds a
        number that is not finite.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "graph.g2o"
    ...     _ = path.write_text("VERTEX_SE2 0 0 0 0\\nVERTEX_SE2 1 2 0 0\\nEDGE_SE2 0 1 2 0 0 100 0 0 100 0 900\\n")
    ...     poses, (edge,) = read_g2o(path)
    >>> sorted(poses), edge.source, edge.target, edge.information.diagonal().tolist()
    ([0, 1], 1, 0, [900.0, 100.0, 100.0])
    """
    path = as_path(path)
    poses: dict[int, Array] = {}
    edges: list[G2oEdge] = []
    dimensions = set()
    for number, line in enumerate(data_lines(path), start=1):
        tag, *words = line.split() or ["FIX"]
        if tag == "FIX" or tag.startswith("PARAMS_"):
            continue
        if tag not in _TAGS:
            raise file_error(path, f"line {number}, {shown(tag)} is none of {' '.join(_TAGS)} FIX")
        kind, d = _TAGS[tag]
        dimensions.add(d)
        if len(dimensions) > 1:
            raise file_error(path, f"line {number}, a graph must be of 2D or of 3D poses, this one is of both")
        if kind == "vertex":
            (i,), values = _numbers(path, number, words, 1, _POSE[d])
            if i in poses:
                raise file_error(path, f"line {number}, vertex {i} is there twice")
            poses[i] = _pose(path, number, values)
        else:
            (i, j), values = _numbers(path, number, words, 2, _POSE[d] + _SIZE[d] * (_SIZE[d] + 1) // 2)
            information = np.zeros((_SIZE[d], _SIZE[d]))
            information[np.triu_indices(_SIZE[d])] = values[_POSE[d] :]
            information += np.triu(information, 1).T
            back = np.ix_(_FROM_G2O[d], _FROM_G2O[d])
            edges.append(G2oEdge(j, i, _pose(path, number, values[: _POSE[d]]), information[back]))
    if not poses and not edges:
        raise file_error(path, "holds no poses and no edges")
    return poses, edges


def _checked_edge(path: Path, edge: Edge, d: int, where: str) -> tuple[Array, Array]:
    motion = checked_numbers(path, attribute(edge, "transformation"), f"the matrix of {where}")
    if motion.shape != (d + 1, d + 1) or not np.isfinite(motion).all():
        raise file_error(path, f"{where} must have a finite {d + 1}x{d + 1} matrix, its shape is {motion.shape}")
    checked_poses(path, motion[None])
    information = checked_numbers(path, attribute(edge, "information"), f"the information of {where}")
    size = _SIZE[d]
    if information.shape != (size, size) or not np.isfinite(information).all():
        raise file_error(path, f"{where} must have finite {size}x{size} information, its shape is {information.shape}")
    if not np.allclose(information, information.T, rtol=1e-6, atol=1e-9 * np.abs(information).max()):
        raise file_error(path, f"{where} must have symmetric information")
    return motion, information


def _pose_numbers(T: Array) -> Array:
    if len(T) == 3:
        return np.array([T[0, 2], T[1, 2], math.atan2(T[1, 0], T[0, 0])])
    return np.concatenate([T[:3, 3], rotation_quaternion(T[:3, :3])])


def _pose(path: Path, line: int, values: Array) -> Array:
    if len(values) == 3:
        x, y, theta = values.tolist()
        cosine, sine = math.cos(theta), math.sin(theta)
        return np.array([[cosine, -sine, x], [sine, cosine, y], [0.0, 0.0, 1.0]])
    length = math.hypot(*values[3:].tolist())
    if not abs(length - 1.0) <= 1e-2:
        raise file_error(path, f"line {line}, the quaternion must be of length 1, it is {length:.6g}")
    T = np.eye(4)
    T[:3, :3] = quaternion_rotation(values[3:] / length)
    T[:3, 3] = values[:3]
    return T


def _words(values: Array) -> str:
    return " ".join(map(repr, values.tolist()))


def _numbers(path: Path, line: int, words: list[str], ids: int, count: int) -> tuple[list[int], Array]:
    """The numbers of scans and the values of a line."""
    if len(words) != ids + count:
        raise file_error(path, f"line {line} must have {ids + count} numbers after its name, it has {len(words)}")
    parsed: list[Any] = []
    for index, word in enumerate(words):
        try:
            parsed.append(int(word) if index < ids else float(word))
        except ValueError:
            kind = "a whole number" if index < ids else "a number"
            raise file_error(path, f"line {line}, {shown(word)} is not {kind}") from None
    values = np.array(parsed[ids:], dtype=np.float64)
    if not np.isfinite(values).all():
        raise file_error(path, f"line {line} must be finite")
    return parsed[:ids], values
