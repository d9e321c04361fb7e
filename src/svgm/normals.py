"""Surface normals: the direction in which a point's neighbours spread least."""

from __future__ import annotations

import numpy as np

from svgm.points import Array


def estimate_normals(points: Array, neighbours: int = 12, viewpoint: Array | None = None) -> Array:
    """Unit normals (n, d) from the covariance of each point's nearest neighbours.

    Turned towards the viewpoint if one is given; otherwise their sign means nothing.

    >>> x, y = np.meshgrid(np.arange(5.0), np.arange(5.0))
    >>> plane = np.c_[x.ravel(), y.ravel(), 0 * x.ravel()]
    >>> np.abs(estimate_normals(plane, 8)[0]).round(6).tolist()
    [0.0, 0.0, 1.0]
    """
    from scipy.spatial import cKDTree

    count = min(neighbours + 1, len(points))
    _, nearest = cKDTree(points).query(points, k=count)
    around = points[nearest.reshape(len(points), count)]
    around = around - around.mean(axis=1, keepdims=True)
    _, vectors = np.linalg.eigh(np.einsum("nki,nkj->nij", around, around))
    normals: Array = vectors[:, :, 0]
    if viewpoint is not None:
        away = np.einsum("ni,ni->n", normals, viewpoint - points) < 0
        normals = np.where(away[:, None], -normals, normals)
    return normals
