"""`PointCloud`: the points of a file with all that the file tells about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.checks.arguments import as_floats
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PoseLike
from svgm.io.array_checks import checked_points
from svgm.io.errors import file_error
from svgm.rigid import apply, as_pose

Column = NDArray[np.generic]

#: Names of the columns that svgm knows: normals and colours. All other columns keep the names of their file.
NORMALS = ("nx", "ny", "nz")
COLOURS = ("red", "green", "blue")


@dataclass(frozen=True)
class PointCloud:
    """The points of a file, the columns beside the coordinates, and where the sensor stood.

    Attributes
    ----------
    points : ndarray, shape (n, d)
        The coordinates.
    columns : mapping of str to ndarray, shape (n,)
        All other numbers of the points by name: ``nx ny nz`` is a normal, ``red green blue`` a colour (0 to 255 in
        8 bits, 0 to 65535 in 16 bits, 0 to 1 as floats), ``intensity`` and ``time`` are what they say. Other columns
        have the names of the file.
    viewpoint : ndarray, shape (d,), or None, default None
        Position of the sensor in the coordinates of the points, if the file holds one.
    dropped : int, default 0
        Number of rows of the file that were left out because a coordinate is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> cloud = PointCloud(np.eye(3), {"nx": np.ones(3), "ny": np.zeros(3), "nz": np.zeros(3)})
    >>> T = [[0, -1, 0, 5], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    >>> moved = cloud.transformed(T)
    >>> moved.points[0], moved.columns["ny"]
    (array([5., 1., 0.]), array([1., 1., 1.]))
    >>> moved.normals.shape, moved.colours
    ((3, 3), None)
    """

    points: Array
    columns: Mapping[str, Column] = field(default_factory=dict)
    viewpoint: Array | None = None
    dropped: int = 0

    def __post_init__(self) -> None:
        points = as_floats(self.points, "points")
        if points.ndim != 2:
            raise InputError(f"points must have shape (n, d), got shape {points.shape}")
        object.__setattr__(self, "points", points)

    @property
    def normals(self) -> Array | None:
        """The normals, shape (n, 3), or None."""
        if not all(name in self.columns for name in NORMALS):
            return None
        return np.column_stack([self.columns[name].astype(np.float64) for name in NORMALS])

    @property
    def colours(self) -> Array | None:
        """The colours, shape (n, 3), each from 0 to 1, or None.

        Examples
        --------
        >>> import numpy as np
        >>> PointCloud(np.zeros((1, 2)), {name: np.array([255], np.uint8) for name in ("red", "green", "blue")}).colours
        array([[1., 1., 1.]])
        """
        if not all(name in self.columns for name in COLOURS):
            return None
        return shares([self.columns[name] for name in COLOURS])

    def transformed(self, T: PoseLike) -> PointCloud:
        """Move the points and the viewpoint, and turn the normals.

        Parameters
        ----------
        T : array_like, shape (d+1, d+1)
            The rigid motion.

        Returns
        -------
        PointCloud
            The other columns are the same.

        Examples
        --------
        >>> import numpy as np
        >>> PointCloud(np.zeros((1, 2))).transformed([[1, 0, 3], [0, 1, 4], [0, 0, 1]]).points
        array([[3., 4.]])
        """
        d = self.points.shape[1]
        pose = as_pose(T, d, "T")
        columns = dict(self.columns)
        normals = self.normals
        if d == 3 and normals is not None and all(columns[name].dtype.kind == "f" for name in NORMALS):
            turned = normals @ pose[:3, :3].T
            columns |= {name: turned[:, k].astype(columns[name].dtype) for k, name in enumerate(NORMALS)}
        viewpoint = None if self.viewpoint is None else apply(pose, self.viewpoint[None])[0]
        return PointCloud(apply(pose, self.points), columns, viewpoint, self.dropped)

    def selected(self, rows: ArrayLike) -> PointCloud:
        """The rows that a mask or a list of numbers chooses.

        Examples
        --------
        >>> import numpy as np
        >>> PointCloud(np.eye(2)).selected(np.array([True, False])).points
        array([[1., 0.]])
        """
        try:
            chosen = np.asanyarray(rows)
        except Exception:  # of NumPy, or of an object that converts itself to an array
            raise InputError("rows must be a mask or a list of whole numbers, got another object") from None
        if chosen.ndim != 1 or chosen.dtype.kind not in "biu":
            raise InputError(f"rows must be a mask or a list of whole numbers, got an array of shape {chosen.shape}")
        try:
            columns = {name: column[chosen] for name, column in self.columns.items()}
            return PointCloud(self.points[chosen], columns, self.viewpoint, self.dropped)
        except IndexError:
            raise InputError(f"rows must choose from {len(self.points)} points, one of them is out of range") from None


def shares(colours: Sequence[Column]) -> Array:
    """Colours as shares of the full colour, shape (n, 3).

    Numbers of 8 or 16 bits are what their type says. Others, as text holds them, are shares if none is above 1, of 8
    bits if none is above 255, and of 16 bits otherwise.

    >>> shares([np.array([51], np.uint8)] * 3)
    array([[0.2, 0.2, 0.2]])
    """
    kinds = {column.dtype for column in colours}
    if kinds == {np.dtype(np.uint8)}:
        full = 255.0
    elif kinds == {np.dtype(np.uint16)}:
        full = 65535.0
    else:
        largest = max(float(np.max(column, initial=0)) for column in colours)
        full = 1.0 if largest <= 1 else 255.0 if largest <= 255 else 65535.0
    found = np.column_stack([column.astype(np.float64) for column in colours]) / full
    # A file may hold any number.
    return np.clip(np.nan_to_num(found, nan=0.0), 0.0, 1.0)


def finished(path: Path, cloud: PointCloud, drop_nan: bool) -> PointCloud:
    """Drop the rows with a NaN coordinate if that is allowed, and check the points.

    Parameters
    ----------
    path : Path
        The file, for messages.
    cloud : PointCloud
        What the file holds. The points may hold anything.
    drop_nan : bool
        Whether rows with NaN are dropped.

    Returns
    -------
    PointCloud
        With checked points. `dropped` counts the rows that are gone.

    Raises
    ------
    FileError
        If no point is left, or if a coordinate is not finite.
    """
    if cloud.points.ndim == 2 and cloud.points.dtype.kind == "f":
        missing = np.asarray(np.isnan(cloud.points).any(axis=1))
        if missing.any():
            if not drop_nan:
                rule = f"every coordinate must be finite, {missing.sum()} of {len(missing)} points are not"
                first = int(np.argmax(missing))
                raise file_error(path, f"{rule}, the first is point {first}; drop_nan (--drop-nan) drops them")
            if missing.all():
                raise file_error(path, f"holds no points, all {len(missing)} are NaN")
            kept = cloud.selected(~missing)
            cloud = PointCloud(kept.points, kept.columns, kept.viewpoint, cloud.dropped + int(missing.sum()))
    return PointCloud(checked_points(path, cloud.points), cloud.columns, cloud.viewpoint, cloud.dropped)
