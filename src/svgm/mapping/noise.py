"""What measured poses are worth beyond their covariances, and when two of them agree."""

from __future__ import annotations

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.rigid import invert, log

#: Standard deviation that a measured pose has beyond its covariance, in sigmas of the map: a covariance knows the
#: sampling of the surfaces, not what moved, what was seen from one side only, or what turned while it was scanned.
FLOOR = 0.2

#: Squared Mahalanobis length at which two measurements are said to differ; of right ones one in a thousand is beyond
#: about 16 (2D) or 22 (3D).
DIFFERENT = 25.0


def floor_of(dimension: int, length: float, radius: float) -> Array:
    """Variances (rotation, translation) of a pose whose points may be off by a length at this radius.

    >>> floor_of(2, 0.1, 10.0).tolist()
    [0.0001, 0.010000000000000002, 0.010000000000000002]
    """
    rotations = dimension * (dimension - 1) // 2
    variances: Array = np.r_[np.full(rotations, (length / radius) ** 2), np.full(dimension, length**2)]
    return variances


def disagreement(one: Edge, other: Edge, floor: Array) -> float:
    """Squared Mahalanobis length of the difference between two measurements of one pose."""
    difference = log(invert(other.transformation) @ one.transformation)
    covariance = one.covariance + other.covariance + 2.0 * np.diag(floor)
    return float(difference @ np.linalg.solve(covariance, difference))


def closes(one: Edge, other: Edge, floor: Array) -> bool:
    """Whether two measurements of one pose agree."""
    return disagreement(one, other, floor) < DIFFERENT
