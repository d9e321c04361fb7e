"""Where the sensors of aligned scans stood, if nobody has said it: from what each scan hides of itself and others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svgm.checks.types import Array
from svgm.geometry.thinning import thin
from svgm.registration.search.free_space import FreeSpace
from svgm.registration.search.viewpoint import estimate_viewpoint

#: The origin of a scan's own coordinates is taken for its sensor if the points lie all around it, and if every far
#: place hides more of the scan than a right one does. They lie around it if the mean of the unit vectors to them is
#: shorter than that of half a circle or half a sphere: dragon scans moved anywhere 0.8 to 0.96, outdoor 0.26 to 0.41.
HALF = {2: 2.0 / np.pi, 3: 0.5}

#: Share of a scan that a right far place hides, at most: 0.02 to 0.05 of dragon scans and generated bodies. The best
#: far place hides 0.17 to 0.43 of outdoor scans and of rooms, whose sensor stood in the middle.
MOST_HIDDEN = 0.1

#: Places of a scan, at most about, for the lines of sight.
MOST_PLACES = 4000


def sensor_places(
    scans: Sequence[Array], poses: Sequence[Array], given: Sequence[Array | None], cell: float, threads: int
) -> list[Array]:
    """The position of every scan's sensor in the scan's own coordinates.

    A place that is given is kept. Else it is the far place from which the scan hides least of itself, on the side from
    which the sensor looks through fewer points of the other scans; or the origin, if the points lie all around it and
    every far place hides much.

    Parameters
    ----------
    scans : sequence of ndarray, shape (n, d)
        The points.
    poses : sequence of ndarray, shape (d+1, d+1)
        World from scan.
    given : sequence of ndarray or None
        The known places, in the scans' coordinates.
    cell : float
        Spacing of the points, about.
    threads : int
        Threads to use.

    Returns
    -------
    list of ndarray, shape (d,)
        The places.
    """
    if all(place is not None for place in given):
        return [place for place in given if place is not None]
    thinned = [_thinned(scan, cell) for scan in scans]
    found = []
    for number, place in enumerate(given):
        places, size = thinned[number]
        if place is None:
            place = _estimated(number, places, size, [each for each, _ in thinned], poses, threads)
        found.append(place)
    return found


def _estimated(
    number: int, places: Array, cell: float, scans: Sequence[Array], poses: Sequence[Array], threads: int
) -> Array:
    ranges = np.linalg.norm(places, axis=1)
    if not np.ptp(places, axis=0).any():  # one place tells nothing
        return np.zeros(places.shape[1])
    directions = places[ranges > 0] / ranges[ranges > 0, None]
    far = estimate_viewpoint(places, cell, threads)
    space = FreeSpace(far, places, cell)
    if space.hidden > MOST_HIDDEN and np.linalg.norm(directions.mean(axis=0)) < HALF[places.shape[1]]:
        return np.zeros(places.shape[1])
    into = np.linalg.inv(poses[number])
    against = np.zeros(2)
    for other, scan in enumerate(scans):
        if other != number:
            against += space.blocked(scan, (into @ poses[other])[None], threads=threads)[0] * len(scan)
    middle = places.mean(axis=0)
    if against[0] == against[1]:  # no other scan tells: a thing bulges towards who sees it
        direction = (far.place - middle) / np.linalg.norm(far.place - middle)
        height = (places - middle) @ direction
        across = np.linalg.norm((places - middle) - height[:, None] * direction, axis=1)
        against[0] = -np.median(height[across <= np.median(across)]) + np.median(height[across >= np.median(across)])
        against[1] = -against[0]
    return far.place if against[0] <= against[1] else 2.0 * middle - far.place


def _thinned(scan: Array, cell: float) -> tuple[Array, float]:
    """A scan with at most about so many places as lines of sight need, and the size of its cells."""
    size = cell
    places, _ = thin(scan, np.ones(len(scan)), size)
    while len(places) > MOST_PLACES:
        size *= 1.25
        places, _ = thin(scan, np.ones(len(scan)), size)
    return np.ascontiguousarray(places), size
