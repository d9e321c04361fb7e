"""GMMerge (Section 5, Algorithm 2): merge two aligned mixtures so that surface in both is counted once."""

from __future__ import annotations

from typing import Any

import numpy as np

from svgm.checks.arguments import LARGEST, instance, positive
from svgm.checks.errors import InputError
from svgm.checks.types import Array
from svgm.geometry.points import SMALLEST
from svgm.mixture.full_gaussians import log_heights
from svgm.mixture.mixture import Mixture

#: A component of free space is removed where the other mixture's kernel sum is at least this share of its value on a
#: surface.  It is not zero, because the tail of a distant surface is no evidence of a surface.
CONTRADICTION = 0.1


def merge(source: Mixture, target: Mixture, *, t: float = np.inf, threads: int | None = None) -> Mixture:
    """Merge an aligned source mixture into the target: keep the target and add what it lacks (Algorithm 2).

    For the i-th component of the source, Delta_i is its own density at its mean minus the target's density there:

        Delta_i = p(mu_i | G_i,source) - p(mu_i | G_target),      phi_i <- phi_i max(0, min(1, t Delta_i))

    Components that keep a positive weight are added to the target, and the weights are normalised again.

    Parameters
    ----------
    source, target : Mixture
        Mixtures of the same variance (to a relative 1e-6) in the same coordinates, for example
        ``source.transformed(result.transformation)`` and ``svgm.fit(points, like=source)``.  If one of them has
        covariances, the result has covariances, and those of an isotropic mixture are variance I.
    t : float, default inf
        In [0, inf].  0 returns the density of the target.  inf adds every component that is not redundant, at its full
        weight.  Values between reduce the weight of components that the target nearly explains.  The paper's Delta is a
        density, so its unit depends on the unit of length.  Here Delta is divided by the peak density of an average
        source component, so t has no unit and ``t_paper = t / (mean(phi_source) N(0 | 0, sigma²))``.
    threads : int, optional
        Threads to use, at least 1.  Default: one for each CPU that this process may use.

    Returns
    -------
    Mixture
        Components of the target first, then those of the source; it has a bias if the target has one.

    Raises
    ------
    InputError
        If an argument is not as described.

    Notes
    -----
    The weights of a mixture sum to 1, however much surface it covers.  So the same wall has less weight in a map of
    twenty scans than in one scan, and regions that few scans saw would fade as scans are added.  The kernel sum of an
    SVM equals the bias rho on all of its surface, so weights divided by rho are comparable.  Delta is computed from
    these, and the merged mixture has a bias.  If both biases are equal, or if a mixture has none, the result is that of
    Algorithm 2 exactly.

    For signed mixtures (:func:`svgm.fit_two_class`) the median of the kernel sum at the positive components takes the
    place of rho.  Surface is measured, but free space is inferred from normals.  So negative components of one mixture
    are removed where the other mixture has surface, as :func:`svgm.fit_two_class` leaves out free-space points near the
    surface.  Otherwise free space at the rim of one scan would cut holes into the surface of another.

    Examples
    --------
    >>> left = Mixture([[0.0, 0.0], [1.0, 0.0]], 0.04, [0.5, 0.5], bias=0.5)
    >>> right = Mixture([[1.0, 0.0], [2.0, 0.0]], 0.04, [0.5, 0.5], bias=0.5)
    >>> merge(left, right).means.tolist()
    [[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]]
    """
    t = positive("t", t, infinite=True, zero=True)
    _check_pair(source, target)
    level_source, level_target = _surface_levels(source, target, threads)
    phi_source, phi_target = source.weights / level_source, target.weights / level_target
    seen = target.kernel_sum(source.means, threads=threads) / level_target
    # A negative component (free space) is redundant where the target is already as negative.
    own = (
        phi_source
        if source.covariances is None
        else phi_source * np.exp(log_heights(source.covariances, source.variance))
    )
    delta = np.sign(own) * (own - seen) / np.abs(own).mean()
    kept = phi_source * _ramp(t, delta)
    stays = np.ones(len(target), dtype=bool)
    if source.signed and target.signed:
        kept[(phi_source < 0) & (seen > CONTRADICTION)] = 0.0
        # At t = 0 the target does not change.
        found = source.kernel_sum(target.means, threads=threads) / level_source
        against = np.where(phi_target < 0, found - CONTRADICTION, 0.0)
        phi_target = phi_target * (1.0 - _ramp(t, against))
        stays = phi_target != 0
    added = kept != 0
    weights = np.r_[phi_target[stays], kept[added]]
    total = weights[weights > 0].sum()
    bias = None if target.bias is None else target.bias / (level_target * total)
    means = np.vstack([target.means[stays], source.means[added]])
    covariances = _covariances(target, stays, source, added)
    return Mixture(means, target.variance, weights / total, bias, covariances=covariances)


