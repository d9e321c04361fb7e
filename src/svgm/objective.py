"""The objective of Support Vector Registration, eq. (14), with its gradient (15)-(17) and its Hessian.

Up to terms that no rigid motion changes, the squared L2 distance between the moved source mixture and the target is

    f(T) = - sum_ij phi_i phi_j N(0 | R mu_i + t - mu_j, sigma_x² + sigma_y²)                                    (14)

Here f is divided by the norms of the two mixtures, so that it is minus their correlation: -1 for equal densities, 0 for
disjoint ones, free of the unit of length.
"""

from __future__ import annotations

import numpy as np

from svgm import _core
from svgm.mixture import CUTOFF, Mixture
from svgm.points import Array
from svgm.rigid import apply

#: In single precision, pairs whose exponential is below exp(-9.2) = 1e-4 are left out.
SINGLE_CUTOFF = 9.2


class Objective(_core.Objective):
    """f(T) of two mixtures for stacks of poses, with derivatives with respect to the step of ``minimise``.

    Called with poses (B, d+1, d+1) it gives values (B,), gradients (B, k) and Hessians (B, k, k), k = d(d+1)/2.  In
    single precision it is accurate to about 1e-4 and several times faster: enough to find where the minimum is.
    """

    def __init__(self, source: Mixture, target: Mixture, *, single: bool = False, threads: int = 1) -> None:
        self.source = source
        self.target = target
        self.cutoff = SINGLE_CUTOFF if single else CUTOFF
        self.variance = source.variance + target.variance
        self.tree = _core.BoxTree(target.means, target.weights)
        moving = _core.BoxTree(source.means, source.weights)
        norms = [
            _core.overlap(tree, tree, 0.25 / mixture.variance, self.cutoff, single)
            * (4.0 * np.pi * mixture.variance) ** (-mixture.dimension / 2)
            for tree, mixture in ((moving, source), (self.tree, target))
        ]
        self.scale = (2.0 * np.pi * self.variance) ** (-source.dimension / 2) / float(np.sqrt(np.prod(norms)))
        super().__init__(moving, self.tree, 0.5 / self.variance, self.cutoff, self.scale, single, threads)

    def forces(self, pose: Array) -> Array:
        """Derivative of f in each moved mean, (m, d): the matrix G of eq. (15)."""
        d = self.source.dimension
        moved = np.ascontiguousarray(apply(pose, self.source.means))
        sums = _core.gauss_transform(self.tree, moved, 0.5 / self.variance, self.cutoff, 2, 1)
        forces: Array = sums[:, 1 : d + 1] * (self.scale / self.variance * self.source.weights[:, None])
        return forces
