"""What a rigid motion, a similarity or an affine map does to the Gaussians of a mixture."""

from __future__ import annotations

import numpy as np

from svgm.checks.types import Array, PoseLike
from svgm.mixture.full_gaussians import isotropic_covariances, symmetric
from svgm.rigid import as_pose, stretching_map
from svgm.rigid.poses import SAME_LENGTH


def moved_gaussians(
    T: PoseLike, means: Array, variance: float, covariances: Array | None
) -> tuple[Array, float, Array | None]:
    """The matrix (d+1, d+1) of T, and the variance and the covariances (m, d, d) after it.

    A rigid motion keeps the variance, a similarity scales it, and an affine map that stretches gives each component a
    covariance A Sigma Aᵀ.

    >>> matrix, variance, covariances = moved_gaussians(np.diag([2.0, 2.0, 1.0]), np.zeros((1, 2)), 0.25, None)
    >>> round(variance, 12), covariances is None
    (1.0, True)
    """
    d = means.shape[1]
    matrix = stretching_map(T, d)
    if matrix is None:
        pose = as_pose(T, d)
        R = pose[:-1, :-1]
        return pose, variance, None if covariances is None else symmetric(R @ covariances @ R.T)
    A = matrix[:-1, :-1]
    stretches = np.linalg.svd(A, compute_uv=False)
    if covariances is None and stretches[0] > (1.0 + SAME_LENGTH) * stretches[-1]:
        covariances = isotropic_covariances(len(means), d, variance)
    own = None if covariances is None else symmetric(A @ covariances @ A.T)
    return matrix, variance * float(np.exp(2.0 * np.log(stretches).mean())), own
