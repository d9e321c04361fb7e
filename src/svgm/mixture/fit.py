"""From points to a support-vector Gaussian mixture (Section 3): estimate the scale, train the SVM, convert it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import LARGEST, instance, one_of, positive
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PointsLike
from svgm.geometry.points import SMALLEST, as_points, as_weights
from svgm.geometry.scale import scale_of
from svgm.geometry.thinning import thin
from svgm.mixture.covariances import local_covariances
from svgm.mixture.full_gaussians import log_heights
from svgm.mixture.mixture import Mixture
from svgm.mixture.svm import train_one_class

#: The largest useful tolerance of an SVM: a tenth of the bias.
LOOSEST = 0.1

#: The smallest tolerance: kernel sums are not more accurate.
TIGHTEST = 1e-12

#: What `fit` calls the two kinds of covariances.
COVARIANCES = ("isotropic", "full")

#: Lengths in units of sigma are at most this and at least its inverse.
MOST_SIGMAS = 1e9


def fit(
    points: PointsLike,
    *,
    nu: float = 0.01,
    gamma: float | None = None,
    scale: float | None = None,
    like: Mixture | None = None,
    weights: ArrayLike | None = None,
    thinning: float = 0.25,
    tolerance: float = 1e-3,
    covariance: str = "isotropic",
) -> Mixture:
    """Fit a support-vector Gaussian mixture to points: a one-class SVM converted to a density (Section 3).

    The SVM ``f(x) = sum_i alpha_i exp(-|x_i - x|² / 2 sigma²) - rho`` becomes the mixture
    ``p(x) = sum_i phi_i N(x | x_i, sigma²)`` with phi proportional to alpha, eq. (7)-(9).

    Parameters
    ----------
    points : PointsLike, shape (n, d)
        An array or nested lists, a path, an Open3D cloud or a tensor; d is 1 to 128.
    nu : float, default 0.01
        In (0, 1].  At most this share of the points are outliers, and at least this share are support vectors.
    gamma : float, default 1
        Positive.  Kernel width as a multiple of gamma-hat = 1 / (2 scale²), so sigma = scale / sqrt(gamma).  A larger
        gamma gives a finer mixture with more components.
    scale : float, optional
        Positive, in the unit of the points: the length to which gamma refers.  Default: sigma-hat of eq. (3), see
        :func:`svgm.estimate_scale`.
    like : Mixture, optional
        A mixture whose sigma is used, so that both mixtures can be merged.  Then `gamma` and `scale` must not be given.
    weights : array_like, shape (n,), optional
        Weights of the points, not negative and not all zero.  A weight of 2 counts a point twice.  Default: 1.
    thinning : float, default 0.25
        Side of a cell as a multiple of sigma, from 1e-9 to 1e9, or 0 for no thinning.  The points in one cell are
        replaced by their mean, because the SVM cannot distinguish them.  On a dragon scan, 0.25 changes the mixture by
        3e-4 in relative squared L2 distance (``python -m benchmarks.speed fit``).
    tolerance : float, default 1e-3
        From 1e-12 to 0.1: the largest violation of the SVM's optimality conditions, as a share of rho.
    covariance : {"isotropic", "full"}, default "isotropic"
        Whether each component has the covariance sigma² I, as in the paper, or one of its own.  With "full" the
        covariance of a component is the scatter of the points around it, and the SVM is trained with these covariances
        (Section 7 of the paper proposes it).  On a surface the components are flat.

    Returns
    -------
    Mixture
        The support vectors with weights that sum to 1, and the bias rho; with "full" also their covariances.

    Raises
    ------
    InputError
        If an argument is not as described, if `like` is combined with `gamma` or `scale`, or if all points coincide
        and neither `scale` nor `like` is given.
    FileError
        If `points` is a path and the file cannot be read.

    Examples
    --------
    >>> angle = np.linspace(0, 2 * np.pi, 500)
    >>> ring = np.c_[np.cos(angle), np.sin(angle)]
    >>> mixture = fit(ring, gamma=4)
    >>> len(mixture) < 100
    True
    >>> bool(mixture.decision([[0.0, 1.0]])[0] > mixture.decision([[0.0, 0.0]])[0])
    True

    A second set with the sigma of the first, so that the two can be merged:

    >>> from svgm import merge
    >>> other = fit(ring + [3.0, 0.0], like=mixture)
    >>> merge(other, mixture).sigma == mixture.sigma
    True

    Components that are flat along the ring:

    >>> flat = fit(ring, gamma=100, covariance="full")
    >>> deviations = np.sqrt(np.linalg.eigvalsh(flat.covariances)) / flat.sigma
    >>> bool((deviations[:, 0] < 0.35).all()), bool((deviations[:, 1] > 0.9).all())
    (True, True)
    """
    points = as_points(points)
    weights = as_weights(weights, len(points))
    nu = positive("nu", nu, most=1)
    thinning = positive("thinning", thinning, least=1.0 / MOST_SIGMAS, most=MOST_SIGMAS, zero=True)
    tolerance = positive("tolerance", tolerance, least=TIGHTEST, most=LOOSEST)
    full = one_of("covariance", covariance, COVARIANCES) == "full"
    sigma = component_sigma(points, weights, gamma, scale, like)
    if thinning > 0:
        points, weights = thin(points, weights, thinning * sigma)
    return to_mixture(
        points, weights, sigma, nu=nu, tolerance=tolerance, thinned=thinning > 0, everywhere=True, full=full
    )


def to_mixture(
    points: Array,
    weights: Array,
    sigma: float,
    *,
    nu: float,
    tolerance: float,
    thinned: bool,
    everywhere: bool = False,
    full: bool = False,
) -> Mixture:
    """trainSVM and toGMM of Algorithm 1, for points that are already thinned; see `train_one_class` for the options.

    With `full`, the points have covariances from their neighbours among all points, see `local_covariances`.
    """
    covariances = local_covariances(points, weights, points, sigma) if full else None
    svm = train_one_class(
        points,
        weights,
        0.5 / sigma**2,
        nu,
        tolerance,
        everywhere=everywhere,
        in_order=thinned,
        covariances=covariances,
    )
    support = np.flatnonzero(svm.alpha)
    alpha = svm.alpha[support]
    if covariances is None:
        # eq. (7)-(9): all components have the same factor (2 pi sigma²)^(D/2) of (9), so normalisation removes it.
        return Mixture.unchecked(points[support], sigma**2, alpha / alpha.sum(), svm.rho)
    # A kernel exp(-½ dᵀ Σ⁻¹ d) is |2 pi Σ|^½ N(x | x_i, Σ), so by (9) phi_i is proportional to alpha_i |Σ_i|^½.  The
    # bias is divided by the same sum as the weights, in units of the isotropic kernel.
    covariances = covariances[support]
    phi = alpha * np.exp(-log_heights(covariances, sigma**2))
    rho = svm.rho / phi.sum()
    mixture = Mixture.unchecked(points[support], sigma**2, phi / phi.sum(), rho, covariances)
    if not everywhere:
        return mixture
    # The SVM compares two points by the mean of their covariances, but a density by one of them.  So its sum at the
    # points varies by a tenth around rho, and the bias is lowered until at most a share nu of the points is outside.
    sums = mixture.kernel_sum(points)
    order = np.argsort(sums, kind="stable")
    outside = np.searchsorted(np.cumsum(weights[order]), nu * weights.sum(), side="right")
    bias = min(rho, float(sums[order[min(outside, len(order) - 1)]]))
    return Mixture.unchecked(mixture.means, mixture.variance, mixture.weights, bias, covariances)


def kde(
    points: PointsLike,
    *,
    gamma: float | None = None,
    scale: float | None = None,
    like: Mixture | None = None,
    weights: ArrayLike | None = None,
) -> Mixture:
    """The mixture of GMMReg, for comparison: a kernel density estimate, with one Gaussian at every point.

    Parameters
    ----------
    points : PointsLike, shape (n, d)
        An array or nested lists, a path, an Open3D cloud or a tensor.
    gamma, scale, like
        As in :func:`svgm.fit`: they determine sigma.
    weights : array_like, shape (n,), optional
        Weights of the points, not negative and not all zero.  Default: equal weights.

    Returns
    -------
    Mixture
        One component for each point of positive weight, with weights that sum to 1, without a bias.

    Raises
    ------
    InputError
        As for :func:`svgm.fit`.
    FileError
        If `points` is a path and the file cannot be read.

    Examples
    --------
    >>> kde([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], gamma=4)
    Mixture(3 components in 2D, sigma 0.2686)
    """
    points = as_points(points)
    weights = as_weights(weights, len(points))
    sigma = component_sigma(points, weights, gamma, scale, like)
    kept = weights > 0
    return Mixture(points[kept], sigma**2, weights[kept] / weights.sum())


def component_sigma(
    points: Array, weights: Array, gamma: float | None, scale: float | None, like: Mixture | None
) -> float:
    """sigma = scale / sqrt(gamma), where gamma is a multiple of gamma-hat without unit; or the sigma of `like`."""
    if like is None:
        width = 1.0 if gamma is None else positive("gamma", gamma)
        length = scale_of(points, weights) if scale is None else positive("scale", scale)
        return checked_sigma(float(length) / math.sqrt(width))
    if instance("like", like, Mixture).dimension != points.shape[1]:
        raise InputError(f"like must be a mixture in {points.shape[1]}D, as the points are, got {like.dimension}D")
    if gamma is not None or scale is not None:
        raise InputError("like determines sigma: it cannot be combined with gamma or scale")
    return like.sigma


def checked_sigma(sigma: float) -> float:
    """A sigma whose square is neither zero nor infinite.

    >>> checked_sigma(0.5)
    0.5
    """
    if not SMALLEST <= sigma <= LARGEST:
        rule = f"from {SMALLEST:g} to {LARGEST:g}, so that its square is a number"
        raise InputError(f"sigma = scale / sqrt(gamma) must be {rule}, got {sigma:g}")
    return sigma
