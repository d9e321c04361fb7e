"""The scale of a point set, eq. (3): the 2D-th root of its generalised variance."""

from __future__ import annotations

import numpy as np

from svgm import _core
from svgm.checks.errors import InputError
from svgm.geometry.points import Array, as_points, as_weights
from svgm.geometry.strays import not_stray, without_strays

#: Standard deviations along the principal axes count as at least this share of the largest, so that flat sets (whose
#: generalised variance is zero) have a scale, and a nearly flat set has nearly the same one.
THINNEST = 0.01

#: A median of this many distances is within some per cent of the median of all.
SAMPLE = 250


def principal_axes(points: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Weighted mean (d,), standard deviations (d,) descending, and axes (d, d) as columns.

    >>> mean, deviations, axes = principal_axes(np.array([[0.0, 0.0], [0.0, 4.0], [1.0, 2.0], [-1.0, 2.0]]), np.ones(4))
    >>> mean.tolist(), deviations.round(3).tolist(), np.abs(axes[:, 0]).tolist()
    ([0.0, 2.0], [1.633, 0.816], [0.0, 1.0])
    """
    mean, scatter = _core.weighted_scatter(points, weights)
    # The unbiased divisor of eq. (3) for unit weights.
    covariance = scatter / max(weights.sum() - weights.max(), weights.max())
    variances, axes = np.linalg.eigh(covariance)
    return mean, np.sqrt(np.maximum(variances[::-1], 0.0)), axes[:, ::-1]


def estimate_scale(points: Array, weights: Array | None = None) -> float:
    """Estimated scale sigma-hat of a point set, eq. (3):

        sigma-hat = | 1/(n-1) (X - 1 x̄ᵀ)ᵀ (X - 1 x̄ᵀ) | ^ (1 / 2D)

    that is, the geometric mean of the standard deviations along the principal axes.  Directions in which a flat set has
    no extent count with 1 % of the largest one (`THINNEST`).  Stray points (:mod:`svgm.geometry.strays`) are left out.

    >>> round(estimate_scale(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])), 3)
    1.155
    """
    points = as_points(points)
    return scale_of(points, as_weights(weights, len(points), "weights"))


def scale_of(points: Array, weights: Array) -> float:
    """`estimate_scale`, its arguments already checked.

    >>> round(scale_of(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]]), np.ones(4)), 3)
    1.155
    """
    near = not_stray(points)
    if near is not None and weights[near].any():
        points, weights = points[near], weights[near]
    _, deviations, _ = principal_axes(points, weights)
    largest = deviations[0]
    # Points that differ by rounding only have no extent; the bound is far below any measured difference.
    if largest <= 1e-14 * max(1e-300, float(points.max()), float(-points.min())):
        raise InputError("points must not all coincide: no scale can be estimated from them (pass scale)")
    return scale_along(deviations)


def scale_along(deviations: Array) -> float:
    """Geometric mean of standard deviations along the principal axes, largest first.

    >>> round(scale_along(np.array([4.0, 1.0])), 6), round(scale_along(np.array([4.0, 0.0])), 6)
    (2.0, 0.4)
    """
    return float(np.exp(np.log(np.maximum(deviations, THINNEST * deviations[0])).mean()))


def estimate_resolution(points: Array) -> float:
    """Median distance from a point to its nearest neighbour at another place: the detail that the points resolve.

    Of many points, at most `SAMPLE`, evenly through the array, are asked; their neighbours are sought among all.  Stray
    points (:mod:`svgm.geometry.strays`) are left out.

    >>> estimate_resolution(np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [3.0, 0.0]]))
    1.0
    """
    return resolution_of(without_strays(points))


def resolution_of(points: Array) -> float:
    """`estimate_resolution` of points among which there are no strays.

    >>> resolution_of(np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [3.0, 0.0]]))
    1.0
    """
    centred = points - points.mean(axis=0)
    tree = _core.BoxTree(centred, np.ones(len(centred)))
    asked = centred[:: -(-len(centred) // SAMPLE)]
    return float(np.median(_core.nearest(tree, asked, 1e-9 * float(np.abs(centred).max()))[0]))
