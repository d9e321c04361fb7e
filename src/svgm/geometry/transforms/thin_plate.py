"""The thin-plate spline: its kernel, gradient, and the matrices of a spline on control points.

With the kernel phi of the dimension, ``f(x) = A x + t + sum_k w_k phi(|x - c_k|)`` has, of all functions with the same
values at the control points c_k, the least bending energy, the integral of the squared second derivatives.  This energy
is ``trace(wᵀ Phi w)`` with ``Phi_kl = phi(|c_k - c_l|)``, if the sums of w_k and of ``w_k c_kᵀ`` are zero.
"""

from __future__ import annotations

import numpy as np

from svgm.checks.types import Array

#: Fundamental solution of the squared Laplacian: r² log r / 8 pi in 2D, -r / 8 pi in 3D.
_FACTOR = 1.0 / (8.0 * np.pi)


def squared_distances(x: Array, centres: Array) -> Array:
    """(n, m), from differences, so that coincident points have distance 0."""
    total = np.zeros((len(x), len(centres)))
    for k in range(x.shape[1]):
        difference = np.subtract.outer(x[:, k], centres[:, k])
        np.multiply(difference, difference, out=difference)
        total += difference
    return total


def kernel(squared: Array, dimension: int) -> Array:
    """phi of squared distances, of any shape."""
    if dimension == 3:
        return np.asarray(-_FACTOR * np.sqrt(squared))
    return np.asarray(0.5 * _FACTOR * squared * np.log(np.maximum(squared, 1e-300)))


def kernel_slope(squared: Array, dimension: int) -> Array:
    """phi'(r) / r of squared distances: the gradient of phi(|x - c|) is this times x - c."""
    if dimension == 3:
        return np.asarray(-_FACTOR / np.sqrt(np.maximum(squared, 1e-300)) * (squared > 0.0))
    return np.asarray(_FACTOR * (np.log(np.maximum(squared, 1e-300)) + 1.0) * (squared > 0.0))


def with_ones(x: Array) -> Array:
    """(n, 1 + d): a column of ones, then the coordinates."""
    return np.column_stack([np.ones(len(x)), x])


def spline_through(points: Array, values: Array, smoothing: float = 0.0) -> tuple[Array, Array]:
    """The spline of least ``sum |f(points) - values|² + smoothing trace(wᵀ Phi w)``; with smoothing 0 it interpolates.

    Returns the coefficients w (n, k) and the affine part (1 + d, k), the constant first.  The points are distinct and
    near 1 in size.
    """
    n, d = points.shape
    side = with_ones(points)
    q, _ = np.linalg.qr(side, mode="complete")
    # A basis of the coefficients that satisfy the side conditions: Phi is positive definite on it.
    free = q[:, 1 + d :]
    phi = kernel(squared_distances(points, points), d)
    inner = free.T @ phi @ free + smoothing * np.eye(n - 1 - d)
    w = free @ np.linalg.lstsq(inner, free.T @ values, rcond=1e-14)[0] if n > 1 + d else np.zeros_like(values)
    affine = np.linalg.lstsq(side, values - phi @ w - smoothing * w, rcond=None)[0]
    return np.asarray(w, dtype=np.float64), np.asarray(affine, dtype=np.float64)
