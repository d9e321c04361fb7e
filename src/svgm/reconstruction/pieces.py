"""The connected pieces of a mesh, and its borders: small pieces are dropped, holes are closed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svgm.reconstruction.mesh import Mesh

Integers = NDArray[np.int64]

#: A piece whose measure (area or length) is a smaller share of the largest piece's is a stray.
LEAST_SHARE = 0.01


def without_strays(mesh: Mesh, least: float = LEAST_SHARE) -> Mesh:
    """The mesh without the pieces that measure less than this share of the largest one.

    >>> two = Mesh([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0], [5.0, 5.001]], [[0, 1], [2, 3]])
    >>> without_strays(two)
    Mesh(2 vertices, 1 segments in 2D, length 1)
    """
    piece = pieces(mesh)
    measures = np.bincount(piece, mesh.measures)
    return _of(mesh, mesh.simplices[(measures >= least * measures.max())[piece]])


def pieces(mesh: Mesh) -> Integers:
    """The number of the connected piece of every simplex, from 0: triangles that share an edge, lines a vertex."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count, d = mesh.simplices.shape
    sides = np.sort(np.vstack([np.delete(mesh.simplices, k, axis=1) for k in range(d)]), axis=1)
    _, side = np.unique(sides, axis=0, return_inverse=True)
    side, simplex = side.ravel() + count, np.tile(np.arange(count), d)
    nodes = int(side.max(initial=count)) + 1
    graph = coo_array((np.ones(len(side), np.int8), (simplex, side)), shape=(nodes, nodes))
    found = connected_components(graph, directed=False)[1][:count]
    numbers: Integers = np.unique(found, return_inverse=True)[1].astype(np.int64)
    return numbers


def without_holes(mesh: Mesh) -> Mesh:
    """The mesh with every border closed: in 3D by triangles around the middle of the border, in 2D by one segment.

    Where borders touch in a vertex, each loop that returns to it is closed by itself.

    >>> open_square = Mesh([[0, 0], [1, 0], [1, 1], [0, 1]], [[0, 1], [1, 2], [2, 3]])
    >>> without_holes(open_square).closed
    True
    """
    if mesh.dimension == 2:
        starts = np.setdiff1d(mesh.simplices[:, 0], mesh.simplices[:, 1])
        if not len(starts):
            return mesh
        following = dict(mesh.simplices.tolist())
        added = []
        for start in starts.tolist():
            end = start
            while end in following:
                end = following[end]
            added.append([end, start])
        return Mesh(mesh.vertices, np.vstack([mesh.simplices, added]), colours=mesh.colours)
    vertices, triangles = [mesh.vertices], [mesh.simplices]
    colours = None if mesh.colours is None else [mesh.colours]
    count = len(mesh.vertices)
    for loop in borders(mesh):
        around = np.array(loop)
        vertices.append(mesh.vertices[around].mean(axis=0)[None])
        if colours is not None and mesh.colours is not None:
            colours.append(mesh.colours[around].mean(axis=0)[None])
        # The border runs as its triangles do, so the new ones run against it.
        triangles.append(np.column_stack([np.roll(around, -1), around, np.full(len(around), count)]))
        count += 1
    joined = None if colours is None else np.vstack(colours)
    return Mesh(np.vstack(vertices), np.vstack(triangles), colours=joined)


def borders(mesh: Mesh) -> list[list[int]]:
    """The loops of edges that only one triangle has, each as vertices in the direction of their triangles."""
    edges = mesh.simplices[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    _, inverse, counts = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    open_edges = edges[counts[inverse.ravel()] == 1]
    following: dict[int, list[int]] = {}
    for start, end in open_edges.tolist():
        following.setdefault(start, []).append(end)
    loops = []
    for first in sorted(following):
        while following[first]:
            walk, place = [first], {first: 0}
            while following.get(walk[-1]):
                end = following[walk[-1]].pop()
                if end in place:  # a loop is complete; the walk goes on from where it began
                    loops.append(walk[place[end] :])
                    for vertex in walk[place[end] + 1 :]:
                        del place[vertex]
                    walk = walk[: place[end] + 1]
                else:
                    place[end] = len(walk)
                    walk.append(end)
    return [loop for loop in loops if len(loop) > 2]


def _of(mesh: Mesh, simplices: Integers) -> Mesh:
    """The mesh of some simplices, with the vertices that they use."""
    used, numbers = np.unique(simplices, return_inverse=True)
    colours = None if mesh.colours is None else mesh.colours[used]
    return Mesh(mesh.vertices[used], numbers.reshape(simplices.shape), colours=colours)
