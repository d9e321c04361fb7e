"""Surface normals: at each point, the direction in which its neighbours spread least."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import MOST_NUMBERS, count
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PointsLike
from svgm.geometry.points import as_place, as_points

#: Neighbours from which one normal is estimated, at most.
MOST_NEIGHBOURS = 10_000


def estimate_normals(points: PointsLike, *, neighbours: int = 12, viewpoint: ArrayLike | None = None) -> Array:
    """Unit normals: at each point, the eigenvector of its neighbours' covariance with the least eigenvalue.

    Parameters
    ----------
    points : PointsLike, shape (n, d)
        Points with d >= 2.
    neighbours : int, default 12
        Nearest neighbours from which a normal is estimated, 1 to 10,000.  The point itself is used too.
    viewpoint : array_like, shape (d,), optional
        Position of the sensor, in the unit of the points.  If it is given, normals point towards it.  By default the
        sign of a normal is arbitrary.

    Returns
    -------
    ndarray, shape (n, d)
        Normals of length 1.

    Raises
    ------
    InputError
        If `points`, `neighbours` or `viewpoint` is not as described.
    FileError
        If `points` is a path and the file cannot be read.

    Examples
    --------
    >>> x, y = np.meshgrid(np.arange(5.0), np.arange(5.0))
    >>> plane = np.c_[x.ravel(), y.ravel(), 0 * x.ravel()]
    >>> np.abs(estimate_normals(plane, neighbours=8)[0]).round(6).tolist()
    [0.0, 0.0, 1.0]
    """
    from scipy.spatial import cKDTree

    points = as_points(points)
    n, d = points.shape
    if d < 2:
        raise InputError(f"points must have at least 2 coordinates to have normals, got {d}")
    sensor = None if viewpoint is None else as_place(viewpoint, d, "viewpoint")
    near = min(count("neighbours", neighbours, most=MOST_NEIGHBOURS) + 1, n)
    tree = cKDTree(points)
    # Batches bound the memory that the neighbours' coordinates take.
    step = max(1, MOST_NUMBERS // (4 * d * max(near, d)))
    batches = [slice(start, start + step) for start in range(0, n, step)]
    normals = np.concatenate([_least_spread(tree, points, batch, near) for batch in batches])
    if sensor is not None:
        away = np.einsum("ni,ni->n", normals, sensor - points) < 0
        normals = np.where(away[:, None], -normals, normals)
    return normals


def _least_spread(tree: Any, points: Array, batch: slice, near: int) -> Array:
    """The directions in which the neighbours of a batch of points spread least."""
    _, nearest = tree.query(points[batch], k=near)
    around = points[nearest.reshape(-1, near)]
    around = around - around.mean(axis=1, keepdims=True)
    _, vectors = np.linalg.eigh(np.einsum("nki,nkj->nij", around, around))
    normals: Array = vectors[:, :, 0]
    return normals
