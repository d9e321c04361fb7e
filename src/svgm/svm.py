"""Training support vector machines with a Gaussian kernel: one class (Section 3.1) and two (Section 7)."""

from __future__ import annotations

import numpy as np

from svgm import _core
from svgm.points import Array

#: Far above what any set has needed; every step goes down, so the solver ends with an answer even here.
_MAX_ITERATIONS = 10_000_000


def train_one_class(points: Array, weights: Array, gamma: float, nu: float, tolerance: float) -> tuple[Array, float]:
    """Duals alpha (n,), scaled to sum 1, and bias rho of the one-class SVM, so that eq. (1) reads

        f(x) = sum_i alpha_i exp(-gamma |x_i - x|²) - rho.

    A point's weight scales its bound: ``0 <= alpha_i <= w_i / (nu sum w)``.  LIBSVM scales the same duals to sum nu·n.
    """
    upper = weights / (nu * weights.sum())
    zero = np.zeros(len(points))
    alpha, rho, _, _, _ = _core.train_svm(_centred(points), zero, zero, upper, 1.0, gamma, tolerance, _MAX_ITERATIONS)
    return alpha, rho


def train_two_class(points: Array, labels: Array, gamma: float, cost: float, tolerance: float) -> tuple[Array, float]:
    """Signed duals beta_i = y_i alpha_i (n,), sum 0, and bias rho: ``f(x) = sum_i beta_i K(x_i, x) - rho``."""
    lower, upper = np.minimum(0.0, cost * labels), np.maximum(0.0, cost * labels)
    beta, rho, _, _, _ = _core.train_svm(
        _centred(points), -labels, lower, upper, 0.0, gamma, tolerance, _MAX_ITERATIONS
    )
    return beta, rho


def _centred(points: Array) -> Array:
    # Survey coordinates are large; differences of centred ones keep their digits.
    return np.ascontiguousarray(points - points.mean(axis=0))
