"""Expected correspondences between a moved source and a target: of all pairs, or of near ones only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.checks.types import Array
from svgm.geometry.transforms.spline import squared_distances

#: Nearest source points of each target point that count as near.
_NEIGHBOURS = 24


@dataclass(frozen=True)
class Correspondences:
    """Sums over the expected correspondences P_ij.

    Attributes
    ----------
    log_likelihood : float
    partners : (n,) array
        ``sum_j P_ij``.
    pulled : (n, d) array
        ``sum_j P_ij y_j``.
    squared : float
        ``sum_ij P_ij |y_j|²``.
    """

    log_likelihood: float
    partners: Array
    pulled: Array
    squared: float

    def residual(self, moved: Array) -> float:
        """``sum_ij P_ij |x_i - y_j|²`` for moved points."""
        own = self.partners @ (moved**2).sum(axis=1)
        return max(float(own - 2.0 * np.sum(moved * self.pulled) + self.squared), 0.0)


def all_pairs(
    moved: Array, weights: Array, target: Array, target_weights: Array, noise: float, rest: float, share: float
) -> Correspondences:
    """Correspondences of all pairs: `rest` is the density of what has no partner, `share` the probability of one."""
    block = squared_distances(moved, target)
    block *= -0.5 / noise**2
    np.exp(block, out=block)
    block *= (weights * (share / weights.sum()))[:, None]
    block /= (2.0 * np.pi * noise**2) ** (0.5 * target.shape[1])
    density = block.sum(axis=0) + rest
    block *= target_weights / density
    received = block.sum(axis=0)
    return Correspondences(
        log_likelihood=float(target_weights @ np.log(density)),
        partners=block.sum(axis=1),
        pulled=block @ target,
        squared=float(received @ (target**2).sum(axis=1)),
    )


def near_pairs(
    moved: Array, weights: Array, target: Array, target_weights: Array, noise: float, rest: float, share: float
) -> Correspondences:
    """The same, each target point with its nearest source points only."""
    from scipy.spatial import cKDTree

    n, d = moved.shape
    distance, index = cKDTree(moved).query(target, k=min(_NEIGHBOURS, n), distance_upper_bound=6.0 * noise)
    distance, index = distance.reshape(len(target), -1), index.reshape(len(target), -1)
    found = index < n
    index = np.where(found, index, 0)
    factor = share / weights.sum() / (2.0 * np.pi * noise**2) ** (0.5 * d)
    block = np.exp(-0.5 * np.where(found, distance / noise, np.inf) ** 2) * weights[index] * factor
    density = block.sum(axis=1) + rest
    block *= (target_weights / density)[:, None]
    flat, where = block.ravel(), index.ravel()
    pulled = [np.bincount(where, (block * target[:, k, None]).ravel(), n) for k in range(d)]
    return Correspondences(
        log_likelihood=float(target_weights @ np.log(density)),
        partners=np.asarray(np.bincount(where, flat, n), dtype=np.float64),
        pulled=np.column_stack(pulled),
        squared=float(block.sum(axis=1) @ (target**2).sum(axis=1)),
    )
