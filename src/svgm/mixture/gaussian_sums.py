"""Sums over the components of a mixture, isotropic or with covariances: density, its logarithm, inner product."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from svgm import _core
from svgm.checks.errors import InputError
from svgm.checks.types import Array
from svgm.mixture import full_gaussians as full

#: Terms of a Gauss transform below exp(-CUTOFF) = 1e-12 of a component's peak are left out.
CUTOFF = 27.6

#: Exponents that are held in memory at a time.
_CHUNK = 2_000_000

_LOG_LARGEST = 709.0


class Gaussians(Protocol):
    """The fields of a mixture that the sums need."""

    @property
    def means(self) -> Array: ...
    @property
    def weights(self) -> Array: ...
    @property
    def variance(self) -> float: ...
    @property
    def covariances(self) -> Array | None: ...


def kernel_sum(p: Gaussians, x: Array, threads: int) -> Array:
    """The density divided by the peak of an isotropic component, at rows of x: (n,)."""
    if p.covariances is not None:
        return full.kernel_sums(p.means, p.covariances, p.weights, p.variance, x, CUTOFF, threads)
    tree = _core.BoxTree(p.means, p.weights)
    return _core.gauss_transform(tree, x, 0.5 / p.variance, CUTOFF, 0, threads)[:, 0]


def density(p: Gaussians, x: Array, threads: int) -> Array:
    """p(x) of eq. (12) at rows of x, (n,); InputError if densities exceed the largest float."""
    top = peak(p.variance, p.means.shape[1])
    if overflows(p):
        raise InputError("covariances must be larger for densities to be below the largest float")
    return top * kernel_sum(p, x, threads)


def overflows(p: Gaussians) -> bool:
    """Whether a component's density at its mean exceeds the largest float."""
    highest = 0.0 if p.covariances is None else float(full.log_heights(p.covariances, p.variance).max())
    return bool(highest - 0.5 * p.means.shape[1] * np.log(2.0 * np.pi * p.variance) > _LOG_LARGEST)


def log_density(p: Gaussians, x: Array) -> Array:
    """log p(x) at rows of x, (n,), for weights that are not negative; components of weight 0 are left out."""
    kept = p.weights > 0
    means, logs, d = p.means[kept], np.log(p.weights[kept]), p.means.shape[1]
    covariances = None if p.covariances is None else p.covariances[kept]
    if covariances is not None:
        logs = logs + full.log_heights(covariances, p.variance)
    out: Array = np.empty(len(x))
    step = max(1, _CHUNK // len(means) // (1 if covariances is None else d))
    for start in range(0, len(x), step):
        chunk = x[start : start + step]
        # Far from narrow components the logarithm itself exceeds the largest float and becomes minus infinity.
        with np.errstate(over="ignore", divide="ignore"):
            if covariances is None:
                squared = sum((chunk[:, k, None] - means[:, k]) ** 2 for k in range(d))
                exponents = logs - squared / (2.0 * p.variance)
            else:
                exponents = logs + full.log_kernels(means, covariances, chunk)
            top = np.maximum(exponents.max(axis=1), -np.finfo(np.float64).max)
            out[start : start + step] = top + np.log(np.exp(exponents - top[:, None]).sum(axis=1))
    height = _height(p.variance, d)
    out += np.log(height) if 0.0 < height < np.inf else -0.5 * d * np.log(2.0 * np.pi * p.variance)
    return out


def inner_product(p: Gaussians, q: Gaussians, threads: int) -> float:
    """``integral of p q``, by the identity (13); InputError if it exceeds the largest float."""
    variance, d = p.variance + q.variance, p.means.shape[1]
    if p.covariances is None and q.covariances is None:
        tree = _core.BoxTree(q.means, q.weights)
        near = _core.gauss_transform(tree, p.means, 0.5 / variance, CUTOFF, 0, threads)
        return float(p.weights @ near[:, 0] * peak(variance, d))
    unit = full.binary_unit(variance)
    pair = (q.means, covariances_of(q)), (p.means, covariances_of(p))
    sums = full.overlap_sums(*pair, q.weights, unit, CUTOFF, threads)
    with np.errstate(over="ignore"):
        product = float(p.weights @ sums * peak(unit**2, d))
    if not np.isfinite(product):
        raise InputError("covariances must be larger for the product of densities to be below the largest float")
    return product


def norm(p: Gaussians, threads: int) -> float:
    """``(integral of p²)^½``; InputError if it exceeds the largest float."""
    if p.covariances is not None:
        return float(np.sqrt(max(0.0, inner_product(p, p, threads))))
    overlap = _core.self_overlap(_core.BoxTree(p.means, p.weights), 0.25 / p.variance, CUTOFF, False)
    return float(np.sqrt(overlap * peak(2.0 * p.variance, p.means.shape[1])))


def covariances_of(p: Gaussians) -> Array:
    """Covariances (m, d, d) of the components: variance I for an isotropic mixture."""
    return (
        full.isotropic_covariances(len(p.means), p.means.shape[1], p.variance)
        if p.covariances is None
        else p.covariances
    )


def peak(variance: float, dimension: int) -> float:
    """Density of an isotropic Gaussian at its mean; InputError if it exceeds the largest float.

    >>> round(peak(1.0, 2), 4)
    0.1592
    """
    height = _height(variance, dimension)
    if height == np.inf:
        raise InputError(
            f"variance must be larger for densities in {dimension}D to be below the largest float, got "
            f"{variance:g}; log_density and kernel_sum have no such limit"
        )
    return height


def _height(variance: float, dimension: int) -> float:
    """Density of an isotropic Gaussian at its mean; infinite or zero if it is outside the range of a float."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float64(2.0 * np.pi * variance) ** (-dimension / 2))
