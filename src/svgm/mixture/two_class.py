"""The paper's reconstruction variant (Section 7): a two-class SVM of the surface against free space beside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from svgm.checks.arguments import positive
from svgm.checks.errors import InputError
from svgm.geometry.normals import estimate_normals
from svgm.geometry.points import Array, as_points
from svgm.geometry.thinning import thin
from svgm.mixture.fit import LOOSEST, MOST_SIGMAS, TIGHTEST, component_sigma
from svgm.mixture.mixture import Mixture
from svgm.mixture.svm import train_two_class

#: The largest bound on a dual, and the inverse of the smallest.
DEAREST = 1e12


def fit_two_class(
    points: Any,
    *,
    gamma: float | None = None,
    scale: float | None = None,
    distance: float = 2.0,
    cost: float = 10.0,
    viewpoint: Any = None,
    neighbours: int = 12,
    thinning: float = 0.5,
    tolerance: float = 1e-3,
) -> Mixture:
    """Fit a signed mixture that models fine detail: surface points against points of free space beside them.

    Free-space points are the surface points displaced by d along their estimated normals; those that end closer than
    0.9 d to the surface are dropped.  The result's positive weights sum to 1; negative ones carve out free space.

    Parameters
    ----------
    points
        (n, d) surface points, d >= 2.
    gamma, scale, thinning, tolerance
        As in :func:`svgm.fit`.  Default gamma: 64, a sigma of an eighth of sigma-hat.
    distance
        d as a multiple of sigma.
    cost
        Bound C on each dual: how dear a misclassified point is.
    viewpoint
        (d,) position of the sensor.  With it, only the seen side is free space; without it, both sides are.
    neighbours
        Points that a normal is estimated from.

    Returns
    -------
    Mixture
        With ``bias``: :meth:`Mixture.decision` is positive on the surface and negative in free space.

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
    cost = positive("cost", cost, least=1.0 / DEAREST, most=DEAREST)
    tolerance = positive("tolerance", tolerance, least=TIGHTEST, most=LOOSEST)
    thinning = positive("thinning", thinning, least=1.0 / MOST_SIGMAS, most=MOST_SIGMAS, zero=True)
    weights = np.ones(len(points))
    sigma = component_sigma(points, weights, 64.0 if gamma is None else gamma, scale)
    if thinning > 0:
        points, _ = thin(points, weights, thinning * sigma)
    normals = estimate_normals(points, neighbours, viewpoint)
    free = free_space(points, normals, distance * sigma, both=viewpoint is None)
    if not len(free):
        raise InputError(f"distance must leave free space beside the points: at {distance} sigma none is left")
    labels = np.r_[np.ones(len(points)), -np.ones(len(free))]
    beta, rho = train_two_class(np.vstack([points, free]), labels, 0.5 / sigma**2, cost, tolerance)
    total = beta[beta > 0].sum()
    support = beta != 0
    return Mixture(np.vstack([points, free])[support], sigma**2, beta[support] / total, rho / total)


def free_space(points: Array, normals: Array, distance: float, *, both: bool) -> Array:
    """Points displaced by a distance along their normals, without those nearer than 0.9 of it to any point."""
    from scipy.spatial import cKDTree

    sides = [points + distance * normals] + ([points - distance * normals] if both else [])
    displaced = np.vstack(sides)
    nearest, _ = cKDTree(points).query(displaced)
    free: Array = displaced[nearest >= 0.9 * distance]
    return free
