"""Clutter: points spread evenly over the whole extent of a 3D set, among the points of surfaces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from svgm import _core
from svgm.checks.types import Array

#: The neighbour whose distance says whether a point is isolated.  The nearest one alone is often a chance pair.
TESTED_NEIGHBOUR = 2

#: The neighbour by whose distance clutter is told from surfaces.  On dragon scans with 10 to 70 % clutter 2 and 8 leave
#: more wrong answers than 3, 4 and 6 (lab notes).
SORTED_NEIGHBOUR = 4

#: The isolated points must be significantly more than this share of those that the empty space allows, ...
LEAST_ISOLATED = 0.5

#: ... by this many standard deviations: one-sided, 5 %.
SIGNIFICANT = 1.64

#: Points on the wrong side of the best threshold, at most: a share of those that are wrong without looking.
MOST_CONFUSED = 0.25

#: The share that the empty space of the kept points allows, at most: a share of what it was before.
MOST_LEFT = 0.5

#: Places at which empty space is measured, and points that are tested, at most.
PLACES, TESTED = 1000, 2000

#: A radius says nothing about empty space if fewer places than this are so deep inside, or a smaller share is empty.
LEAST_PLACES, LEAST_EMPTY = 50, 0.05

#: Directions along which the extent is bounded, and places in a ball that say how much of it is inside.
DIRECTIONS, PLACES_IN_BALL = 32, 64

#: Sets of fewer points are not tested.  In larger sets, so many points at equal steps must have clutter first: a share
#: of a Poisson process is one, too.
FEWEST, FIRST = 50, 20_000

#: Volume of the unit ball.
UNIT_BALL = 4.0 * math.pi / 3.0


def not_clutter(points: Array) -> NDArray[np.bool_] | None:
    """Which points of a 3D set are not clutter, (n,); None if the set has no clutter.

    Clutter is a Poisson process of constant intensity lambda over the extent of a set.  Two measurements bound it, each
    by itself.  *Empty space*: a ball of radius R has no point of clutter in it with probability
    ``exp(-lambda V(R))``.  So if a share S(R) of such balls is empty, ``lambda <= -log S(R) / V(R)``, for every R.
    *Isolation*: for a point of clutter, ``lambda V(r_k)`` of the distance r_k to its k-th neighbour has a Gamma(k)
    distribution.  So half of the clutter is farther from its neighbours than the median of that.  Surfaces leave most
    of the space empty, whether they are measured densely or sparsely, so a set without clutter has few points as
    isolated as that.

    A set has clutter if the isolated points are significantly more than half of those that its empty space allows, and
    if clutter can be told from surfaces: the best threshold on V(r_k) must leave less than a quarter as many points on
    the wrong side as "all" or "none" would.  What is kept must leave so much space empty that it allows less than half
    of that share: the middle of a cloud that is dense in the middle does not.

    In 2D nothing is found.  Points on a curve have few neighbours, so single points cannot be told from clutter, and
    an answer is better with all of them (lab notes).

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> sphere = generator.normal(size=(900, 3))
    >>> sphere /= np.linalg.norm(sphere, axis=1)[:, None]
    >>> not_clutter(sphere) is None
    True
    >>> kept = not_clutter(np.vstack([sphere, generator.uniform(-2.0, 2.0, (400, 3))]))
    >>> int(kept[:900].sum()) > 890, int(kept[900:].sum()) < 40
    (True, True)
    """
    count, dimension = points.shape
    step = count // FIRST
    if dimension != 3 or count < FEWEST or (step > 1 and _kept(np.ascontiguousarray(points[::step])) is None):
        return None
    return _kept(points)


def _kept(points: Array) -> NDArray[np.bool_] | None:
    """:func:`not_clutter` of all points of a 3D set."""
    count = len(points)
    measured = _empty_space(points)
    if measured is None or not 0.0 < measured.share < 1.0:
        return None
    points, extent, tree = measured.points, measured.extent, measured.tree
    share, intensity = measured.share, measured.intensity

    tested = points[:: -(-count // TESTED)]
    radii = _neighbour_distances(tree, tested, TESTED_NEIGHBOUR)
    volumes = UNIT_BALL * radii**3
    isolated = np.flatnonzero(_gamma(TESTED_NEIGHBOUR, intensity * volumes) > 0.5)
    volumes[isolated] *= extent.shares_inside(tested[isolated], radii[isolated])
    found = int((_gamma(TESTED_NEIGHBOUR, intensity * volumes) > 0.5).sum())
    allowed = 0.5 * share * len(tested)
    if found - SIGNIFICANT * math.sqrt(found) <= LEAST_ISOLATED * allowed:
        return None

    # By decreasing density at each point.  Clutter is uniform on [0, 1] here, and surfaces are near 0.
    radii = _neighbour_distances(tree, points, SORTED_NEIGHBOUR)
    isolation = _gamma(SORTED_NEIGHBOUR, intensity * UNIT_BALL * radii**3)
    ordered = np.sort(isolation)
    below = np.arange(count) / count
    best = int(np.argmin(2.0 * share * ordered - below))
    threshold = float(ordered[best])
    lost = 1.0 - float(below[best]) - share * (1.0 - threshold)
    if share * threshold + max(lost, 0.0) >= MOST_CONFUSED * min(share, 1.0 - share):
        return None
    kept: NDArray[np.bool_] = isolation <= threshold
    if kept.all():
        return None
    rest = _empty_space(points[kept])
    return kept if rest is not None and rest.share < MOST_LEFT * share else None


@dataclass(frozen=True)
class Extent:
    """A polytope around a set: what lies between its first and its last point along each of many directions (m, 3)."""

    directions: Array
    low: Array
    high: Array

    @classmethod
    def around(cls, points: Array) -> Extent:
        """The extent of these points (n, 3)."""
        height = (np.arange(DIRECTIONS) + 0.5) / DIRECTIONS
        angle = np.pi * (1.0 + math.sqrt(5.0)) * np.arange(DIRECTIONS)  # a Fibonacci spiral on half of the sphere
        around = np.sqrt(1.0 - height**2)
        directions = np.c_[around * np.cos(angle), around * np.sin(angle), height]
        low, high, _ = _core.bounds_and_sums(points @ directions.T)
        return cls(directions, low, high)

    def depth(self, places: Array) -> Array:
        """Distance of each place (n, 3) from the boundary, positive inside."""
        along = places @ self.directions.T
        depth: Array = np.minimum(along - self.low, self.high - along).min(axis=1)
        return depth

    def shares_inside(self, centres: Array, radii: Array) -> Array:
        """How much of each ball is inside, as a share of its volume."""
        cube = 2.0 * _spread_places(3 * PLACES_IN_BALL) - 1.0
        ball = cube[(cube**2).sum(axis=1) <= 1.0][:PLACES_IN_BALL]
        shares = np.ones(len(centres))
        for number in np.flatnonzero(self.depth(centres) < radii):
            shares[number] = (self.depth(centres[number] + radii[number] * ball) >= 0.0).mean()
        return shares


@dataclass(frozen=True)
class EmptySpace:
    """A set along its principal axes in units of its size, its extent, and the clutter that its empty space allows
    at most: the intensity, and the share of all points."""

    points: Array
    tree: _core.BoxTree
    extent: Extent
    intensity: float
    share: float


def _empty_space(points: Array) -> EmptySpace | None:
    """The empty space of a set; None if there is none, because all points lie in a plane or at one place."""
    points = points - points.mean(axis=0)
    size = float(np.abs(points).max())
    if not size > 0.0:
        return None
    points = points / size
    points = points @ np.linalg.eigh(points.T @ points)[1]
    low, high, _ = _core.bounds_and_sums(points)
    extent = Extent.around(points)
    places = low + _spread_places(4 * PLACES) * (high - low)
    depths = extent.depth(places)
    inside = depths >= 0.0
    if inside.sum() < LEAST_PLACES:
        return None
    volume = float(np.prod(high - low)) * float(inside.mean())
    tree = _core.BoxTree(points, np.ones(len(points)))
    intensity = _intensity_of_empty_space(
        _core.nearest(tree, places[inside][:PLACES], -1.0)[0], depths[inside][:PLACES]
    )
    return EmptySpace(points, tree, extent, intensity, intensity * volume / len(points))


def _intensity_of_empty_space(distances: Array, depths: Array) -> float:
    """The largest intensity of clutter that empty space allows: the least of -log S(R) / V(R) over the radii R.

    Places nearer to the boundary of the extent than R do not count, because their balls are partly outside.
    """
    intensity = math.inf
    for radius in np.quantile(distances, np.linspace(0.02, 0.98, 49)):
        deep = depths >= radius
        if deep.sum() < LEAST_PLACES:
            break
        empty = float((distances[deep] > radius).mean())
        if empty < LEAST_EMPTY:
            break
        if empty < 1.0:
            intensity = min(intensity, -math.log(empty) / (UNIT_BALL * float(radius) ** 3))
    return intensity


def _neighbour_distances(tree: _core.BoxTree, points: Array, neighbour: int) -> Array:
    """Distance of each of these points of the tree to its k-th neighbour at another place."""
    distances: Array = _core.nearest_distances(tree, points, 0.0, neighbour)[:, neighbour - 1]
    return distances


def _gamma(order: int, values: Array) -> Array:
    """Distribution function of Gamma(order): the chance that a Poisson variable of this mean is at least `order`."""
    terms = np.array([values**k / math.factorial(k) for k in range(order)])
    chance: Array = 1.0 - np.exp(-values) * terms.sum(axis=0)
    return chance


@lru_cache(4)
def _spread_places(count: int) -> Array:
    """Places (count, 3) spread evenly over the unit cube: Roberts' additive sequence."""
    ratio = 1.2207440846057596  # x⁴ = x + 1
    places: Array = (0.5 + np.arange(1, count + 1)[:, None] / ratio ** np.arange(1.0, 4.0)) % 1.0
    places.flags.writeable = False
    return places
