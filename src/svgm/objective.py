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
from svgm.rigid import GENERATORS, apply


class Objective:
    """f(T) of two mixtures for stacks of poses, with derivatives with respect to the step of ``minimise``."""

    def __init__(self, source: Mixture, target: Mixture, *, threads: int = 1) -> None:
        self.source = source
        self.target = target
        self._threads = threads
        self._variance = source.variance + target.variance
        self._tree = _core.BoxTree(target.means, target.weights)
        self._scale = (2.0 * np.pi * self._variance) ** (-source.dimension / 2) / (source.norm * target.norm)

    def rows(self, poses: Array) -> tuple[Array, Array, Array]:
        """Row sums of f and of its first and second derivatives in the moved means: (B, m), (B, m, d), (B, m, d, d).

        The second is the matrix G of eq. (15), the third its derivative.
        """
        d = self.source.dimension
        moved = np.ascontiguousarray(apply(poses, self.source.means).reshape(-1, d))
        sums = _core.gauss_transform(self._tree, moved, 0.5 / self._variance, CUTOFF, 2, self._threads)
        sums = sums.reshape(len(poses), -1, sums.shape[1]) * (-self._scale * self.source.weights[:, None])
        value, first = sums[..., 0], sums[..., 1 : d + 1]
        second = sums[..., d + 1 + _TRIANGLE[d]]
        h = 1.0 / self._variance
        return value, -h * first, h * (h * second - value[..., None, None] * np.eye(d))

    def __call__(self, poses: Array) -> tuple[Array, Array, Array]:
        """Values (B,), gradients (B, k) and Hessians (B, k, k) at poses (B, d+1, d+1), k = d(d+1)/2."""
        d = self.source.dimension
        value, first, second = self.rows(poses)
        # d mu'/d omega_a = E_a q with q = R mu; d² mu'/d omega_a d omega_b = ½ (E_a E_b + E_b E_a) q; d mu'/dv = I.
        turned = apply(_rotations_only(poses), self.source.means)
        lever = np.einsum("aij,bmj->bmia", GENERATORS[d], turned)
        torque = np.einsum("bmi,bmia->ba", first, lever)
        gradient = np.concatenate([torque, first.sum(axis=1)], axis=1)
        swept = np.einsum("bmij,bmja->bmia", second, lever)
        cross = swept.sum(axis=1)
        outer = np.einsum("bmi,bmj->bij", first, turned)
        bend = np.einsum("bij,acij->bac", outer, _SYMMETRIC_PRODUCTS[d])
        rotation = np.einsum("bmia,bmic->bac", lever, swept) + bend
        hessian = np.concatenate(
            [
                np.concatenate([rotation, np.swapaxes(cross, 1, 2)], axis=2),
                np.concatenate([cross, second.sum(axis=1)], axis=2),
            ],
            axis=1,
        )
        return value.sum(axis=1), gradient, hessian


def _rotations_only(poses: Array) -> Array:
    d = poses.shape[-1] - 1
    rotations = poses.copy()
    rotations[..., :d, d] = 0.0
    return rotations


#: Where the core's upper triangle of d dᵀ lies in the full matrix.
_TRIANGLE = {2: np.array([[0, 1], [1, 2]]), 3: np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])}

#: ½ (E_a E_b + E_b E_a): the second derivative of Exp(omega) at zero.
_SYMMETRIC_PRODUCTS = {
    d: 0.5 * (np.einsum("aij,bjk->abik", e, e) + np.einsum("bij,ajk->abik", e, e)) for d, e in GENERATORS.items()
}
