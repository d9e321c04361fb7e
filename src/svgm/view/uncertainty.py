"""What the covariance of a pose says of places: where a point of the source may really be."""

from __future__ import annotations

import numpy as np

from svgm.geometry.points import Array
from svgm.registration.result import RegistrationResult
from svgm.rigid import apply
from svgm.view.scene import Ellipsoids

#: Places at which the uncertainty is drawn.
PLACES = 9

#: The largest half axis that is drawn, as a share of the source's radius.
LARGEST = 0.08

COLOUR = "#7b3294"


def ellipsoids(result: RegistrationResult, source: Array, frame: int | None) -> Ellipsoids:
    """One standard deviation of places spread over the source, as large as can be seen: the name says how enlarged."""
    places = spread(source, PLACES)
    variances, directions = np.linalg.eigh(result.covariance_at(places))
    axes = directions * np.sqrt(np.maximum(variances, 0.0))[:, None, :]
    factor, axes = enlarged(axes, float(np.sqrt(source.var(axis=0).sum())))
    name = f"uncertainty, {factor:g} times as large"
    # The covariance is of the answer, so it stays where the answer puts the source.
    centres = apply(result.transformation, places)
    return Ellipsoids(name=name, centres=centres, axes=axes, colour=COLOUR, frame=frame, shown=False)


def enlarged(axes: Array, radius: float) -> tuple[float, Array]:
    """Half axes as large as can be seen beside a set of that radius, and by which round number they were multiplied."""
    longest = float(np.linalg.norm(axes, axis=1).max())
    factor = round_number(LARGEST * radius / max(longest, 1e-12 * radius))
    return factor, factor * axes


def spread(points: Array, count: int) -> Array:
    """The point nearest the middle, then each time the one farthest from those so far."""
    away = np.linalg.norm(points - points.mean(axis=0), axis=1)
    chosen = [int(np.argmin(away))]
    nearest = np.full(len(points), np.inf)
    for _ in range(min(count, len(points)) - 1):
        nearest = np.minimum(nearest, np.linalg.norm(points - points[chosen[-1]], axis=1))
        chosen.append(int(np.argmax(nearest)))
    return points[chosen]


def round_number(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above.

    >>> round_number(370.0), round_number(0.012)
    (200.0, 0.01)
    """
    power = 10.0 ** np.floor(np.log10(value))
    return float(max(step * power for step in (1, 2, 5) if step * power <= value * (1 + 1e-12)))
