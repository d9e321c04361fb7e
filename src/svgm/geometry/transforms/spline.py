"""Smooth splines: an affine map plus a sum of Matérn kernels on control points.

With the kernel phi, ``f(x) = A x + t + sum_k w_k phi(|x - c_k|)`` has, of all functions with the same values at the
control points c_k, the least bending energy ``trace(wᵀ Phi w)`` with ``Phi_kl = phi(|c_k - c_l|)``, if the sums of w_k
and of ``w_k c_kᵀ`` are zero.  An affine map has energy 0.  The kernel is that of Matérn of order 5/2 and length 3,

    phi(r) = (1 + a + a²/3) exp(-a),   a = sqrt(5) r / 3,

so that f has two continuous derivatives and goes over to the affine map far from the control points.  The thin plate's
kernel is rougher: in 3D its splines have no derivative at a control point, and they continue a deformation into parts
without data eight times as badly (docs/lab-notes.md).
"""

from __future__ import annotations

import numpy as np

from svgm.checks.types import Array

#: Length of the kernel, in root mean square radii of the control points.
_LENGTH = 3.0


def squared_distances(x: Array, centres: Array) -> Array:
    """(n, m), from differences, so that coincident points have distance 0."""
    total = np.zeros((len(x), len(centres)))
    for k in range(x.shape[1]):
        difference = np.subtract.outer(x[:, k], centres[:, k])
        np.multiply(difference, difference, out=difference)
        total += difference
    return total


def kernel(squared: Array) -> Array:
    """phi of squared distances, of any shape."""
    a = np.sqrt(squared)
    a *= np.sqrt(5.0) / _LENGTH
    return np.asarray((1.0 + a + a * a / 3.0) * np.exp(-a))


def kernel_slope(squared: Array) -> Array:
    """phi'(r) / r of squared distances: the gradient of phi(|x - c|) is this times x - c."""
    a = np.sqrt(squared)
    a *= np.sqrt(5.0) / _LENGTH
    return np.asarray(-5.0 / (3.0 * _LENGTH**2) * (1.0 + a) * np.exp(-a))


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
    phi = kernel(squared_distances(points, points))
    inner = free.T @ phi @ free + smoothing * np.eye(n - 1 - d)
    w = free @ np.linalg.lstsq(inner, free.T @ values, rcond=1e-14)[0] if n > 1 + d else np.zeros_like(values)
    affine = np.linalg.lstsq(side, values - phi @ w - smoothing * w, rcond=None)[0]
    return np.asarray(w, dtype=np.float64), np.asarray(affine, dtype=np.float64)
