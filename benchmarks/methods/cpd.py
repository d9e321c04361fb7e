"""Coherent point drift, rigid without scale, by pycpd."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.datasets import Array, subsample
from benchmarks.methods.normalise import normalise


def align(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    w: float,
    points: int = 0,
    iterations: int = 100,
    tolerance: float = 1e-3,
) -> Array:
    """pycpd's rigid registration with the scale held at 1.

    Parameters
    ----------
    w
        Weight of the uniform distribution, which takes the outliers; in [0, 1).
    points
        So many points of each set, at random, since time grows as their product; 0 for all.
    iterations, tolerance
        pycpd's own: at most so many, until the objective, a sum over points, changes by less.
    """
    sets = [subsample(p, points, seed) if points else p for seed, p in enumerate((source, target))]
    unified = normalise(*sets)
    # The mean squared distance, as pycpd starts from, without its array of n m d numbers.
    sigma2 = float(cdist(unified.source, unified.target, "sqeuclidean").mean()) / source.shape[1]
    registration = rigid()(
        X=unified.target, Y=unified.source, sigma2=sigma2, w=w, max_iterations=iterations, tolerance=tolerance
    )
    registration.register()
    return unified.back(registration.R.T, registration.t)  # it multiplies from the right: R is transposed


def rigid() -> type:
    """pycpd's class with scale 1, made here since pycpd may be absent."""
    from pycpd import RigidRegistration

    class Rigid(RigidRegistration):
        """Scale 1, and an expectation step with the same sums in a quarter of the time.

        The means, the rotation and the objective are pycpd's.
        """

        def expectation(self) -> None:
            # As pycpd's, but squared distances without differences of all coordinates, exp and division in place,
            # and the denominators as a row, not repeated for every source point.
            P = cdist(self.TY, self.X, "sqeuclidean")
            P *= -0.5 / self.sigma2
            np.exp(P, out=P)
            denominator = P.sum(axis=0)
            denominator[denominator == 0] = np.finfo(float).eps
            outliers = (2 * np.pi * self.sigma2) ** (self.D / 2) * self.w / (1 - self.w) * self.M / self.N
            denominator += outliers
            P /= denominator
            self.P = P
            self.Pt1 = P.sum(axis=0)
            self.P1 = P.sum(axis=1)
            self.Np = self.P1.sum()

        def update_transform(self) -> None:
            super().update_transform()
            scaled, self.s = self.s, 1.0
            # t = mean(X) - s R mean(Y); with the scale undone, the weighted means must still meet.
            self.t = self.t + (scaled - self.s) * (self.P1 @ self.Y / self.Np) @ self.R

        def update_variance(self) -> None:
            super().update_variance()
            # pycpd's update holds for the best scale only; with scale 1 it is the weighted mean squared residual.
            residual = self.Pt1 @ (self.X_hat**2).sum(axis=1) - 2 * np.trace(self.A @ self.R) + self.YPY
            self.sigma2 = residual / (self.Np * self.D)
            if self.sigma2 <= 0:
                self.sigma2 = self.tolerance / 10

    return Rigid
