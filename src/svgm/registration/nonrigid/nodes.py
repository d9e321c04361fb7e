"""A point set in normalised coordinates, and fewer weighted points in its place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.checks.types import Array
from svgm.geometry.thinning import thin


@dataclass(frozen=True)
class Nodes:
    """Weighted points about their centre with a root mean square radius of 1; ``centre + unit * points`` are theirs."""

    points: Array
    weights: Array
    centre: Array
    unit: float

    @property
    def places(self) -> Array:
        """The points as they were given."""
        return np.asarray(self.centre + self.unit * self.points, dtype=np.float64)

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
