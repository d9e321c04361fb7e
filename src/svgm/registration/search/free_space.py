"""What a sensor has looked through is empty: a surface there contradicts it."""

from __future__ import annotations

import numpy as np

from svgm.checks.types import Array
from svgm.registration.tuning import TUNING


class FreeSpace:
    """Directions in which a sensor saw a surface, and how far it was.

    Parameters
    ----------
    viewpoint
        Where the sensor stood (d,).
    places
        What it saw (n, d), about one place a cell.
    cell
        Size of the cells.
    """

    def __init__(self, viewpoint: Array, places: Array, cell: float) -> None:
        self._viewpoint = viewpoint
        self._margin = TUNING.in_front * cell
        ranges = np.linalg.norm(places - viewpoint, axis=1)
        # Directions that see neighbouring cells of the surface, at a middling distance, are one.
        # A key has 21 bits for each coordinate: from so far away that cells are smaller, several of them are one.
        self._angle = max(1.5 * cell / float(np.median(ranges)), 2.0**-19)
        keys = self._keys(places, ranges)
        self._seen, first = np.unique(keys, return_inverse=True)
        self._ranges = np.full(len(self._seen), np.inf)
        np.minimum.at(self._ranges, first, ranges)

    def blocked(self, places: Array) -> float:
        """Share of the places (n, d) that stand where the sensor looked through.

        >>> wall = np.c_[np.full(41, 5.0), np.linspace(-2, 2, 41)]
        >>> free = FreeSpace(np.zeros(2), wall, 0.1)
        >>> free.blocked(np.array([[3.0, 0.0], [7.0, 0.0], [0.0, 3.0], [5.0, 1.0]]))  # before, behind, beside, on it
        0.25
        """
        ranges = np.linalg.norm(places - self._viewpoint, axis=1)
        keys = self._keys(places, ranges)
        at = np.minimum(np.searchsorted(self._seen, keys), len(self._seen) - 1)
        before = (self._seen[at] == keys) & (ranges < self._ranges[at] - self._margin)
        return float(before.mean())

    def _keys(self, places: Array, ranges: Array) -> np.ndarray:
        """A number for each direction: the cell of the unit sphere, in a grid through space."""
        directions = (places - self._viewpoint) / np.maximum(ranges, 1e-12)[:, None]
        cells = np.floor(directions / self._angle).astype(np.int64) + np.int64(1 << 20)
        keys: np.ndarray = cells[:, 0]
        for column in cells.T[1:]:
            keys = (keys << np.int64(21)) | column
        return keys
