"""How far points are from the triangles of a mesh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from svgm import Mesh

Array = NDArray[np.float64]

#: Triangles tried for a point, by the nearness of their centres: those of marching cubes differ little in size.
TRIED = 16

CHUNK = 20_000


def to_mesh(points: Array, mesh: Mesh) -> Array:
    """Distance of each point to the mesh, (n,): the least of those to the triangles with the nearest centres."""
    corners = mesh.vertices[mesh.simplices]
    tree = cKDTree(corners.mean(axis=1))
    out = np.empty(len(points))
    for first in range(0, len(points), CHUNK):
        chunk = points[first : first + CHUNK]
        _, near = tree.query(chunk, k=min(TRIED, len(corners)))
        near = near.reshape(len(chunk), -1)
        squared = _squared(chunk[:, None], *(corners[near, k] for k in range(3)))
        out[first : first + CHUNK] = np.sqrt(squared.min(axis=1))
    return out


def _squared(p: Array, a: Array, b: Array, c: Array) -> Array:
    """Squared distance to a triangle: to its plane above the inside, otherwise to the nearest side."""
    normal = np.cross(b - a, c - a)
    area = np.maximum(_dot(normal, normal), 1e-300)
    of_c = _dot(np.cross(b - a, p - a), normal) / area
    of_b = _dot(np.cross(p - a, c - a), normal) / area
    above = (of_b >= 0) & (of_c >= 0) & (of_b + of_c <= 1)
    sides = np.minimum(np.minimum(_to_segment(p, a, b), _to_segment(p, b, c)), _to_segment(p, c, a))
    return np.where(above, _dot(p - a, normal) ** 2 / area, sides)


def _to_segment(p: Array, a: Array, b: Array) -> Array:
    along = b - a
    share = np.clip(_dot(p - a, along) / np.maximum(_dot(along, along), 1e-300), 0.0, 1.0)
    rest = p - a - share[..., None] * along
    return _dot(rest, rest)


def _dot(a: Array, b: Array) -> Array:
    return np.einsum("...i,...i->...", a, b)
