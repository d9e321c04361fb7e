"""Stray points: a few that lie so far from all others that they belong to no surface of the set."""

from __future__ import annotations

import numpy as np

from svgm.geometry.points import Array

#: Strays begin where the distance from the middle grows by this factor from one point to the next, and at its square
#: times the distance of the nearest three quarters of the points.  Far returns of real laser scans, through doors and
#: down corridors, reach 4.9 and 45 (lab notes).
FARTHER = 10.0

#: Strays are less than this share of the points: more of them are part of what was measured.
MOST = 0.25

#: The middle is the median of so many points, drawn at random.
SAMPLE = 1000


def without_strays(points: Array) -> Array:
    """The points that are no strays: the same array if none is.

    Distances are those from the middle (the median along each axis), along the axis where they are largest.  From the
    middle outwards, strays begin at the first gap over which the distance grows by the factor `FARTHER`, or at the
    square of that factor times the distance within which all but the share `MOST` of the points lie.  At most that
    share of the points can be strays.

    >>> scan = np.c_[np.linspace(0, 1, 50), np.zeros(50)]
    >>> without_strays(scan) is scan
    True
    >>> len(without_strays(np.vstack([scan, [[1e3, 0.0], [0.0, -1e9]]])))
    50
    """
    near = not_stray(points)
    return points if near is None else points[near]


def not_stray(points: Array) -> np.ndarray | None:
    """Which points (n,) are no strays, or None if none is one.

    >>> not_stray(np.array([[0.0], [1.0], [2.0], [3.0], [100.0]])).tolist()
    [True, True, True, True, False]
    """
    count = len(points)
    sample = points if count <= SAMPLE else points[np.random.default_rng(0).integers(count, size=SAMPLE)]
    middle = np.median(sample, axis=0)
    farthest = max(float((points.max(axis=0) - middle).max()), float((middle - points.min(axis=0)).max()))
    # Half of all points lie nearer than the sample's half, or a little farther: most sets end here.
    if farthest <= FARTHER * float(np.median(np.abs(sample - middle).max(axis=1))):
        return None
    distance = np.abs(points - middle).max(axis=1)
    certain = count - int(MOST * count)  # so many points, the nearest, are no strays
    outer = np.sort(distance)[certain - 1 :]
    if not outer[0] > 0.0:
        return None  # most points lie at one place: it has no extent to compare with
    gaps = np.flatnonzero((outer[1:] > FARTHER * outer[:-1]) | (outer[1:] > FARTHER**2 * outer[0]))
    return distance <= outer[gaps[0]] if len(gaps) else None
