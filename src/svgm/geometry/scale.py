"""The scale of a point set, eq. (3), and its resolution, the distance between neighbouring points."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from svgm import _core
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PointsLike
from svgm.geometry.points import as_points, as_weights
from svgm.geometry.strays import not_stray, without_strays

#: A standard deviation along a principal axis counts as at least this share of the largest one.  So a flat set, whose
#: generalised variance is zero, has a scale, and a nearly flat set has nearly the same scale.
THINNEST = 0.01

#: The resolution is a median over this many points, which is within a few per cent of the median over all points.
RESOLUTION_SAMPLE = 250

#: Up to so many points are sorted into a tree to find nearest neighbours.
TREE_POINTS = 4_000

#: Neighbours this far away, as a share of the set's extent, are sought in a tree of all points.
FAR_NEIGHBOUR = 0.25


def principal_axes(points: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Weighted mean of points, standard deviations along their principal axes, and the axes.

    Parameters
    ----------
    points : ndarray, shape (n, d)
        Points, already checked.
    weights : ndarray, shape (n,)
        Their weights, not negative and not all zero.

    Returns
    -------
    mean : ndarray, shape (d,)
    deviations : ndarray, shape (d,)
        The largest first, in the unit of the points.
    axes : ndarray, shape (d, d)
        Unit vectors as columns, in the same order.

    Examples
    --------
    >>> mean, deviations, axes = principal_axes(np.array([[0.0, 0.0], [0.0, 4.0], [1.0, 2.0], [-1.0, 2.0]]), np.ones(4))
    >>> mean.tolist(), deviations.round(3).tolist(), np.abs(axes[:, 0]).tolist()
    ([0.0, 2.0], [1.633, 0.816], [0.0, 1.0])
    """
    mean, scatter = _core.weighted_scatter(points, weights)
    # For weights of 1 this is the unbiased divisor n - 1 of eq. (3).
    covariance = scatter / max(weights.sum() - weights.max(), weights.max())
    variances, axes = np.linalg.eigh(covariance)
    return mean, np.sqrt(np.maximum(variances[::-1], 0.0)), axes[:, ::-1]


def estimate_scale(points: PointsLike, *, weights: ArrayLike | None = None) -> float:
    """Estimated scale sigma-hat of a point set, eq. (3):

        sigma-hat = | 1/(n-1) (X - 1 x̄ᵀ)ᵀ (X - 1 x̄ᵀ) | ^ (1 / 2D)

    This is the geometric mean of the standard deviations along the principal axes.  A direction in which a flat set has
    no extent counts with 1 % of the largest deviation (`THINNEST`).  Stray points (:mod:`svgm.geometry.strays`) are
    left out.

    Parameters
    ----------
    points : PointsLike, shape (n, d)
        An array, nested lists, a path, an Open3D cloud or a tensor.
    weights : array_like, shape (n,), optional
        Weights of the points, not negative and not all zero.  Default: 1 for each point.

    Returns
    -------
    float
        The scale in the unit of the points, positive.

    Raises
    ------
    InputError
        If `points` or `weights` is not as described, or if all points coincide.
    FileError
        If `points` is a path and the file cannot be read.

    Examples
    --------
    >>> round(estimate_scale([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]]), 3)
    1.155
    """
    points = as_points(points)
    return scale_of(points, as_weights(weights, len(points)))


def scale_of(points: Array, weights: Array) -> float:
    """`estimate_scale` for points (n, d) and weights (n,) that are already checked.

    Raises
    ------
    InputError
        If all points coincide.

    Examples
    --------
    >>> round(scale_of(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]]), np.ones(4)), 3)
    1.155
    """
    near = not_stray(points)
    if near is not None and weights[near].any():
        points, weights = points[near], weights[near]
    _, deviations, _ = principal_axes(points, weights)
    # Points that differ by rounding only have no extent; the bound is far below any measured difference.
    if deviations[0] <= 1e-14 * max(1e-300, float(points.max()), float(-points.min())):
        raise InputError("points must not all coincide: no scale can be estimated from them (pass scale)")
    return scale_along(deviations)


def scale_along(deviations: Array) -> float:
    """Geometric mean of the standard deviations (d,) along the principal axes, given with the largest first.

    Each deviation counts as at least the share `THINNEST` of the largest.

    >>> round(scale_along(np.array([4.0, 1.0])), 6), round(scale_along(np.array([4.0, 0.0])), 6)
    (2.0, 0.4)
    """
    return float(np.exp(np.log(np.maximum(deviations, THINNEST * deviations[0])).mean()))


def estimate_resolution(points: Array) -> float:
    """Median distance from a point to its nearest neighbour at another position: the finest detail in the points.

    The median is over at most `RESOLUTION_SAMPLE` points at equal steps through the array.  Neighbours are sought among
    all points.  Stray points (:mod:`svgm.geometry.strays`) are left out.

    Parameters
    ----------
    points : ndarray, shape (n, d)
        Points, already checked.

    Returns
    -------
    float
        A distance in the unit of the points.

    Examples
    --------
    >>> estimate_resolution(np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [3.0, 0.0]]))
    1.0
    """
    return resolution_of(without_strays(points))


def resolution_of(points: Array) -> float:
    """`estimate_resolution` for points (n, d) without strays.

    >>> resolution_of(np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [3.0, 0.0]]))
    1.0
    """
    low, high, total = _core.bounds_and_sums(points)
    centre = total / len(points)
    extent = float(max((high - centre).max(), (centre - low).max()))
    sample, least = points[:: -(-len(points) // RESOLUTION_SAMPLE)] - centre, 1e-9 * extent
    # The nearest of some points is an upper bound: within it, one pass over all points finds the nearest.
    some = points[:: -(-len(points) // TREE_POINTS)] - centre
    found = _core.nearest(_core.BoxTree(some, np.ones(len(some))), sample, least)[0]
    if len(some) == len(points):
        return float(np.median(found))
    if points.shape[1] in (2, 3) and found.max() < FAR_NEIGHBOUR * extent:
        return float(np.median(_core.nearest_of_sample(points, centre, sample, found, least)))
    centred = points - centre
    return float(np.median(_core.nearest(_core.BoxTree(centred, np.ones(len(centred))), sample, least)[0]))
