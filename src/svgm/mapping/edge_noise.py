"""The noise of measured poses: how far two measurements may differ before they contradict each other."""

from __future__ import annotations

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.tuning import MAP_TUNING
from svgm.rigid import adjoint, invert, log


def noise_floor(dimension: int, length: float, radius: float) -> Array:
    """Variances (rotation, translation) of a pose whose points at this radius may be off by a length.

    >>> noise_floor(2, 0.1, 10.0).tolist()
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


def agree(one: Edge, other: Edge, floor: Array) -> bool:
    """Whether two measurements of one pose agree."""
    return disagreement(one, other, floor) < MAP_TUNING.contradiction


def composed(first: Edge, second: Edge, floor: Array) -> Edge:
    """The edge from the source of the first to the target of the second, which begins where the first ends."""
    moved = adjoint(invert(first.transformation))
    covariance = first.covariance + moved @ (second.covariance + np.diag(floor)) @ moved.T
    return Edge(
        first.source,
        second.target,
        second.transformation @ first.transformation,
        covariance,
        min(first.confidence, second.confidence),
        min(first.overlap, second.overlap),
        first.kind,
    )
