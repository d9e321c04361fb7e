"""Training support vector machines with a Gaussian kernel: one class (Section 3.1) and two (Section 7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm import _core
from svgm.checks.arguments import LARGEST
from svgm.checks.types import Array

#: Kernel rows are kept in memory up to this many bytes; further rows are computed each time they are needed.
ROW_BYTES = 256 << 20


@dataclass(frozen=True)
class OneClass:
    """A trained one-class SVM, eq. (1): ``f(x) = sum_i alpha_i exp(-gamma |x_i - x|²) - rho``.

    Attributes
    ----------
    alpha : ndarray, shape (n,)
        Duals, which sum to 1.  (In LIBSVM the same duals sum to nu·n.)
    rho : float
        Bias.
    converged : bool
        Whether pair steps reached the tolerance.  Without `everywhere` there are no pair steps, and this is True.
    work : dict of str to int
        Counted work of training: kernel evaluations, sweeps, row updates, pair steps.
    """

    alpha: Array
    rho: float
    converged: bool
    work: dict[str, int]


def train_one_class(
    points: Array,
    weights: Array,
    gamma: float,
    nu: float,
    tolerance: float,
    *,
    everywhere: bool = True,
    start: Array | None = None,
    in_order: bool = False,
    row_bytes: int = ROW_BYTES,
    covariances: Array | None = None,
) -> OneClass:
    """The one-class SVM ``min ½ αᵀKα, sum α = 1, 0 <= α_i <= w_i / (nu sum w)``: a point's weight scales its bound.

    Training stops when the duality gap is small.  The gap bounds the distance of the SVM's function f from the optimal
    f* in the norm of its kernel: ``½ |f - f*|² <= gap``.

    If the points have covariances S_i, the kernel is that of probability products (Jebara, Kondor and Howard 2004): the
    Gaussians ``g_i = N(x_i, S_i / 2)`` as functions in L2, divided by their norms,

        K_ij = <g_i, g_j> / |g_i| |g_j|,      <g_i, g_j> = N(d | 0, M),      d = x_i - x_j,  M = (S_i + S_j) / 2
             = |S_i|^¼ |S_j|^¼ / |M|^½ exp(-½ dᵀ M⁻¹ d)

    by the identity (13), with ``|g_i|² = N(0 | 0, S_i)``.  K is a matrix of inner products, so it is positive
    semidefinite and the problem stays convex.  K_ii = 1.  For S_i = sigma² I it is the kernel (2) of the paper.

    Parameters
    ----------
    points, weights : ndarray, shapes (n, d) and (n,)
        Already checked.
    gamma : float
        Kernel width 1 / (2 sigma²).
    nu : float
        In (0, 1].
    tolerance : float
        With `everywhere`: no point violates the optimality conditions by more than this share of rho, and the gap is at
        most a tenth of the tolerance, relative to the objective.  Without: the gap is at most the tolerance.
    everywhere : bool, default True
        Whether the optimality conditions are checked at every point.
    start : ndarray, shape (n,), optional
        Duals to start from, in any scale: the solution of a similar problem.
    in_order : bool, default False
        Whether points that are close in space are mostly close in the array, as after `thin`.  Then no sort is needed.
    row_bytes : int
        Memory for kernel rows, in bytes.
    covariances : ndarray, shape (n, d, d), optional
        Positive definite, and not larger than sigma² = 1 / (2 gamma) in any direction: so pairs that are far apart for
        the isotropic kernel are far apart for this one.
    """
    with np.errstate(over="ignore", divide="ignore"):  # a dual is at most 1, so a bound may be arbitrarily large
        upper = np.minimum(weights / (nu * weights.sum()), LARGEST)
    violation, gap = (tolerance, 0.1 * tolerance) if everywhere else (np.inf, tolerance)
    alpha, rho, converged, work = _core.train_one_class(
        points, upper, start, gamma, violation, gap, row_bytes, in_order, covariances
    )
    return OneClass(alpha, rho, converged, work)


def train_two_class(points: Array, labels: Array, gamma: float, cost: float, tolerance: float) -> tuple[Array, float]:
    """Signed duals beta_i = y_i alpha_i (n,), sum 0, and bias rho: ``f(x) = sum_i beta_i K(x_i, x) - rho``."""
    lower, upper = np.minimum(0.0, cost * labels), np.maximum(0.0, cost * labels)
    beta, rho, _, _ = _core.train_two_class(points, -labels, lower, upper, gamma, tolerance)
    return beta, rho
