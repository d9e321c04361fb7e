"""What a sensor has looked through is empty: a surface there contradicts it."""

from __future__ import annotations

import numpy as np

from svgm import _core
from svgm.checks.types import Array
from svgm.registration.search.viewpoint import Viewpoint
from svgm.registration.tuning import TUNING


class FreeSpace:
    """The space along a sensor's lines of sight.

    Parameters
    ----------
    viewpoint
        Where the sensor stood.
    places
        What it saw (n, d), about one place a cell.
    cell
        Size of the cells.

    Attributes
    ----------
    behind
        Which of the sensor's own places stand behind others, (n,).
    hidden
        Their share.  A sensor cannot see those, so this is how often the lines of sight are wrong: because of noise,
        steep surfaces, or a viewpoint from which the set was not seen.
    """

    def __init__(self, viewpoint: Viewpoint, places: Array, cell: float) -> None:
        self._lines = _core.LinesOfSight(viewpoint.place, places, cell)
        self._side_known = viewpoint.side_known
        self._margin = TUNING.in_front * cell
        self.behind = self._lines.hidden(self._margin) > 0.0
        self.hidden = float(self.behind.mean())

    def blocked(self, places: Array, poses: Array, *, margin: float = 0.0, threads: int = 1) -> Array:
        """Shares of the places (n, d), moved by each of the poses (B, d+1, d+1), that contradict the sensor: (B, 2).

        The first is the share that stands where the sensor looked through, if it stood at the viewpoint, the second if
        it stood on the opposite side: infinite if it did not.  A place is in front of what was seen if it is nearer by
        more than `TUNING.in_front` cells, and by more than `margin`.

        >>> wall = np.c_[np.full(41, 5.0), np.linspace(-2, 2, 41)]
        >>> free = FreeSpace(Viewpoint(np.zeros(2), side_known=True), wall, 0.1)
        >>> places = np.array([[3.0, 0.0], [7.0, 0.0], [0.0, 3.0], [5.0, 1.0]])  # before, behind, beside, on it
        >>> free.blocked(places, np.eye(3)[None]).tolist()
        [[0.25, inf]]
        """
        shares = self._lines.contradicted(places, poses, max(self._margin, margin), threads)
        if self._side_known:
            shares[:, 1] = np.inf
        return shares

    def doubt(self, places: Array, poses: Array, *, margin: float = 0.0, threads: int = 1) -> Array:
        """How much the sensor speaks against each of the poses, (B, 2) as in :meth:`blocked`: 0 not at all, 1 clearly.

        The unit is what may well be blocked at a right pose: `TUNING.blocked_share`, and as much as the set hides of
        itself.  So a set that was not seen from the viewpoint says little.
        """
        shares = self.blocked(places, poses, margin=margin, threads=threads)
        return shares / (TUNING.blocked_share + self.hidden)
