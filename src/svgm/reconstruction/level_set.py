"""The zero set of a function as a mesh: marching cubes (in 2D, squares), block by block and only near given points."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svgm.checks.errors import InputError, not_installed
from svgm.checks.types import Array, Progress
from svgm.reconstruction.mesh import Mesh

#: Cells along a side of a block, by dimension: a few thousand nodes, so that the cost of one call is negligible.
BLOCK_SIDE = {2: 64, 3: 16}

#: Cells along a side of the whole grid, at most, so that the number of an edge fits into 64 bits.
MOST_CELLS = 1 << 20

#: Blocks within reach of a point, summed over the points, and vertices, at most: 1 GB and 4 GB.
MOST_BLOCKS, MOST_VERTICES = 1 << 25, 1 << 24

#: A vertex keeps this share of its edge as distance from both ends, so that no two vertices coincide at a node.
EDGE_MARGIN = 1e-3

Indices = NDArray[np.int64]
Field = Callable[[Array], Array]


def level_set(field: Field, places: Array, reach: float, cell: float, report: Progress) -> Mesh | None:
    """The zero set of a field, on a grid of which only blocks within reach of some points are evaluated.

    Parameters
    ----------
    field : callable, (n, d) to (n,)
        Positive inside, negative outside, NaN where it is unknown.  The mesh is open at cells with an unknown corner.
    places : ndarray, shape (n, d)
        Points in 2D or 3D.  Farther than `reach` from all of them the field is never zero.
    reach : float
        A distance, in the unit of the points.
    cell : float
        Side of a grid cell, in the unit of the points.
    report : callable
        Called as ``report("meshing", done, total)``, which counts blocks.

    Returns
    -------
    Mesh or None
        None if the field is zero nowhere.  Blocks that share an edge of the grid share the vertex on it, so the mesh
        has no seams.

    Raises
    ------
    InputError
        If the cell is so small that the grid or the mesh is too large, or if scikit-image is not installed.
    """
    measure()
    extract = _contours if places.shape[1] == 2 else _triangles
    reach += cell  # the zero may lie at the far end of an edge
    origin = places.min(axis=0) - reach
    blocks = _blocks(places - origin, reach, cell)
    keys, positions, simplices = [], [], []
    count = 0
    for done, block in enumerate(blocks):
        first = block * BLOCK_SIDE[len(block)]
        values = _sampled(lambda nodes: field(nodes + origin), first, cell)
        for vertices, corners in extract(values):
            key, position = _on_edges(values, vertices, corners)
            keys.append(_numbers(first, key))
            positions.append((first + position) * cell)
            simplices.append(corners + count)
            count += len(key)
        if count > MOST_VERTICES:
            raise InputError(
                f"cell must be larger, so that a mesh has at most {MOST_VERTICES:,} vertices, got {cell:g}"
            )
        report("meshing", done + 1, len(blocks))
    if not count:
        return None
    # Blocks that share an edge of the grid found the same vertex on it.
    _, kept, names = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
    return Mesh(origin + np.concatenate(positions)[kept], names[np.concatenate(simplices)])


def _blocks(places: Array, reach: float, cell: float) -> Indices:
    """Sorted grid indices (n, d) of the blocks within reach of a point."""
    d = places.shape[1]
    width = BLOCK_SIDE[d] * cell
    extent = places.max() + reach
    if not extent <= MOST_CELLS * cell:
        raise InputError(f"cell must leave at most {MOST_CELLS:,} cells along an axis, got {cell:g} for {extent:g}")
    low, high = (np.floor((places + side * reach) / width).astype(np.int64) for side in (-1, 1))
    ranges = np.unique(np.hstack([low, high]), axis=0)
    low, high = ranges[:, :d], ranges[:, d:]
    spans = (high - low).max(axis=0) + 1
    if spans.astype(np.float64).prod() * len(ranges) > MOST_BLOCKS:
        raise InputError(f"cell must be larger, so that a grid has at most {MOST_BLOCKS:,} blocks, got {cell:g}")
    steps = product(*map(range, spans.tolist()))
    near = [low[(low + step <= high).all(axis=1)] + step for step in steps]
    return np.unique(np.vstack(near), axis=0)


def _sampled(field: Field, first: Indices, cell: float) -> Array:
    """The field at the nodes of a block; neighbouring blocks share the nodes on their border."""
    side = BLOCK_SIDE[len(first)] + 1
    axes = [start + np.arange(side) for start in first]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(first)) * cell
    return field(nodes).reshape((side,) * len(first))


def _squashed(values: Array) -> Array:
    """A function of the same sign with absolute values in [½, 1], and -1 where the field is unknown.

    Its zeros are in the middle third of every edge, so the position of a vertex determines its edge.
    """
    size = np.abs(values)
    squashed = np.where(values >= 0, 1.0, -1.0) * (0.5 + 0.5 * size / (1.0 + size))
    return np.where(np.isnan(values), -1.0, squashed)


def _triangles(values: Array) -> Iterator[tuple[Array, Indices]]:
    """Vertices (n, 3) in units of cells, and triangles (m, 3), counterclockwise seen from outside."""
    known = ~np.isnan(values)
    inside = values[known] >= 0
    if not inside.any() or inside.all():
        return
    whole = np.ones(tuple(side - 1 for side in values.shape), dtype=bool)
    for corner in product((slice(None, -1), slice(1, None)), repeat=3):
        whole &= known[corner]
    # scikit-image reads the mask of a cell at its last corner.
    mask = np.pad(whole, ((1, 0),) * 3)
    try:
        vertices, triangles, _, _ = measure().marching_cubes(
            _squashed(values), 0.0, mask=mask, gradient_direction="ascent"
        )
    except (ValueError, RuntimeError):  # no known cell crosses zero
        return
    yield vertices.astype(np.float64), triangles.astype(np.int64)


def _contours(values: Array) -> Iterator[tuple[Array, Indices]]:
    """Vertices (n, 2) in units of cells, and segments (m, 2) with the inside on their left."""
    for line in measure().find_contours(_squashed(values), 0.0, mask=~np.isnan(values), positive_orientation="high"):
        yield line, np.stack([np.arange(len(line) - 1), np.arange(1, len(line))], axis=1)


def _on_edges(values: Array, vertices: Array, simplices: Indices) -> tuple[Indices, Array]:
    """The edge of the grid on which each vertex lies, as node and axis (n, d+1), and the zero of the field on it.

    The positions are computed from the field itself, in double precision.  Marching cubes puts some vertices inside a
    cell, to resolve ambiguous cells.  Such a vertex gets the axis d and the mean position of its neighbours.
    """
    n, d = vertices.shape
    row = np.arange(n)
    between = np.abs(vertices - np.rint(vertices)) > 0.2
    inner = between.sum(axis=1) > 1
    axis = np.argmax(between, axis=1)
    node = np.where(between, np.floor(vertices), np.rint(vertices)).astype(np.int64)
    other = node.copy()
    other[row, axis] += 1
    begin, end = values[tuple(node.T)], values[tuple(other.T)]
    share = np.clip(begin / np.where(inner, 1.0, begin - end), EDGE_MARGIN, 1.0 - EDGE_MARGIN)
    position = node.astype(np.float64)
    position[row, axis] += share
    if inner.any():
        sums, counts = np.zeros((n, d)), np.zeros(n)
        for a, b in product(range(simplices.shape[1]), repeat=2):
            use = inner[simplices[:, a]] & ~inner[simplices[:, b]]
            np.add.at(sums, simplices[use, a], position[simplices[use, b]])
            np.add.at(counts, simplices[use, a], 1.0)
        position[inner] = sums[inner] / counts[inner, None]
    return np.c_[node, np.where(inner, d, axis)], position


def _numbers(first: Indices, key: Indices) -> Indices:
    """A number of 64 bits that identifies each edge of the whole grid."""
    number = key[:, -1]
    for column in (key[:, :-1] + first).T:
        number = (number << 20) | column
    return number


def measure() -> Any:
    """The contour module of scikit-image; InputError if it is not installed.  Commands call it before they compute."""
    try:
        return importlib.import_module("skimage.measure")
    except ImportError:
        raise InputError(not_installed("surfaces need scikit-image", "mesh")) from None
