"""The unit sphere as triangles: ellipsoids are scaled copies of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svgm.geometry.points import Array


def sphere_mesh(rounds: int) -> tuple[Array, NDArray[np.intp]]:
    """Vertices on the unit sphere, and faces: an octahedron whose faces are split into four, `rounds` times.

    Seen from outside, the corners of a face are counter-clockwise.

    >>> vertices, faces = sphere_mesh(2)
    >>> vertices.shape, faces.shape
    ((66, 3), (128, 3))
    """
    vertices = np.vstack([np.eye(3), -np.eye(3)])
    faces = np.array([[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]])
    for _ in range(rounds):
        edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        pairs, middle = np.unique(edges, axis=0, return_inverse=True)
        between = vertices[pairs].sum(axis=1)
        a, b, c = faces.T
        ab, bc, ca = (len(vertices) + middle.reshape(-1, 3)).T
        corners = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = np.vstack([np.column_stack(corner) for corner in corners])
        vertices = np.vstack([vertices, between / np.linalg.norm(between, axis=1, keepdims=True)])
    return vertices, faces
