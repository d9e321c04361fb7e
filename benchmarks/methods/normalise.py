"""Two sets in the cube [-1, 1]^d, for methods that are not unit-free, and the pose back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.datasets import Array
from svgm.rigid import pose


@dataclass(frozen=True)
class Normalised:
    """Each set about its own mean, both divided by one number, so that a rigid motion stays one.

    Attributes
    ----------
    source, target
        The sets; the largest coordinate of both is 1.
    means
        Of source and target, as they were.
    scale
        What they were divided by.
    """

    source: Array
    target: Array
    means: tuple[Array, Array]
    scale: float

    def back(self, rotation: Array, translation: Array) -> Array:
        """The pose between the sets as they were, of one between the normalised sets."""
        return pose(rotation, self.means[1] + self.scale * translation - rotation @ self.means[0])


def normalise(source: Array, target: Array) -> Normalised:
    """Both sets about their means and in the cube."""
    means = source.mean(axis=0), target.mean(axis=0)
    centred = source - means[0], target - means[1]
    scale = float(max(np.abs(points).max() for points in centred))
    return Normalised(centred[0] / scale, centred[1] / scale, means, scale)
