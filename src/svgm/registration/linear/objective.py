"""The objective of eq. (14) for a similarity or an affine map, which cannot be won by shrinking.

A linear map A with a translation t takes the density p of the source to one with components N(A mu + t, A Sigma Aᵀ).
Divided by the norms of both densities, the squared L2 distance becomes minus their correlation,

    f(A, t) = - ⟨p_A, q⟩ / (|p_A| |q|) = - |det A|^½ sum_ij phi_i phi_j N(0 | A mu_i + t - mu_j, A Sigma_i Aᵀ + Sigma_j)
                                                                                                       / (|p| |q|),

since |p_A|² = |p|² / |det A|.  It is -1 for equal densities whatever the scale, at least -1 always (Cauchy-Schwarz),
and it goes to 0 as the source shrinks to a point or grows without bounds.
"""

from __future__ import annotations

from svgm import _core
from svgm.mixture.full_gaussians import isotropic_covariances
from svgm.mixture.mixture import CUTOFF, Mixture
from svgm.registration.objective import POLISH_CUTOFF, SEARCH_CUTOFF


class LinearObjective(_core.LinearObjective):
    """f(A, t) of two mixtures for stacks of matrices, with derivatives with respect to a step.

    Called with matrices (B, d+1, d+1) it gives values (B,), gradients (B, k) and Hessians (B, k, k).  The step of an
    affine map is (W by rows, v), ``A <- Exp(W) A``, ``t <- t + v``, k = d² + d.  That of a similarity is
    (omega, alpha, v), ``A <- exp(alpha) Exp(omega) A``, k = d(d+1)/2 + 1: the affine derivatives, projected.  Gradients
    are exact.  Hessians take the covariances as they are moved now.

    For a `search` it computes in single precision, its values accurate to 1e-3.
    """

    def __init__(
        self, source: Mixture, target: Mixture, *, affine: bool, search: bool = False, threads: int = 1
    ) -> None:
        self.source, self.target = source, target
        trees = [_core.BoxTree(mixture.means, mixture.weights) for mixture in (source, target)]
        covariances = [
            isotropic_covariances(len(mixture), mixture.dimension, mixture.variance)
            if mixture.covariances is None
            else mixture.covariances
            for mixture in (source, target)
        ]
        cutoff = POLISH_CUTOFF if search else CUTOFF
        overlaps = [
            _core.full_overlap(tree, own, cutoff, search, threads) for tree, own in zip(trees, covariances, strict=True)
        ]
        norms = (overlaps[0] * overlaps[1]) ** 0.5
        pairs = SEARCH_CUTOFF if search else CUTOFF
        super().__init__(trees[0], covariances[0], trees[1], covariances[1], norms, pairs, affine, search, threads)
