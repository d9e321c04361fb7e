"""From points to a support-vector Gaussian mixture (Section 3): estimate the scale, train the SVM, convert it."""

from __future__ import annotations

from typing import Any

import numpy as np

from svgm.checks.arguments import positive
from svgm.checks.errors import InputError
from svgm.geometry.points import LARGEST, SMALLEST, Array, as_points, as_weights
from svgm.geometry.scale import scale_of
from svgm.geometry.thinning import thin
from svgm.mixture.mixture import Mixture
from svgm.mixture.svm import train_one_class

#: The largest tolerance of an SVM that still means something: a tenth of the bias.
LOOSEST = 0.1

#: The smallest: kernel sums are not rounded better.
TIGHTEST = 1e-12

#: Lengths in units of sigma are at most this and at least its inverse.
MOST_SIGMAS = 1e9


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
    """Fit a support-vector Gaussian mixture to points: a one-class SVM read as a density (Section 3).

    The SVM ``f(x) = sum_i alpha_i exp(-|x_i - x|² / 2 sigma²) - rho`` becomes the mixture
    ``p(x) = sum_i phi_i N(x | x_i, sigma²)`` with phi proportional to alpha, eq. (7)-(9).

    Parameters
    ----------
    points
        (n, d) array of any dimension, a path, an Open3D cloud or a tensor.
    nu
        In (0, 1]: bound on the fraction of outliers, and on the fraction of support vectors from below.
    gamma
        Kernel width as a multiple of gamma-hat = 1 / (2 scale²), so sigma = scale / sqrt(gamma).  Default 1; larger
        is finer, with more components.
    scale
        The length that gamma refers to.  Default: sigma-hat of eq. (3), :func:`svgm.estimate_scale`.  Give two sets
        the same scale when they are to be merged or compared.
    sample_weight
        (n,) non-negative: a weight scales that point's bound, as if the point were there that often.
    thinning
        Points within a cell of this fraction of sigma count as one, at their mean, with their number as weight: the
        SVM cannot tell them apart.  On a dragon scan 0.25 changes the mixture by 3e-4 in relative squared L2 distance
        (``python -m benchmarks.speed fit``); 0 turns it off.
    tolerance
        Of the SVM's optimality conditions, relative to rho.

    Returns
    -------
    Mixture
        The support vectors with weights that sum to 1, and the bias rho.

    Examples
    --------
    >>> angle = np.linspace(0, 2 * np.pi, 500)
    >>> ring = np.c_[np.cos(angle), np.sin(angle)]
    >>> mixture = fit(ring, gamma=4)
    >>> len(mixture) < 100
    True
    >>> bool(mixture.decision([[0.0, 1.0]])[0] > mixture.decision([[0.0, 0.0]])[0])
    True
    """
    points = as_points(points)
    weights = as_weights(sample_weight, len(points))
    nu = positive("nu", nu, most=1)
    thinning = positive("thinning", thinning, least=1.0 / MOST_SIGMAS, most=MOST_SIGMAS, zero=True)
    tolerance = positive("tolerance", tolerance, least=TIGHTEST, most=LOOSEST)
    sigma = component_sigma(points, weights, gamma, scale)
    if thinning > 0:
        points, weights = thin(points, weights, thinning * sigma)
    return to_mixture(points, weights, sigma, nu=nu, tolerance=tolerance, thinned=thinning > 0, everywhere=True)


def to_mixture(
    points: Array,
    weights: Array,
    sigma: float,
    *,
    nu: float,
    tolerance: float,
    thinned: bool,
    everywhere: bool = False,
) -> Mixture:
    """trainSVM and toGMM of Algorithm 1, thinning behind them; see `train_one_class` for the tolerance."""
    checked_sigma(sigma)
    svm = train_one_class(points, weights, 0.5 / sigma**2, nu, tolerance, everywhere=everywhere, in_order=thinned)
    support = np.flatnonzero(svm.alpha)
    alpha = svm.alpha[support]
    # eq. (7)-(9): the factor (2 pi sigma²)^(D/2) of (9) is common to all components and leaves with normalisation.
    return Mixture.unchecked(points[support], sigma**2, alpha / alpha.sum(), svm.rho)


def kde(points: Any, *, gamma: float | None = None, scale: float | None = None, sample_weight: Any = None) -> Mixture:
    """The mixture of GMMReg, for comparison: one equally weighted Gaussian at every point.

    Parameters are those of :func:`fit`.

    >>> kde([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], gamma=4)
    Mixture(3 components in 2D, sigma 0.2686)
    """
    points = as_points(points)
    weights = as_weights(sample_weight, len(points))
    sigma = component_sigma(points, weights, gamma, scale)
    seen = weights > 0
    return Mixture(points[seen], sigma**2, weights[seen] / weights.sum())


def component_sigma(points: Array, weights: Array, gamma: float | None, scale: float | None) -> float:
    """sigma = scale / sqrt(gamma): gamma is a multiple of gamma-hat, so no unit of length enters."""
    width = 1.0 if gamma is None else positive("gamma", gamma)
    length = scale_of(points, weights) if scale is None else positive("scale", scale)
    return checked_sigma(float(length / np.sqrt(width)))


def checked_sigma(sigma: float) -> float:
    """A sigma whose square is a number.

    >>> checked_sigma(0.5)
    0.5
    """
    if not SMALLEST <= sigma <= LARGEST:
        rule = f"from {SMALLEST:g} to {LARGEST:g}, so that it has a square"
        raise InputError(f"sigma = scale / sqrt(gamma) must be {rule}, got {sigma:g}")
    return sigma
