"""Where a function of space is zero: marching cubes (in 2D, squares) block by block, near given places only."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svgm.checks.errors import InputError, not_installed
from svgm.checks.types import Progress
from svgm.geometry.points import Array
from svgm.reconstruction.mesh import Mesh

#: Cells along a side of a block, by dimension: some thousand nodes, which the cost of a call does not show in.
SIDE = {2: 64, 3: 16}

#: Cells along a side of the whole grid, so that an edge of it has a number of 64 bits.
MOST_CELLS = 1 << 20

#: Blocks within reach of a place, counted for each place, and vertices, at most: 1 GB and 4 GB.
MOST_BLOCKS, MOST_VERTICES = 1 << 25, 1 << 24

#: A vertex stays this share of an edge away from its ends, so that no two vertices fall on one node.
APART = 1e-3

Indices = NDArray[np.int64]
Field = Callable[[Array], Array]


def level_set(field: Field, places: Array, reach: float, cell: float, report: Progress) -> Mesh | None:
    """The zero set of a field, on a grid of which only blocks within reach of some places are looked at.

    Parameters
    ----------
    field
        (n, d) to (n,): positive inside, negative outside, NaN where it is not known.  Cells with a corner that is not
        known are left open.
    places
        (n, d), d 2 or 3: beyond `reach` of all of them the field is never zero.
    cell
        Side of a grid cell.
    report
        Called as ``report("meshing", done, total)``, which counts blocks.

    Returns
    -------
    Mesh or None
        None if the field is zero nowhere.  Each edge of the grid has one vertex, whichever blocks share the edge, so
        there are no seams.
    """
    measure()
    extract = _contours if places.shape[1] == 2 else _triangles
    reach += cell  # the other end of an edge on which the field is zero
    origin = places.min(axis=0) - reach
    blocks = _blocks(places - origin, reach, cell)
    keys, positions, simplices = [], [], []
    count = 0
    for done, block in enumerate(blocks):
        first = block * SIDE[len(block)]
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
    # Blocks that share an edge of the grid have found the same vertex on it.
    _, kept, names = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
    return Mesh(origin + np.concatenate(positions)[kept], names[np.concatenate(simplices)])


def _blocks(places: Array, reach: float, cell: float) -> Indices:
    """Lattice indices of the blocks that hold a place or are within reach of one, in order: (n, d)."""
    d = places.shape[1]
    width = SIDE[d] * cell
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
    """The field at the nodes of a block; its last nodes are the first ones of the next block."""
    side = SIDE[len(first)] + 1
    axes = [start + np.arange(side) for start in first]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(first)) * cell
    return field(nodes).reshape((side,) * len(first))


def _squashed(values: Array) -> Array:
    """A function of the same sign with sizes in [½, 1], and -1 where nothing is known.

    It crosses zero in the middle third of every edge, so that a vertex tells which edge it is on.
    """
    size = np.abs(values)
    squashed = np.where(values >= 0, 1.0, -1.0) * (0.5 + 0.5 * size / (1.0 + size))
    return np.where(np.isnan(values), -1.0, squashed)


def _triangles(values: Array) -> Iterator[tuple[Array, Indices]]:
    """Vertices (n, 3) in units of cells and triangles (m, 3), counterclockwise from outside."""
    known = ~np.isnan(values)
    inside = values[known] >= 0
    if not inside.any() or inside.all():
        return
    whole = np.ones(tuple(side - 1 for side in values.shape), dtype=bool)
    for corner in product((slice(None, -1), slice(1, None)), repeat=3):
        whole &= known[corner]
    # The mask of a cell stands at its last corner.
    mask = np.pad(whole, ((1, 0),) * 3)
    try:
        vertices, triangles, _, _ = measure().marching_cubes(
            _squashed(values), 0.0, mask=mask, gradient_direction="ascent"
        )
    except (ValueError, RuntimeError):  # no cell that is known crosses zero
        return
    yield vertices.astype(np.float64), triangles.astype(np.int64)


def _contours(values: Array) -> Iterator[tuple[Array, Indices]]:
    """Vertices (n, 2) in units of cells and segments (m, 2), the inside on their left."""
    for line in measure().find_contours(_squashed(values), 0.0, mask=~np.isnan(values), positive_orientation="high"):
        yield line, np.stack([np.arange(len(line) - 1), np.arange(1, len(line))], axis=1)


def _on_edges(values: Array, vertices: Array, simplices: Indices) -> tuple[Indices, Array]:
    """Which edge of the grid each vertex is on, as node and axis (n, d+1), and where the field is zero there.

    The positions come from the field itself, in double precision.  A vertex that marching cubes puts inside a cell, to
    tell apart what a cell can do, gets the axis d and goes to the mean of its neighbours.
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
    share = np.clip(begin / np.where(inner, 1.0, begin - end), APART, 1.0 - APART)
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
    """One number of 64 bits for every edge of the whole grid."""
    number = key[:, -1]
    for column in (key[:, :-1] + first).T:
        number = (number << 20) | column
    return number


def measure() -> Any:
    """scikit-image's module of contours, or one clear error; commands call it before they compute."""
    try:
        return importlib.import_module("skimage.measure")
    except ImportError:
        raise InputError(not_installed("surfaces need scikit-image", "mesh")) from None
