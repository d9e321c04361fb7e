"""The scans as one cloud in the world, thinned as they come: memory grows with the cells, not with the points."""

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

#: Places inside a cell are counted in this fraction of its side, so that their sums are whole numbers: exact, and
#: the same in any order.  2³¹ points fit into one cell.
_STEPS = 2**31

#: Rows that wait to be summed at once; more of them are worth it as the cloud grows.
_WAITING = 500_000

#: Cells that may lie outside the range of the others: strays, not a map.
_FAR = 100_000


def aligned_cloud(scans: Iterable[tuple[int, ArrayLike]], poses: ArrayLike, cell: float) -> Array:
    """Move scans into the world and keep one point, the mean, of each cell of a grid.

    Parameters
    ----------
    scans
        Of (number of the scan, points (n, d)), read one at a time; d is 2 or 3.  A scan may come in pieces, in any
        order: the answer is the same bit for bit.
    poses
        (scans, d+1, d+1), world from scan.  Scans whose pose is NaN were left out and are passed over.
    cell
        Side of a cell, in the points' unit.  The grid lies along the world's axes, with a corner at its origin.

    Returns
    -------
    (m, d) points, one a cell with points in it, in the order of the cells.  They are exact to 1e-9 of a cell.

    Notes
    -----
    No more is held than one scan and sums for about twice the occupied cells.

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
        # A large scan goes in pieces: the temporaries of a piece, not of the scan, add to the memory.
        for start in range(0, len(rows), _WAITING):
            with np.errstate(over="ignore"):  # `add` refuses what is beyond all cells
                moved = apply(T, rows[start : start + _WAITING]) / cell
            cells.add(moved)
    return cells.means() * cell


def _empty(points: Any, name: str) -> bool:
    """Whether a scan is an array or list without numbers."""
    return bool(attribute(as_floats(points, name) if isinstance(points, list | tuple) else points, "size") == 0)


class _Cells:
    """Sums of the points in each occupied cell of the unit grid."""

    def __init__(self, dimension: int) -> None:
        # One whole number names a cell: 63 bits shared among the axes, counted from the first points' cell.
        self.bits = 63 // dimension
        self.base: Integers | None = None
        self.keys: Integers = np.empty(0, dtype=np.int64)
        self.sums: Integers = np.empty((0, dimension + 1), dtype=np.int64)
        self.waiting: list[tuple[Integers, Integers]] = []
        self.far: dict[tuple[int, ...], Integers] = {}

    def add(self, points: Array) -> None:
        corner = np.floor(points)
        if np.abs(corner).max() > 2.0**52:
            raise InputError("cell must be large enough that neighbouring cells have different coordinates, got less")
        indices = corner.astype(np.int64)
        if self.base is None:  # the median: the first point may be a stray
            self.base = np.median(indices, axis=0).astype(np.int64) - (1 << (self.bits - 1))
        inside = np.rint((points - corner) * _STEPS).astype(np.int64)
        rows = np.column_stack([inside, np.ones(len(inside), dtype=np.int64)])
        shifted = indices - self.base
        far = (shifted >> self.bits != 0).any(axis=1)  # below the range the sign remains
        if far.any():
            self.add_far(indices[far], rows[far])
            shifted, rows = shifted[~far], rows[~far]
        keys = shifted[:, 0]
        for column in shifted.T[1:]:
            keys = (keys << self.bits) | column
        self.waiting.append(_summed(keys, rows))
        if sum(len(keys) for keys, _ in self.waiting) > max(_WAITING, len(self.keys)):
            self.settle()

    def add_far(self, indices: Integers, rows: Integers) -> None:
        """Cells whose names do not fit into a whole number, one by one."""
        cells, members = np.unique(indices, axis=0, return_inverse=True)
        if len(self.far) + len(cells) > _FAR:
            raise InputError(f"cell must be at least 1e-6 of the map's size: more than 2^{self.bits} cells in a row")
        sums = np.zeros((len(cells), rows.shape[1]), dtype=np.int64)
        np.add.at(sums, members.ravel(), rows)
        for cell, added in zip(map(tuple, cells.tolist()), sums, strict=True):
            self.far[cell] = self.far[cell] + added if cell in self.far else added

    def settle(self) -> None:
        """Add what waits to the sums; done when it has grown as long as they are, so each row is moved few times."""
        keys, sums = zip((self.keys, self.sums), *self.waiting, strict=True)
        self.keys, self.sums = _summed(np.concatenate(keys), np.concatenate(sums))
        self.waiting = []

    def means(self) -> Array:
        self.settle()
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
