"""A point set in normalised coordinates, and fewer weighted points in its place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.checks.errors import InputError
from svgm.checks.types import Array
from svgm.geometry.strays import not_stray
from svgm.geometry.thinning import thin


@dataclass(frozen=True)
class Nodes:
    """Weighted points about their centre with a root mean square radius of 1; ``centre + unit * points`` are theirs."""

    points: Array
    weights: Array
    centre: Array
    unit: float

    def fewer(self, most: int) -> Nodes:
        """At most so many points: means of grid cells, as small as they can be."""
        if len(self.points) <= most:
            return self
        ones, low, high = self.weights, 0.0, 4.0
        best = None
        for _ in range(14):
            cell = 0.5 * (low + high)
            found = thin(self.points, ones, cell)
            if len(found[0]) <= most:
                best, high = found, cell
                if len(found[0]) >= 0.9 * most:
                    break
            else:
                low = cell
        points, weights = best if best is not None else thin(self.points, ones, 4.0)
        return Nodes(points, weights / weights.mean(), self.centre, self.unit)


def nodes_of(points: Array, weights: Array, name: str) -> Nodes:
    """The nodes of a set, without strays; InputError if all points coincide."""
    near = not_stray(points)
    if near is not None:
        points, weights = points[near], weights[near]
    centre = np.average(points, axis=0, weights=weights)
    centred = points - centre
    unit = float(np.sqrt(np.average((centred**2).sum(axis=1), weights=weights)))
    if unit <= 1e-14 * max(1e-300, float(np.abs(points).max())):
        raise InputError(f"{name} must not be a single place: nothing can be deformed")
    return Nodes(centred / unit, weights / weights.mean(), centre, unit)
