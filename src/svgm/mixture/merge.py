"""GMMerge (Section 5, Algorithm 2): fuse two aligned mixtures without counting twice what both saw."""

from __future__ import annotations

import numpy as np

from svgm.checks.arguments import instance, positive
from svgm.checks.errors import InputError
from svgm.geometry.points import LARGEST, SMALLEST, Array
from svgm.mixture.mixture import Mixture

#: Free space is contradicted where the other mixture has this share of what it has on its surface.  Not zero: the tail
#: of a surface far away is no sign of one.
CONTRADICTION = 0.1


def merge(source: Mixture, target: Mixture, *, t: float = np.inf) -> Mixture:
    """Merge an aligned source mixture into the target: keep the target, add what it lacks (Algorithm 2).

    For the i-th component of the source, with p its own density at its mean less the target's density there,

        Delta_i = p(mu_i | G_i,source) - p(mu_i | G_target),      phi_i <- phi_i max(0, min(1, t Delta_i)),

    and components left with a positive weight join the target; the sum is renormalised.

    Parameters
    ----------
    source, target
        Mixtures of one variance in one frame (``source.transformed(result.transformation)``).
    t
        In [0, inf]: 0 returns the target's density, inf (default) adds every component that is not redundant at its
        full weight, values between fade those in that the target nearly explains.  The paper's Delta is a density,
        with the unit of length in it; here it is divided by the peak density of an average source component, so t has
        no unit and ``t_paper = t / (mean(phi_source) N(0 | 0, sigma²))``.

    Notes
    -----
    The weights of a mixture sum to 1 however much surface it covers, so the same wall weighs less in a map of twenty
    scans than in one scan.  An SVM holds its kernel sum at the bias rho on all of its surface, so weights divided by
    rho are comparable; they are so divided before Delta is formed, and the merged mixture keeps a bias.  With equal
    biases, or mixtures without one, this is Algorithm 2 to the letter.  Without it, regions seen rarely fade as scans
    are added.

    Signed mixtures (:func:`svgm.fit_two_class`) have one level too, the median of their kernel sum at their positive
    components.  Surface is measured, free space inferred from normals, so where one mixture has surface the other's
    negative components go, as points of free space near a surface point do in one set.  Without it the rims of a scan
    cut holes into what another one saw.

    Examples
    --------
    >>> left = Mixture([[0.0, 0.0], [1.0, 0.0]], 0.04, [0.5, 0.5], bias=0.5)
    >>> right = Mixture([[1.0, 0.0], [2.0, 0.0]], 0.04, [0.5, 0.5], bias=0.5)
    >>> merge(left, right).means.tolist()
    [[1.0, 0.0], [2.0, 0.0], [0.0, 0.0]]
    """
    t = positive("t", t, infinite=True, zero=True)
    _check_pair(source, target)
    level_source, level_target = _surface_levels(source, target)
    phi_source, phi_target = source.weights / level_source, target.weights / level_target
    seen = target.kernel_sum(source.means) / level_target
    # A negative component (free space) is redundant where the target is as negative already.
    delta = np.sign(phi_source) * (phi_source - seen) / np.abs(phi_source).mean()
    kept = phi_source * _ramp(t, delta)
    stays = np.ones(len(target), dtype=bool)
    if source.signed and target.signed:
        kept[(phi_source < 0) & (seen > CONTRADICTION)] = 0.0
        # At t = 0 the target stays as it is.
        against = np.where(phi_target < 0, source.kernel_sum(target.means) / level_source - CONTRADICTION, 0.0)
        phi_target = phi_target * (1.0 - _ramp(t, against))
        stays = phi_target != 0
    added = kept != 0
    weights = np.r_[phi_target[stays], kept[added]]
    total = weights[weights > 0].sum()
    bias = None if target.bias is None else target.bias / (level_target * total)
    means = np.vstack([target.means[stays], source.means[added]])
    return Mixture(means, target.variance, weights / total, bias)


def _ramp(t: float, delta: Array) -> Array:
    """max(0, min(1, t delta)), a step for an infinite t."""
    with np.errstate(invalid="ignore", over="ignore"):
        ramp: Array = np.clip(np.where(delta > 0, t * delta, 0.0), 0.0, 1.0)
    return ramp


def merge_naive(source: Mixture, target: Mixture) -> Mixture:
    """The weighted sum of two aligned mixtures, half each, for comparison: what both saw counts twice.

    >>> one = Mixture([[0.0, 0.0]], 1.0, [1.0])
    >>> merge_naive(one, one).weights
    array([0.5, 0.5])
    """
    _check_pair(source, target)
    means = np.vstack([target.means, source.means])
    return Mixture(means, target.variance, 0.5 * np.r_[target.weights, source.weights])


def _surface_levels(source: Mixture, target: Mixture) -> tuple[float, float]:
    """The kernel sums that the two mixtures hold on their surfaces; 1 and 1 if not known of both."""
    levels = [_signed_level(m) if m.signed else m.bias or 0.0 for m in (source, target)]
    if min(levels) <= 0 or source.signed != target.signed:
        return 1.0, 1.0
    if min(levels) < SMALLEST or max(levels) > LARGEST:
        raise InputError(
            f"mixtures must have a bias from {SMALLEST:g} to {LARGEST:g}, got {levels[0]:g} and {levels[1]:g}"
        )
    return levels[0], levels[1]


def _signed_level(mixture: Mixture) -> float:
    """Weights of a two-class SVM are scaled, and with them its margin; its support vectors still lie on it."""
    return float(np.median(mixture.kernel_sum(mixture.means[mixture.weights > 0])))


def _check_pair(source: Mixture, target: Mixture) -> None:
    instance("source", source, Mixture)
    instance("target", target, Mixture)
    if source.dimension != target.dimension:
        raise InputError(f"mixtures must have the same dimension, got {source.dimension} and {target.dimension}")
    if not np.isclose(source.variance, target.variance, rtol=1e-6):
        raise InputError(
            f"mixtures must have one variance (fit both with the same scale and gamma), got {source.variance:.6g} "
            f"and {target.variance:.6g}"
        )
