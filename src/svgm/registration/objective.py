"""The objective of Support Vector Registration, eq. (14), with its gradient (15)-(17) and its Hessian.

Up to terms that no rigid motion changes, the squared L2 distance between the moved source mixture and the target is

    f(T) = - sum_ij phi_i phi_j N(0 | R mu_i + t - mu_j, R Sigma_i Rᵀ + Sigma_j)                                 (14)

with Sigma = sigma² I for mixtures of one variance, the paper's case, and each component's own covariance for others.

Here f is divided by the norms of the two mixtures, so that it is minus their correlation: -1 for equal densities, 0 for
disjoint ones, free of the unit of length.
"""

from __future__ import annotations

from svgm import _core
from svgm.geometry.points import Array
from svgm.mixture.full_gaussians import isotropic_covariances
from svgm.mixture.mixture import CUTOFF, Mixture
from svgm.rigid import invert

#: Pairs whose exponential is below exp(-7) = 1e-3 are left out of a search near the answer, ...
SEARCH_CUTOFF = 7.0

#: ... and those below exp(-13.8) = 1e-6 of its polish.
POLISH_CUTOFF = 13.8


#: With full covariances a pair takes longer.  So the polish leaves out pairs below exp(-9.2) = 1e-4, and the forces,
#: from which only the covariance of the pose comes, those below exp(-4.6) = 1e-2.
FULL_POLISH_CUTOFF, FULL_FORCE_CUTOFF = 9.2, 4.6


#: Components whose neighbours are counted for an estimate of the work.
SAMPLE = 100


class Objective(_core.MixtureObjective):
    """f(T) of two mixtures for stacks of poses, with derivatives with respect to the step of ``minimise``.

    Called with poses (B, d+1, d+1) it gives values (B,), gradients (B, k) and Hessians (B, k, k), k = d(d+1)/2.

    For a `search` it computes in single precision and, where the Gaussians are wide against the target's extent, takes
    the target's density from a spline on a grid: many times faster, its values accurate to 1e-3.  A search from `far`
    feels the pull of components however distant.
    """

    def __init__(
        self, source: Mixture, target: Mixture, *, search: bool = False, far: bool = False, threads: int = 1
    ) -> None:
        self.source = source
        self.target = target
        self._threads = threads
        self._trees = _core.BoxTree(source.means, source.weights), _core.BoxTree(target.means, target.weights)
        self._covariances = _both_covariances(source, target)
        cutoff = POLISH_CUTOFF if search else CUTOFF
        if self._covariances is None:
            overlaps = [
                _core.self_overlap(tree, 0.25 / mixture.variance, cutoff, search)
                for tree, mixture in zip(self._trees, (source, target), strict=True)
            ]
        else:
            overlaps = [
                _core.full_overlap(tree, own, FULL_POLISH_CUTOFF if search else CUTOFF, search, threads)
                for tree, own in zip(self._trees, self._covariances, strict=True)
            ]
        #: Product of the mixtures' norms, up to a factor that depends on the variances alone.
        self._norms = (overlaps[0] * overlaps[1]) ** 0.5
        self._build(SEARCH_CUTOFF if search and not far else CUTOFF, single=search)

    def _build(self, cutoff: float, *, single: bool) -> None:
        source, target = self._trees
        if self._covariances is None:
            variances = self.source.variance, self.target.variance
            super().__init__(source, target, *variances, self._norms, cutoff, single, self._threads)
        else:
            own, other = self._covariances
            super().__init__(source, own, target, other, self._norms, cutoff, single, self._threads)

    def polishing(self) -> Objective:
        """The same function in double precision, for the last steps after a search: accurate to 1e-6, with full
        covariances to 1e-4."""
        other = Objective.__new__(Objective)
        other.__dict__.update(self.__dict__)
        other._build(POLISH_CUTOFF if self._covariances is None else FULL_POLISH_CUTOFF, single=False)
        return other

    def near_pairs(self) -> float:
        """About how many pairs of components one evaluation of a search sums over, the mixtures on each other."""
        means = self.target.means
        radius = (2.0 * SEARCH_CUTOFF * (self.source.variance + self.target.variance)) ** 0.5
        # The share of the target's weight within the radius, of evenly chosen components: a Gaussian so wide is flat.
        flat = 1e-12
        shares = _core.gauss_transform(self._trees[1], means[:: -(-len(means) // SAMPLE)], flat / radius**2, flat, 0, 1)
        return float(shares.mean()) * len(means) * len(self.source)

    def forces(self, pose: Array) -> tuple[Array, Array]:
        """What each component of the source, and each of the target, contributes to the derivatives of f.

        A row has the derivatives by the mean of the component (of the source's: the matrix G of eq. (15)), those by the
        turning of the component about its own mean (0 for round ones), and the upper triangle of the second derivatives
        in its mean.  The source's rows are in the target's axes, the target's rows in the source's.  With full
        covariances they are accurate to about 1e-2, otherwise to about 1e-4.
        """
        source, target = self._trees
        back = invert(pose)
        if self._covariances is None:
            rate = 0.5 / (self.source.variance + self.target.variance)
            on_source = _core.forces(source, target, rate, SEARCH_CUTOFF, pose)
            # Seen from the target the source moves the other way; its frame is turned by the pose.
            on_target = _core.forces(target, source, rate, SEARCH_CUTOFF, back)
        else:
            own, other = self._covariances
            on_source = _core.full_forces(source, own, target, other, FULL_FORCE_CUTOFF, pose)
            on_target = _core.full_forces(target, other, source, own, FULL_FORCE_CUTOFF, back)
        return self.scale * on_source, self.scale * on_target


def _both_covariances(source: Mixture, target: Mixture) -> tuple[Array, Array] | None:
    """The covariances of both mixtures if one of them has its own; None if both have one variance."""
    if source.covariances is None and target.covariances is None:
        return None
    own, other = (
        isotropic_covariances(len(mixture), mixture.dimension, mixture.variance)
        if mixture.covariances is None
        else mixture.covariances
        for mixture in (source, target)
    )
    return own, other
