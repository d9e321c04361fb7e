"""A frame for two point sets in which numbers are near 1: both centred, one unit of length for both.

Survey coordinates of 1e6 lose no digits in it, a result cannot depend on the unit of length, and one radian moves a
typical source point by one unit, so that rotations and translations weigh the same in a trust region.
"""

from __future__ import annotations

from dataclasses import dataclass

from svgm.geometry.points import Array
from svgm.rigid import pose


@dataclass(frozen=True)
class Frame:
    """Centres (d,) of the source and of the target, and the unit of length."""

    source_centre: Array
    target_centre: Array
    unit: float

    def into(self, T: Array) -> Array:
        """A pose between the original sets, as a pose between the sets in this frame."""
        d = len(self.source_centre)
        shift = T[:d, :d] @ self.source_centre + T[:d, d] - self.target_centre
        return pose(T[:d, :d], shift / self.unit)

    def out_of(self, T: Array) -> Array:
        """The inverse of :meth:`into`."""
        d = len(self.source_centre)
        shift = self.unit * T[:d, d] + self.target_centre - T[:d, :d] @ self.source_centre
        return pose(T[:d, :d], shift)