def _ramp(t: float, delta: Array) -> Array:
    """max(0, min(1, t delta)); for an infinite t, 1 where delta is positive and 0 elsewhere."""
    with np.errstate(invalid="ignore", over="ignore"):
        ramp: Array = np.clip(np.where(delta > 0, t * delta, 0.0), 0.0, 1.0)
    return ramp


def merge_naive(source: Mixture, target: Mixture) -> Mixture:
    """The sum of two aligned mixtures with half the weight each, for comparison: surface in both is counted twice.

    Parameters
    ----------
    source, target : Mixture
        Mixtures of the same variance in the same coordinates, with or without covariances.

    Returns
    -------
    Mixture
        Components of the target first, then those of the source, without a bias.

    Raises
    ------
    InputError
        If the mixtures differ in dimension or variance.

    Examples
    --------
    >>> one = Mixture([[0.0, 0.0]], 1.0, [1.0])
    >>> merge_naive(one, one).weights
    array([0.5, 0.5])
    """
    _check_pair(source, target)
    means = np.vstack([target.means, source.means])
    weights = 0.5 * np.r_[target.weights, source.weights]
    return Mixture(means, target.variance, weights, covariances=_covariances(target, ..., source, ...))


def _covariances(target: Mixture, stays: Any, source: Mixture, added: Any) -> Array | None:
    """Covariances of the target's components that stay, then of the source's that are added; None if all are equal."""
    if source.covariances is None and target.covariances is None:
        return None
    return np.vstack([target.full_covariances()[stays], source.full_covariances()[added]])


def _surface_levels(source: Mixture, target: Mixture, threads: int | None) -> tuple[float, float]:
    """The kernel sums of the two mixtures on their surfaces; 1 and 1 if one of them is unknown."""
    levels = [_signed_level(m, threads) if m.signed else m.bias or 0.0 for m in (source, target)]
    if min(levels) <= 0 or source.signed != target.signed:
        return 1.0, 1.0
    if min(levels) < SMALLEST or max(levels) > LARGEST:
        raise InputError(
            f"mixtures must have a bias from {SMALLEST:g} to {LARGEST:g}, got {levels[0]:g} and {levels[1]:g}"
        )
    return levels[0], levels[1]


def _signed_level(mixture: Mixture, threads: int | None) -> float:
    """The kernel sum at the positive support vectors, which lie on the margin of the SVM however weights are scaled."""
    return float(np.median(mixture.kernel_sum(mixture.means[mixture.weights > 0], threads=threads)))


def _check_pair(source: Mixture, target: Mixture) -> None:
    instance("source", source, Mixture)
    instance("target", target, Mixture)
    if source.dimension != target.dimension:
        raise InputError(f"mixtures must have the same dimension, got {source.dimension} and {target.dimension}")
    if not np.isclose(source.variance, target.variance, rtol=1e-6):
        raise InputError(
            f"mixtures must have one variance (fit one of them with like=the other), got {source.variance:.6g} "
            f"and {target.variance:.6g}"
        )
