"""Beams of a laser scan on a grid: in which cells they end, and through which they go."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from svgm.checks.types import Array

Integers = NDArray[np.int64]

#: Cells that are computed in one go.
_BATCH_CELLS = 1 << 21


def count_beams(sensor: Array, ends: Array, hits: NDArray[np.int32], passes: NDArray[np.int32]) -> None:
    """Add the beams of one scan to the counts of cells, in place.

    Parameters
    ----------
    sensor : ndarray, shape (2,)
        Where all beams begin.  Coordinates are in cells: column and row are their whole parts.
    ends : ndarray, shape (n, 2)
        Where the beams end.
    hits, passes : ndarray, shape (rows, columns)
        Scans with a beam that ends in a cell; scans with beams that only go through it.

    Examples
    --------
    >>> hits, passes = np.zeros((2, 2, 4), dtype=np.int32)
    >>> count_beams(np.array([0.5, 0.5]), np.array([[3.5, 0.5], [2.5, 1.5]]), hits, passes)
    >>> hits.tolist(), passes.tolist()
    ([[0, 0, 0, 1], [0, 0, 1, 0]], [[1, 1, 1, 0], [0, 1, 0, 0]])
    """
    corners = np.vstack([sensor[None], ends])
    left, bottom = np.floor(corners.min(axis=0)).astype(np.int64)
    right, top = np.floor(corners.max(axis=0)).astype(np.int64) + 1
    # 1 in a cell that a beam passes, 2 in one where a beam ends; only the part of the grid that the scan reaches.
    seen = np.zeros((top - bottom, right - left), dtype=np.uint8)
    for columns, rows in _cells_on_beams(sensor, ends):
        seen[rows - bottom, columns - left] = 1
    last = np.floor(ends).astype(np.int64)
    seen[last[:, 1] - bottom, last[:, 0] - left] = 2
    hits[bottom:top, left:right] += seen == 2
    passes[bottom:top, left:right] += seen == 1


def _cells_on_beams(sensor: Array, ends: Array) -> Iterator[tuple[Integers, Integers]]:
    """Columns and rows of all cells that the segments from the sensor to the ends go through.

    A cell may come more than once.  A beam enters each cell after the first one through a vertical line of the grid
    (axis 0) or through a horizontal one (axis 1), so the crossings with the lines name all cells.
    """
    first, last = np.floor(sensor).astype(np.int64), np.floor(ends).astype(np.int64)
    yield first[:1], first[1:]
    for axis in (0, 1):
        other = 1 - axis
        steps = np.abs(last[:, axis] - first[axis])
        totals = np.cumsum(steps)
        begin = 0
        while begin < len(ends):
            before = totals[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(totals, before + _BATCH_CELLS, side="right")))
            beam = np.repeat(np.arange(begin, end), steps[begin:end])
            forward = last[beam, axis] > first[axis]
            rank = np.arange(len(beam)) - np.repeat(totals[begin:end] - steps[begin:end] - before, steps[begin:end])
            # The line that is crossed, and the cell behind the line.
            line = np.where(forward, first[axis] + 1 + rank, first[axis] - rank)
            share = (line - sensor[axis]) / (ends[beam, axis] - sensor[axis])
            across = np.floor(sensor[other] + share * (ends[beam, other] - sensor[other])).astype(np.int64)
            # Rounding must not lead out of the rectangle between the sensor and the end.
            lowest, highest = np.minimum(first[other], last[beam, other]), np.maximum(first[other], last[beam, other])
            found = np.where(forward, line, line - 1), np.clip(across, lowest, highest)
            yield (found[0], found[1]) if axis == 0 else (found[1], found[0])
            begin = end
