"""Sums of Gaussians that have covariances of their own, and the checks of such covariances."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm import _core
from svgm.checks.arguments import LARGEST, as_numbers
from svgm.checks.errors import InputError
from svgm.checks.types import Array
from svgm.geometry.points import SMALLEST

#: The largest ratio of a covariance's eigenvalues: its deviations differ by a factor of at most 1e4.  Beyond it the
#: rounding of the entries, 1e-16 of the largest, would show in the exponent.
CONDITION = 1e8

#: Heights of kernels, sigma^d / |Σ|^½, are from the inverse of exp(this) to exp(this).
_LOG_HEIGHT = float(np.log(LARGEST))


def as_covariances(value: ArrayLike, means: Array, variance: float) -> Array:
    """Covariances (m, d, d) of components, symmetric and positive definite; InputError otherwise.

    >>> as_covariances([[[4.0, 0.0], [0.0, 1.0]]], np.zeros((1, 2)), 1.0).shape
    (1, 2, 2)
    """
    covariances = as_numbers(value, "covariances")
    m, d = means.shape
    if covariances.shape != (m, d, d):
        raise InputError(f"covariances must have shape ({m}, {d}, {d}), one a component, got shape {covariances.shape}")
    largest = np.abs(covariances).max(axis=(1, 2), initial=0.0)
    if not ((largest >= SMALLEST**2) & (largest <= LARGEST**2)).all():  # false for NaN
        raise InputError(
            f"covariances must be finite, their largest entries from {SMALLEST**2:g} to {LARGEST**2:g}: "
            f"{_first(~((largest >= SMALLEST**2) & (largest <= LARGEST**2)))}"
        )
    scaled = covariances / largest[:, None, None]
    skew = np.abs(scaled - scaled.swapaxes(1, 2)).max(axis=(1, 2)) > 1e-9
    if skew.any():
        raise InputError(f"covariances must be symmetric: {_first(skew)}")
    eigenvalues = np.linalg.eigvalsh(0.5 * (scaled + scaled.swapaxes(1, 2)))
    flat = ~(eigenvalues[:, 0] * CONDITION >= eigenvalues[:, -1])
    if flat.any():
        raise InputError(
            f"covariances must be positive definite, their eigenvalues within a factor {CONDITION:g}: {_first(flat)}"
        )
    covariances = symmetric(covariances)
    extreme = np.abs(log_heights(covariances, variance)) > _LOG_HEIGHT
    if extreme.any():
        rule = f"sigma^d / |covariance|^½ must be from {SMALLEST:g} to {LARGEST:g}"
        raise InputError(f"covariances must fit the variance, {rule}: {_first(extreme)}")
    return covariances


def _first(wrong: NDArray[np.bool_]) -> str:
    return f"{wrong.sum()} of {len(wrong)} are not, the first is number {np.argmax(wrong)}"


def symmetric(matrices: Array) -> Array:
    """The symmetric part of matrices (m, d, d): equal bits on both sides of the diagonal."""
    return np.ascontiguousarray(0.5 * matrices + 0.5 * matrices.swapaxes(1, 2))


def isotropic_covariances(count: int, dimension: int, variance: float) -> Array:
    """The covariances (m, d, d) of an isotropic mixture, variance I.

    >>> isotropic_covariances(2, 1, 0.5).tolist()
    [[[0.5]], [[0.5]]]
    """
    return np.tile(variance * np.eye(dimension), (count, 1, 1))


def log_heights(covariances: Array, variance: float) -> Array:
    """log(sigma^d / |Σ_i|^½): the logarithm of a kernel at its mean, (m,)."""
    unit = binary_unit(variance)
    log_determinants = np.linalg.slogdet(covariances / unit / unit)[1]
    heights: Array = 0.5 * (covariances.shape[1] * np.log(variance / unit / unit) - log_determinants)
    return heights


def binary_unit(variance: float) -> float:
    """The power of two next to sigma.  Numbers in this unit are of usual size, and no digit changes.

    >>> binary_unit(0.3), binary_unit(1e-300) > 0
    (0.5, True)
    """
    return float(2.0 ** np.round(0.5 * np.log2(variance)))


def kernel_sums(
    means: Array, covariances: Array, weights: Array, variance: float, x: Array, cutoff: float, threads: int
) -> Array:
    """``sum_i weights_i sigma^d / |Σ_i|^½ exp(-½ (x - means_i)ᵀ Σ_i⁻¹ (x - means_i))``, (n,)."""
    unit = binary_unit(variance)
    scaled = covariances / unit / unit
    sums = _core.full_transform(_in_unit(means, unit), scaled, weights, _in_unit(x, unit), None, cutoff, threads)
    height: float = (variance / unit / unit) ** (means.shape[1] / 2)
    return sums * height


def overlap_sums(
    gaussians: tuple[Array, Array],
    others: tuple[Array, Array],
    weights: Array,
    unit: float,
    cutoff: float,
    threads: int,
) -> Array:
    """For the j-th of the others, ``sum_i weights_i (2 pi)^(d/2) N(mu_i - mu_j | 0, Σ_i + Σ_j)``, eq. (13): (n,).

    Lengths are in `unit`.  Gaussians are means (m, d) and covariances (m, d, d).
    """
    (means, covariances), (other_means, other_covariances) = (
        (_in_unit(mu, unit), sigma / unit / unit) for mu, sigma in (gaussians, others)
    )
    return _core.full_transform(means, covariances, weights, other_means, other_covariances, cutoff, threads)


def _in_unit(x: Array, unit: float) -> Array:
    """Positions in a unit; clipped, so that differences and their squares are finite."""
    with np.errstate(over="ignore"):
        scaled: Array = np.clip(x / unit, -LARGEST, LARGEST)
    return scaled


def log_kernels(means: Array, covariances: Array, x: Array) -> Array:
    """``-½ (x_n - means_i)ᵀ Σ_i⁻¹ (x_n - means_i)`` for all pairs, (n, m)."""
    inverse = np.linalg.inv(np.linalg.cholesky(covariances))
    with np.errstate(over="ignore"):
        whitened = np.einsum("iab,nib->nia", inverse, x[:, None] - means)
        exponents: Array = -0.5 * np.einsum("nia,nia->ni", whitened, whitened)
    return exponents
