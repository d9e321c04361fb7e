"""All scans as one thinned cloud in the world; memory grows with the number of cells, not of points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.checks.arguments import as_floats, attribute, count, items, iterable, positive
from svgm.checks.errors import InputError
from svgm.geometry.points import Array, as_numbers, as_points
from svgm.rigid import apply, as_pose

Integers = NDArray[np.int64]

#: Places inside a cell are whole multiples of its side divided by this.  So sums are whole numbers: they are exact and
#: do not depend on the order.  A cell can hold 2³¹ points.
_STEPS = 2**31

#: Rows that are collected before they are summed, at least; as many as there are cells, if these are more.
_BATCH_ROWS = 500_000

#: Cells outside the range of the keys, at most; more of them mean that the cell is too small for the map.
_MOST_FAR_CELLS = 100_000


def aligned_cloud(scans: Iterable[tuple[int, ArrayLike]], poses: ArrayLike, cell: float) -> Array:
    """Move scans into the world and keep one point, the mean, of each cell of a grid.

    Parameters
    ----------
    scans : iterable of (int, array_like of shape (n, d))
        Number and points of each scan, read one at a time; d is 2 or 3.  A scan may come in several parts, in any
        order: the result is the same bit for bit.
    poses : array_like of shape (scans, d+1, d+1)
        Poses, world from scan.  Scans whose pose is NaN are skipped.
    cell : float
        Side of a cell, positive, in the points' unit.  The grid lies along the world's axes, with a corner at the
        origin.

    Returns
    -------
    ndarray of shape (m, d)
        One point for each cell that holds points, in the order of the cells, exact to 1e-9 of a cell.

    Raises
    ------
    InputError
        If an argument breaks its rule, if no scan has points and a pose, or if `cell` is too small for the map.

    Notes
    -----
    Memory holds one scan, and sums for about twice the occupied cells.

    Examples
    --------
    >>> scans = [(0, [[0.1, 0.1], [0.3, 0.1]]), (1, [[0.2, 0.4], [5.0, 0.5]])]
    >>> aligned_cloud(scans, np.stack([np.eye(3), np.eye(3)]), 1.0).round(6).tolist()
    [[0.2, 0.2], [5.0, 0.5]]
    """
    cell = positive("cell", cell)
    world = as_numbers(poses, "poses")
    if world.ndim != 3 or world.shape[1:] not in ((3, 3), (4, 4)):
        raise InputError(f"poses must have shape (n, 3, 3) or (n, 4, 4), got shape {world.shape}")
    d = world.shape[1] - 1
    cells = _Cells(d)
    for place, scan in enumerate(iterable("scans", scans)):
        number, points = items(f"scans[{place}]", scan, 2)
        number = count(f"the number of scans[{place}]", number, least=0)
        if number >= len(world):
            raise InputError(f"scans must have numbers of the {len(world)} poses, got {number}")
        if np.isnan(world[number, :d]).all() or _empty(points, f"scan {number}"):
            continue
        T, rows = as_pose(world[number], d, f"poses[{number}]"), as_points(points, f"scan {number}")
        if rows.shape[1] != d:
            raise InputError(f"scan {number} must have {d} coordinates, as its pose, got {rows.shape[1]}")
        # Rows are moved in batches, so that temporary arrays stay small.
        for start in range(0, len(rows), _BATCH_ROWS):
            with np.errstate(over="ignore"):  # `add` checks for values beyond all cells
                moved = apply(T, rows[start : start + _BATCH_ROWS]) / cell
            cells.add(moved)
    return cells.means() * cell


def _empty(points: Any, name: str) -> bool:
    """Whether a scan is an empty array or list."""
    return bool(attribute(as_floats(points, name) if isinstance(points, list | tuple) else points, "size") == 0)


class _Cells:
    """Sums of the points in each occupied cell of the unit grid."""

    def __init__(self, dimension: int) -> None:
        # The key of a cell is one whole number: 63 bits shared among the axes, counted from the first points' cell.
        self.bits = 63 // dimension
        self.base: Integers | None = None
        self.keys: Integers = np.empty(0, dtype=np.int64)
        self.sums: Integers = np.empty((0, dimension + 1), dtype=np.int64)
        self.pending: list[tuple[Integers, Integers]] = []
        self.far: dict[tuple[int, ...], Integers] = {}

    def add(self, points: Array) -> None:
        corner = np.floor(points)
        if np.abs(corner).max() > 2.0**52:
            raise InputError("cell must be large enough that neighbouring cells have different coordinates, got less")
        indices = corner.astype(np.int64)
        if self.base is None:  # the median, because the first point may be a stray
            self.base = np.median(indices, axis=0).astype(np.int64) - (1 << (self.bits - 1))
        inside = np.rint((points - corner) * _STEPS).astype(np.int64)
        rows = np.column_stack([inside, np.ones(len(inside), dtype=np.int64)])
        shifted = indices - self.base
        far = (shifted >> self.bits != 0).any(axis=1)  # negative numbers stay negative
        if far.any():
            self.add_far(indices[far], rows[far])
            shifted, rows = shifted[~far], rows[~far]
        keys = shifted[:, 0]
        for column in shifted.T[1:]:
            keys = (keys << self.bits) | column
        self.pending.append(_summed(keys, rows))
        if sum(len(keys) for keys, _ in self.pending) > max(_BATCH_ROWS, len(self.keys)):
            self.flush()

    def add_far(self, indices: Integers, rows: Integers) -> None:
        """Cells whose keys do not fit into a whole number, one by one."""
        cells, members = np.unique(indices, axis=0, return_inverse=True)
        if len(self.far) + len(cells) > _MOST_FAR_CELLS:
            raise InputError(f"cell must be at least 1e-6 of the map's size: more than 2^{self.bits} cells in a row")
        sums = np.zeros((len(cells), rows.shape[1]), dtype=np.int64)
        np.add.at(sums, members.ravel(), rows)
        for cell, added in zip(map(tuple, cells.tolist()), sums, strict=True):
            self.far[cell] = self.far[cell] + added if cell in self.far else added

    def flush(self) -> None:
        """Add pending rows to the sums; called when both are equally many, so that each row is moved few times."""
        keys, sums = zip((self.keys, self.sums), *self.pending, strict=True)
        self.keys, self.sums = _summed(np.concatenate(keys), np.concatenate(sums))
        self.pending = []

    def means(self) -> Array:
        self.flush()
        if self.base is None:
            raise InputError("scans must hold at least one point of a scan with a pose, got none")
        mask = (1 << self.bits) - 1
        d = self.sums.shape[1] - 1
        corner = np.column_stack([(self.keys >> (self.bits * (d - 1 - k))) & mask for k in range(d)]) + self.base
        sums = self.sums
        if self.far:
            corner = np.concatenate([corner, np.array(list(self.far), dtype=np.int64)])
            sums = np.concatenate([sums, np.stack(list(self.far.values()))])
            order = np.lexsort(corner.T[::-1])
            corner, sums = corner[order], sums[order]
        return np.asarray(corner + sums[:, :d] / (sums[:, d:] * float(_STEPS)), dtype=np.float64)


def _summed(keys: Integers, rows: Integers) -> tuple[Integers, Integers]:
    """The keys that occur, ascending, and the sum of the rows of each."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    if not len(keys):
        return keys, rows
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return keys[first], np.add.reduceat(rows[order], first, axis=0)
