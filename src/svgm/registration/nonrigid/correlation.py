"""The paper's L2 distance for a deformed source: minus the logarithm of the correlation of two densities, annealed.

With g the target's density and f that of the moved source, each a sum of round Gaussians of one sigma, minimise

    - log <f, g> + ½ log <f, f> + weight · bending

over the spline's modes.  The first two terms are the L2 distance, minimised over the height of f: neither the share of
the target that has no partner nor the densities of the sampling matter, and <f, f> keeps points from collapsing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.checks.types import Array
from svgm.geometry.transforms.spline import squared_distances

#: Densities farther apart than this have no gradient that could be computed.
_LEAST = 1e-200


@dataclass(frozen=True)
class Correlation:
    """The objective at one scale.  `modes` are those at the source's points, (n, k)."""

    modes: Array
    penalised: Array
    source_weights: Array
    target: Array
    target_weights: Array
    sigma: float
    weight: float

    def value(self, theta: Array) -> tuple[float, Array, Array]:
        """The objective, its gradient (k, d), and the curvature (n,) of an upper bound at each moved point."""
        moved = self.modes @ theta
        value, gradient, curvature = self.data(moved)
        value += self.weight * float(np.sum(self.penalised[:, None] * theta**2))
        return value, self.modes.T @ gradient + 2.0 * self.weight * self.penalised[:, None] * theta, curvature

    def data(self, moved: Array) -> tuple[float, Array, Array]:
        """The first two terms for moved points, their gradient (n, d), and the curvature of an upper bound (n,)."""
        width = 2.0 * self.sigma**2
        cross = _kernel(moved, self.target, self.source_weights, self.target_weights, width)
        own = _kernel(moved, moved, self.source_weights, self.source_weights, width)
        overlap, size = max(float(cross.sum()), _LEAST), float(own.sum())
        rows, own_rows = cross.sum(axis=1), own.sum(axis=1)
        pull = (rows[:, None] * moved - cross @ self.target) / (width * overlap)
        push = (own_rows[:, None] * moved - own @ moved) / (width * size)
        return 0.5 * np.log(size) - np.log(overlap), pull - push, rows / (width * overlap)

    def minimised(self, theta: Array, iterations: int) -> tuple[float, Array]:
        """The minimum next to theta, by L-BFGS in coordinates in which the upper bound has unit curvature."""
        from scipy.linalg import cholesky, solve_triangular
        from scipy.optimize import minimize

        _, _, curvature = self.value(theta)
        bound = (self.modes.T * curvature) @ self.modes + 2.0 * self.weight * np.diag(self.penalised)
        bound += 1e-10 * np.trace(bound) * np.eye(len(bound))
        factor = cholesky(bound, lower=True)
        shape = theta.shape

        def function(u: Array) -> tuple[float, Array]:
            at = solve_triangular(factor, u.reshape(shape), lower=True, trans=1)
            value, gradient, _ = self.value(at)
            return value, solve_triangular(factor, gradient, lower=True).ravel()

        options = {"maxiter": iterations, "maxcor": 12, "ftol": 1e-9, "gtol": 1e-7}
        found = minimize(function, (factor.T @ theta).ravel(), jac=True, method="L-BFGS-B", options=options)
        return float(found.fun), solve_triangular(factor, found.x.reshape(shape), lower=True, trans=1)


def _kernel(x: Array, y: Array, weights: Array, others: Array, width: float) -> Array:
    block = squared_distances(x, y)
    block *= -0.5 / width
    np.exp(block, out=block)
    block *= weights[:, None]
    block *= others
    return block
