"""The uncertainty of places: the covariance of a pose as ellipsoids, and as standard deviations of positions."""

from __future__ import annotations

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.result import MapResult
from svgm.registration.result import RegistrationResult
from svgm.rigid import apply
from svgm.view.scenes.layers import Ellipsoids

#: Places at which the uncertainty is drawn.
ELLIPSOID_COUNT = 9

#: The largest half axis that is drawn, as a share of the source's radius.
LARGEST_HALF_AXIS = 0.08

UNCERTAINTY_COLOUR = "#7b3294"


def uncertainty_ellipsoids(result: RegistrationResult, source: Array, frame: int | None) -> Ellipsoids:
    """One standard deviation of places spread over the source, enlarged by the factor in the layer's name."""
    places = source[spread(source, ELLIPSOID_COUNT)]
    variances, directions = np.linalg.eigh(result.covariance_at(places))
    axes = directions * np.sqrt(np.maximum(variances, 0.0))[:, None, :]
    factor, axes = enlarged(axes, float(np.sqrt(source.var(axis=0).sum())))
    name = f"uncertainty, enlarged {factor:g} times"
    # The covariance belongs to the final pose, so the ellipsoids do not move.
    centres = apply(result.transformation, places)
    return Ellipsoids(name=name, centres=centres, axes=axes, colour=UNCERTAINTY_COLOUR, frame=frame, shown=False)


def point_ellipsoids(moved: Array, deviations: Array, frame: int | None) -> Ellipsoids:
    """Balls of one standard deviation (n,) about some of the moved points (n, d), enlarged by the factor in the name.

    >>> point_ellipsoids(np.eye(2), np.array([0.1, 0.2]), 2).name
    'uncertainty, enlarged 0.2 times'
    """
    chosen = spread(moved, ELLIPSOID_COUNT)
    axes = deviations[chosen, None, None] * np.eye(moved.shape[1])
    factor, axes = enlarged(axes, float(np.sqrt(moved.var(axis=0).sum())))
    name = f"uncertainty, enlarged {factor:g} times"
    return Ellipsoids(name=name, centres=moved[chosen], axes=axes, colour=UNCERTAINTY_COLOUR, frame=frame, shown=False)


def position_deviations(result: MapResult) -> Array:
    """Largest standard deviation of the position of each scan of a map, (n,); NaN for scans that were left out."""
    d = result.mixture.dimension
    found = np.full(len(result.poses), np.nan)
    for scan in np.flatnonzero(np.isfinite(result.covariances).all(axis=(1, 2))):
        found[scan] = np.sqrt(max(float(np.linalg.eigvalsh(result.covariances[scan][-d:, -d:])[-1]), 0.0))
    return found


def enlarged(axes: Array, radius: float) -> tuple[float, Array]:
    """A round factor, and half axes enlarged by it so that they are visible beside a set of that radius."""
    longest = max(float(np.linalg.norm(axes, axis=1).max()), 1e-12 * radius)
    wanted = LARGEST_HALF_AXIS * radius
    # A set at one place has no radius, and its half axes stay as they are.
    factor = round_number(wanted / longest) if wanted > 1e-300 * longest else 1.0
    return factor, factor * axes


def spread(points: Array, count: int) -> list[int]:
    """Farthest-point sampling: the row of the point nearest the mean, then always that farthest from those chosen."""
    away = np.linalg.norm(points - points.mean(axis=0), axis=1)
    chosen = [int(np.argmin(away))]
    nearest = np.full(len(points), np.inf)
    for _ in range(min(count, len(points)) - 1):
        nearest = np.minimum(nearest, np.linalg.norm(points - points[chosen[-1]], axis=1))
        chosen.append(int(np.argmax(nearest)))
    return chosen


def round_number(value: float) -> float:
    """The largest number 1, 2 or 5 times a power of ten that is at most the value.

    >>> round_number(370.0), round_number(0.012)
    (200.0, 0.01)
    """
    power = 10.0 ** np.floor(np.log10(value))
    return float(max(step * power for step in (1, 2, 5) if step * power <= value * (1 + 1e-12)))
