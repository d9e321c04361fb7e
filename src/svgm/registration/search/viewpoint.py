"""From where a set was seen.  A scan hides nothing of itself from its sensor, and much of itself from other places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from svgm import _core
from svgm.checks.arguments import LARGEST, as_numbers, shown
from svgm.checks.errors import InputError
from svgm.checks.types import Array
from svgm.registration.tuning import TUNING

#: A sensor so many radii away sees along parallel lines.
FAR = 1000.0

#: Directions that are tried, by dimension: half of the circle, half of the sphere (the other half has the same lines).
DIRECTIONS = {2: 36, 3: 100}

#: Steps that improve the best of them.
REFINEMENTS = 8


@dataclass(frozen=True)
class Viewpoint:
    """Where a sensor stood.

    Attributes
    ----------
    place
        (d,).
    side_known
        Whether it is known on which side the sensor stood.  Lines of sight alone do not tell: a relief can be seen from
        above, and its cast from below.
    spread
        The angle by which the direction to the place may be off.
    """

    place: Array
    side_known: bool
    spread: float = 0.0


def estimate_viewpoint(places: Array, cell: float, threads: int) -> Viewpoint:
    """The place far outside a set (n, d) from which it hides least of itself.

    `places` has about one place in each cell of this size.  The share that is hidden even so tells how much the
    estimate is worth: see `FreeSpace.hidden`.

    >>> x, y = (axis.ravel() for axis in np.meshgrid(np.linspace(-1, 1, 41), np.linspace(-1, 1, 41)))
    >>> relief = np.c_[x, y, np.cos(6 * x) * np.cos(5 * y)]
    >>> place = estimate_viewpoint(relief, 0.05, 1).place
    >>> bool(abs(place[2]) > 0.9 * np.linalg.norm(place))
    True
    """
    d = places.shape[1]
    centre = places.mean(axis=0)
    centred = np.ascontiguousarray(places - centre)
    radius = float(np.sqrt((centred**2).sum(axis=1).mean()))
    directions, step = _half_sphere(d)
    margin = TUNING.in_front * cell
    tried = shares = _core.hidden_shares(directions, centred, cell, margin, threads)
    direction, least = directions[shares.argmin()], shares.min()
    for _ in range(REFINEMENTS):
        across = np.linalg.svd(direction[None])[2][1:]
        turned = direction + step * np.concatenate([across, -across])
        turned /= np.linalg.norm(turned, axis=1)[:, None]
        shares = _core.hidden_shares(turned, centred, cell, margin, threads)
        if shares.min() < least:
            direction, least = turned[shares.argmin()], shares.min()
        else:
            step *= 0.5
    # It may as well have been another one that hides hardly more.
    likely = directions[tried <= least + TUNING.blocked_share]
    cosines = np.abs(np.append(likely @ direction, 1.0)).clip(max=1.0)
    return Viewpoint(centre + FAR * radius * direction, side_known=False, spread=float(np.arccos(cosines.min())))


def _half_sphere(dimension: int) -> tuple[Array, float]:
    """Directions (n, d) spread evenly over half of the circle or of the sphere, and half the angle between two."""
    count = DIRECTIONS[dimension]
    if dimension == 2:
        angle = np.pi * np.arange(count) / count
        return np.c_[np.cos(angle), np.sin(angle)], 0.5 * np.pi / count
    height = 1.0 - (np.arange(count) + 0.5) / count
    longitude = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(count)
    width = np.sqrt(1.0 - height**2)
    return np.c_[width * np.cos(longitude), width * np.sin(longitude), height], 0.5 * np.sqrt(2.0 * np.pi / count)


def viewpoints_of(value: ArrayLike | None, dimension: int) -> tuple[Array | None, Array | None]:
    """The viewpoints of source and target; one given place is used for both."""
    if value is None:
        return None, None
    places = as_numbers(value, "viewpoint")
    if places.shape == (dimension,):
        places = np.stack([places, places])
    if places.shape != (2, dimension) or not (np.abs(places) <= LARGEST).all():
        rule = f"{dimension} finite coordinates, or those of the source and of the target"
        raise InputError(f"viewpoint must be {rule}, got {shown(value)}")
    return places[0], places[1]
