"""The paper's reconstruction variant (Section 7): a two-class SVM, surface points against free space beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import positive
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PointsLike
from svgm.geometry.normals import estimate_normals
from svgm.geometry.points import as_points
from svgm.geometry.thinning import thin
from svgm.mixture.fit import LOOSEST, MOST_SIGMAS, TIGHTEST, component_sigma
from svgm.mixture.mixture import Mixture
from svgm.mixture.svm import train_two_class

#: The largest bound C on a dual, and the inverse of the smallest.
LARGEST_COST = 1e12


def fit_two_class(
    points: PointsLike,
    *,
    gamma: float | None = None,
    scale: float | None = None,
    like: Mixture | None = None,
    distance: float = 2.0,
    cost: float = 10.0,
    viewpoint: ArrayLike | None = None,
    neighbours: int = 12,
    thinning: float = 0.5,
    tolerance: float = 1e-3,
) -> Mixture:
    """Fit a signed mixture that shows fine detail: surface points against points in the free space beside them.

    A free-space point is a surface point displaced by a distance along its estimated normal.  Displaced points nearer
    than 0.9 times this distance to the surface are left out.  In the result, surface has positive weights, which sum
    to 1, and free space has negative weights.

    Parameters
    ----------
    points : PointsLike, shape (n, d)
        Points on a surface, d >= 2: an array or nested lists, a path, an Open3D cloud or a tensor.
    gamma : float, default 64
        Positive.  Kernel width as a multiple of gamma-hat; 64 gives a sigma of an eighth of sigma-hat.
    scale, like, tolerance
        As in :func:`svgm.fit`.
    distance : float, default 2
        Distance of free-space points from the surface as a multiple of sigma, from 1e-9 to 1e9.
    cost : float, default 10
        Bound C on each dual, from 1e-12 to 1e12: the larger it is, the fewer points are misclassified.
    viewpoint : array_like, shape (d,), optional
        Position of the sensor, in the unit of the points.  If it is given, free space is on the side that the sensor
        sees.  By default free space is on both sides.
    neighbours : int, default 12
        Nearest neighbours from which a normal is estimated, 1 to 10,000.
    thinning : float, default 0.5
        As in :func:`svgm.fit`.

    Returns
    -------
    Mixture
        A mixture with a ``bias``: :meth:`Mixture.decision` is positive on the surface and negative in free space.

    Raises
    ------
    InputError
        If an argument is not as described, if `like` is combined with `gamma` or `scale`, or if no free-space point
        is left.
    FileError
        If `points` is a path and the file cannot be read.

    Examples
    --------
    >>> angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    >>> ring = fit_two_class(np.c_[np.cos(angle), np.sin(angle)])
    >>> bool(ring.decision([[1.0, 0.0]])[0] > 0 > ring.decision([[1.3, 0.0]])[0])
    True
    """
    points = as_points(points)
    if points.shape[1] < 2:
        raise InputError(f"points must have at least 2 coordinates to have normals, got {points.shape[1]}")
    distance = positive("distance", distance, least=1.0 / MOST_SIGMAS, most=MOST_SIGMAS)
    cost = positive("cost", cost, least=1.0 / LARGEST_COST, most=LARGEST_COST)
    tolerance = positive("tolerance", tolerance, least=TIGHTEST, most=LOOSEST)
    thinning = positive("thinning", thinning, least=1.0 / MOST_SIGMAS, most=MOST_SIGMAS, zero=True)
    weights = np.ones(len(points))
    sigma = component_sigma(points, weights, 64.0 if gamma is None and like is None else gamma, scale, like)
    if thinning > 0:
        points, _ = thin(points, weights, thinning * sigma)
    normals = estimate_normals(points, neighbours=neighbours, viewpoint=viewpoint)
    free = free_space(points, normals, distance * sigma, both=viewpoint is None)
    if not len(free):
        raise InputError(f"distance must leave free space beside the points: at {distance} sigma none is left")
    labels = np.r_[np.ones(len(points)), -np.ones(len(free))]
    beta, rho = train_two_class(np.vstack([points, free]), labels, 0.5 / sigma**2, cost, tolerance)
    total = beta[beta > 0].sum()
    support = beta != 0
    return Mixture(np.vstack([points, free])[support], sigma**2, beta[support] / total, rho / total)


def free_space(points: Array, normals: Array, distance: float, *, both: bool) -> Array:
    """Points displaced along their normals, without those nearer to any point than 0.9 times the distance."""
    from scipy.spatial import cKDTree

    sides = [points + distance * normals] + ([points - distance * normals] if both else [])
    displaced = np.vstack(sides)
    nearest, _ = cKDTree(points).query(displaced)
    free: Array = displaced[nearest >= 0.9 * distance]
    return free
