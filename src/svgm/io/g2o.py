"""Pose graphs in the format of g2o, which pose-graph optimisers read.

- ``VERTEX_SE2 id x y theta`` and ``VERTEX_SE3:QUAT id x y z qx qy qz qw`` are poses, world from scan.
- ``EDGE_SE2 i j ...`` and ``EDGE_SE3:QUAT i j ...`` hold the pose of j in the coordinates of i, and then the upper
  triangle of the information matrix, translation first. So i is the target of a registration and j its source.
- ``FIX id`` keeps a pose fixed during the optimisation.

**The information matrix** is that of xi in ``T_true = T · Exp(xi)``, with (rotation, translation) reordered to
(translation, rotation). The rotation is a rotation vector in radians. gtsam (``readG2o``, ``writeG2o``), SE-Sync and
the example of Ceres read the numbers in this way. The program g2o itself measures a 3D rotation by the vector part of
the unit quaternion, which is half the rotation vector. For g2o the same edge would have four times the rotation block
and twice the mixed blocks. Both kinds of files exist, and a file does not say which kind it is. svgm follows the
majority of readers. To optimise with g2o in 3D, multiply these blocks. In 2D all programs agree.
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
from svgm.io.array_checks import checked_numbers, checked_poses
from svgm.io.atomic import atomic_write
from svgm.io.errors import file_error, shown
from svgm.io.formats.text import data_lines
from svgm.io.paths import PathLike, as_path
from svgm.rigid import quaternion_rotation, rotation_quaternion

Array = NDArray[np.float64]

_VERTEX = {2: "VERTEX_SE2", 3: "VERTEX_SE3:QUAT"}
_EDGE = {2: "EDGE_SE2", 3: "EDGE_SE3:QUAT"}
_TAGS = {tag: (kind, d) for kind in ("vertex", "edge") for d, tag in (_VERTEX if kind == "vertex" else _EDGE).items()}
#: By dimension: how many numbers a pose has, and the size of its tangent vector.
_POSE, _SIZE = {2: 3, 3: 7}, {2: 3, 3: 6}
#: By dimension: the order that turns svgm's (rotation, translation) into g2o's (translation, rotation), and back.
_TO_G2O = {2: [1, 2, 0], 3: [3, 4, 5, 0, 1, 2]}
_FROM_G2O = {2: [2, 0, 1], 3: [3, 4, 5, 0, 1, 2]}


class Edge(Protocol):
    """The attributes that an edge needs so that `write_g2o` can write it.

    The edges of :class:`svgm.MapResult` have them. Any other object with these attributes can be written too.

    Attributes
    ----------
    source, target : int
        Numbers of the two scans, at least 0.
    transformation : ndarray, shape (d + 1, d + 1)
        Rigid motion that maps the source into the target.
    information : ndarray, shape (3, 3) or (6, 6)
        Inverse covariance of xi = (rotation, translation) in ``T_true = transformation · Exp(xi)``, symmetric.

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
    """An edge that `read_g2o` has read.

    Attributes
    ----------
    source, target : int
        Numbers of the two scans.
    transformation : ndarray, shape (d + 1, d + 1)
        Rigid motion that maps the source into the target.
    information : ndarray, shape (3, 3) or (6, 6)
        Inverse covariance of xi = (rotation, translation) in ``T_true = transformation · Exp(xi)``, rotation first.

    Examples
    --------
    >>> edge = G2oEdge(source=1, target=0, transformation=np.eye(3), information=np.diag([900.0, 100.0, 100.0]))
    >>> (1.0 / np.sqrt(np.diag(edge.information))).round(3).tolist()  # standard deviations: angle, then position
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
        The file to make or replace. It is written atomically.
    poses : array_like, shape (n, d + 1, d + 1)
        Rigid motions, world from scan; d = 2 or 3. The i-th pose is vertex i. If a scan has no pose, its rotation and
        translation are NaN; such a scan gets no vertex.
    edges : iterable of Edge
        Edges between two different scans that have poses. Each object has the attributes of :class:`Edge`.
    fix : bool, default True
        Whether the file ends with a ``FIX`` line for the first pose. g2o needs this line and gtsam skips it. SE-Sync
        and the example of Ceres refuse it.

    Raises
    ------
    FileError
        If a pose or the transformation of an edge is not a rigid motion, if an information matrix is not finite and
        symmetric, if an edge joins scans without poses, or if the operating system refuses the write.
    InputError
        If the source or the target of an edge is not a whole number, or if `fix` is neither True nor False.

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
    array, known = checked_poses(path, poses)
    d = array.shape[1] - 1
    numbers = np.flatnonzero(known).tolist()
    lines = [f"{_VERTEX[d]} {i} {_words(_pose_numbers(array[i]))}\n" for i in numbers]
    upper = np.triu_indices(_SIZE[d])
    for k, edge in enumerate(items("edges", edges)):
        i, j = (count(f"edges[{k}].{end}", attribute(edge, end), least=0) for end in ("target", "source"))
        if i == j or not all(end < len(array) and known[end] for end in (i, j)):
            raise file_error(path, f"an edge must join two different scans with poses, one joins {j} and {i}")
        motion, information = _checked_edge(path, edge, d, f"the edge from {j} to {i}")
        triangle = information[np.ix_(_TO_G2O[d], _TO_G2O[d])][upper]
        lines.append(f"{_EDGE[d]} {i} {j} {_words(_pose_numbers(motion))} {_words(triangle)}\n")
    if fix:
        # This line comes last: gtsam (4.3, in 2D) reads no edge after it.
        lines.append(f"FIX {numbers[0]}\n")
    with atomic_write(path) as temporary, temporary.open("w", encoding="ascii", newline="\n") as stream:
        stream.writelines(lines)


def read_g2o(path: PathLike) -> tuple[dict[int, Array], list[G2oEdge]]:
    """Read a pose graph.

    Parameters
    ----------
    path : str or os.PathLike
        The file. Comments after ``#`` are skipped, and so are lines that begin with ``FIX`` or ``PARAMS_``.

    Returns
    -------
    poses : dict of int to ndarray, shape (d + 1, d + 1)
        The poses, world from scan, by number and in the order of the file; d = 2 or 3.
    edges : list of G2oEdge
        The edges. A scan of an edge need not have a pose.

    Raises
    ------
    FileError
        If the file is missing or holds neither poses nor edges, if it mixes 2D and 3D, if a line is of another type, or
        if a line holds another number of columns or a number that is not finite.

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
            raise file_error(path, f"line {number}, a graph must hold 2D poses or 3D poses, this one holds both")
        if kind == "vertex":
            (i,), values = _numbers(path, number, words, 1, _POSE[d])
            if i in poses:
                raise file_error(path, f"line {number}, vertex {i} is declared twice")
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
        raise file_error(path, f"line {line}, the quaternion must have length 1, its length is {length:.6g}")
    T = np.eye(4)
    T[:3, :3] = quaternion_rotation(values[3:] / length)
    T[:3, 3] = values[:3]
    return T


def _words(values: Array) -> str:
    return " ".join(map(repr, values.tolist()))


def _numbers(path: Path, line: int, words: list[str], ids: int, count: int) -> tuple[list[int], Array]:
    """The scan numbers of a line, and its other numbers."""
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
        raise file_error(path, f"the numbers of line {line} must be finite")
    return parsed[:ids], values
