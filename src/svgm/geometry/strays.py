"""Stray points: a few points so far from all others that they belong to no surface of the set."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svgm import _core
from svgm.checks.types import Array

#: Strays begin where the distance from the centre grows by this factor from one point to the next, and at its square
#: times the distance of the nearest three quarters of the points.  In real laser scans, distant returns through doors
#: and along corridors reach 4.9 and 45 (lab notes).
STRAY_FACTOR = 10.0

#: Strays are less than this share of the points.  A larger group is part of what was measured.
MOST_STRAYS = 0.25

#: The centre is the median of at most this many points, drawn at random.
CENTRE_SAMPLE = 1000


def without_strays(points: Array) -> Array:
    """The points that are not strays; the same array if there are no strays.

    A distance here is the largest coordinate difference from the centre, the median along each axis.  In order of
    distance, strays begin at the first gap over which the distance grows by the factor `STRAY_FACTOR`, or at the square
    of that factor times the distance within which all but the share `MOST_STRAYS` of the points lie.  At most that
    share of the points can be strays.

    >>> scan = np.c_[np.linspace(0, 1, 50), np.zeros(50)]
    >>> without_strays(scan) is scan
    True
    >>> len(without_strays(np.vstack([scan, [[1e3, 0.0], [0.0, -1e9]]])))
    50
    """
    near = not_stray(points)
    return points if near is None else points[near]


def not_stray(points: Array) -> NDArray[np.bool_] | None:
    """Which points are not strays, (n,); None if there are no strays.

    >>> not_stray(np.array([[0.0], [1.0], [2.0], [3.0], [100.0]])).tolist()
    [True, True, True, True, False]
    """
    count = len(points)
    few = count <= CENTRE_SAMPLE
    sample = points if few else points[np.random.default_rng(0).integers(count, size=CENTRE_SAMPLE)]
    centre = np.median(sample, axis=0)
    low, high, _ = _core.bounds_and_sums(points)
    farthest = max(float((high - centre).max()), float((centre - low).max()))
    # The median distance of the sample is about that of all points: most sets are decided here, without a sort.
    if farthest <= STRAY_FACTOR * float(np.median(np.abs(sample - centre).max(axis=1))):
        return None
    distance = np.abs(points - centre).max(axis=1)
    certain = count - int(MOST_STRAYS * count)  # the number of nearest points that are never strays
    outer = np.sort(distance)[certain - 1 :]
    if not outer[0] > 0.0:
        return None  # most points coincide: there is no extent to compare with
    gaps = np.flatnonzero((outer[1:] > STRAY_FACTOR * outer[:-1]) | (outer[1:] > STRAY_FACTOR**2 * outer[0]))
    return distance <= outer[gaps[0]] if len(gaps) else None
