"""GMMerge (Section 5, Algorithm 2): fuse two aligned mixtures without counting twice what both saw."""

from __future__ import annotations

import numpy as np

from svgm.arguments import positive
from svgm.errors import InputError
from svgm.mixture import Mixture


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
    with np.errstate(invalid="ignore"):
        kept = phi_source * np.clip(np.where(delta > 0, t * delta, 0.0), 0.0, 1.0)
    added = kept != 0
    weights = np.r_[phi_target, kept[added]]
    total = weights[weights > 0].sum()
    bias = None if target.bias is None else target.bias / (level_target * total)
    return Mixture(np.vstack([target.means, source.means[added]]), target.variance, weights / total, bias)


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
    """The kernel sums that the two mixtures hold on their surfaces: rho of one-class SVMs, otherwise unknown, 1."""
    of_source, of_target = source.bias or 0.0, target.bias or 0.0
    if of_source <= 0 or of_target <= 0 or source.signed or target.signed:
        return 1.0, 1.0
    return of_source, of_target


def _check_pair(source: Mixture, target: Mixture) -> None:
    if source.dimension != target.dimension:
        raise InputError(f"mixtures must have one dimension, got {source.dimension} and {target.dimension}")
    if not np.isclose(source.variance, target.variance, rtol=1e-6):
        raise InputError(
            f"mixtures must have one variance (fit both with the same scale and gamma), got {source.variance:.6g} "
            f"and {target.variance:.6g}"
        )
