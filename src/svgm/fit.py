"""From points to a support-vector Gaussian mixture (Section 3): estimate the scale, train the SVM, convert it."""

from __future__ import annotations

from typing import Any

import numpy as np

from svgm import _core
from svgm.errors import InputError
from svgm.mixture import Mixture
from svgm.points import Array, as_points, as_weights
from svgm.scale import estimate_scale
from svgm.thin import thin


def fit(
    points: Any,
    *,
    nu: float = 0.01,
    gamma: float | None = None,
    scale: float | None = None,
    sample_weight: Any = None,
    thinning: float = 0.25,
    tolerance: float = 1e-3,
) -> Mixture:
    points = as_points(points)
    weights = as_weights(sample_weight, len(points))
    _check(nu, gamma, scale, thinning)
    sigma = (estimate_scale(points, weights) if scale is None else scale) / np.sqrt(1.0 if gamma is None else gamma)
    return fit_at(points, weights, sigma, nu=nu, thinning=thinning, tolerance=tolerance)


def fit_at(points: Array, weights: Array, sigma: float, *, nu: float, thinning: float, tolerance: float = 1e-3) -> Mixture:
    """`fit` at a given sigma, arguments already checked."""
    if thinning > 0:
        points, weights = thin(points, weights, thinning * sigma)
    keep = weights > 0
    points, weights = points[keep], weights[keep]
    centre = points.mean(axis=0)
    alpha, rho = train_svm(points - centre, weights, 0.5 / sigma**2, nu, tolerance)
    support = alpha > 0
    # eq. (7)-(9): the factor (2 pi sigma²)^(D/2) of (9) is common to all components and leaves with normalisation.
    return Mixture(points[support], sigma**2, alpha[support] / alpha[support].sum(), rho)


def train_svm(points: Array, weights: Array, gamma: float, nu: float, tolerance: float) -> tuple[Array, float]:
    """Duals of the one-class SVM, scaled to sum 1, and the bias rho in the same scale."""
    bounds = weights / (nu * weights.sum())
    # Start from as few points as the bounds allow, as LIBSVM does.
    filled = np.minimum(np.cumsum(bounds), 1.0)
    start = np.diff(filled, prepend=0.0)
    alpha, rho, _, _, _ = _core.train_one_class_svm(points, bounds, start, gamma, tolerance, 10_000_000)
    return alpha, rho


def kde(points: Any, *, gamma: float | None = None, scale: float | None = None, sample_weight: Any = None) -> Mixture:
    points = as_points(points)
    weights = as_weights(sample_weight, len(points))
    _check(1.0, gamma, scale, 0.0)
    sigma = (estimate_scale(points, weights) if scale is None else scale) / np.sqrt(1.0 if gamma is None else gamma)
    keep = weights > 0
    return Mixture(points[keep], sigma**2, weights[keep] / weights.sum())


def _check(nu: float, gamma: float | None, scale: float | None, thinning: float) -> None:
    if not 0 < nu <= 1:
        raise InputError(f"nu must be in (0, 1], got {nu}")
    for name, value in (("gamma", gamma), ("scale", scale)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise InputError(f"{name} must be positive and finite, got {value}")
    if not (np.isfinite(thinning) and thinning >= 0):
        raise InputError(f"thinning must be zero or more, got {thinning}")
