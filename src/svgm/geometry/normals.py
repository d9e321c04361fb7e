"""Surface normals: the direction in which a point's neighbours spread least."""

from __future__ import annotations

from typing import Any

import numpy as np

from svgm.checks.arguments import count
from svgm.checks.errors import InputError
from svgm.geometry.points import MOST_NUMBERS, Array, as_place, as_points

#: Points that a normal is estimated from, at most.
MOST_NEIGHBOURS = 10_000


def estimate_normals(points: Any, neighbours: int = 12, viewpoint: Any = None) -> Array:
    """Unit normals (n, d) from the covariance of each point's nearest neighbours.

    Turned towards the viewpoint if one is given; otherwise their sign means nothing.

    >>> x, y = np.meshgrid(np.arange(5.0), np.arange(5.0))
    >>> plane = np.c_[x.ravel(), y.ravel(), 0 * x.ravel()]
    >>> np.abs(estimate_normals(plane, 8)[0]).round(6).tolist()
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
    step = max(1, MOST_NUMBERS // (4 * d * max(near, d)))
    normals = np.concatenate([_least_spread(tree, points, part, near) for part in _parts(n, step)])
    if sensor is not None:
        away = np.einsum("ni,ni->n", normals, sensor - points) < 0
        normals = np.where(away[:, None], -normals, normals)
    return normals


def _parts(n: int, step: int) -> list[slice]:
    """As many rows at a time as there is memory for."""
    return [slice(start, start + step) for start in range(0, n, step)]


def _least_spread(tree: Any, points: Array, part: slice, near: int) -> Array:
    """The directions in which the neighbours of some points spread least."""
    _, nearest = tree.query(points[part], k=near)
    around = points[nearest.reshape(-1, near)]
    around = around - around.mean(axis=1, keepdims=True)
    _, vectors = np.linalg.eigh(np.einsum("nki,nkj->nij", around, around))
    normals: Array = vectors[:, :, 0]
    return normals
