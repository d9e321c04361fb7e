"""Training support vector machines with a Gaussian kernel: one class (Section 3.1) and two (Section 7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm import _core
from svgm.geometry.points import LARGEST, Array

#: Kernel rows are kept up to this many bytes; those beyond it are computed anew whenever they are needed.
ROW_BYTES = 256 << 20


@dataclass(frozen=True)
class OneClass:
    """A trained one-class SVM, eq. (1): ``f(x) = sum_i alpha_i exp(-gamma |x_i - x|²) - rho``.

    Attributes
    ----------
    alpha
        Duals (n,), scaled to sum 1.  LIBSVM scales the same duals to sum nu·n.
    rho
        Bias.
    converged
        Whether pair steps met the tolerance; without `everywhere` there are none, and this is True.
    work
        What training took, counted: kernel evaluations, sweeps, row updates, pair steps.
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
) -> OneClass:
    """The one-class SVM ``min ½ αᵀKα, sum α = 1, 0 <= α_i <= w_i / (nu sum w)``: a point's weight scales its bound.

    Training stops on the duality gap, which bounds how far the SVM's function f is from the optimal f* in the norm of
    its kernel: ``½ |f - f*|² <= gap``.

    Parameters
    ----------
    tolerance
        With `everywhere`, no point may violate the optimality conditions by more than this share of rho, and the gap is
        at most a tenth of it, relative to the objective.  Without, the gap is at most the tolerance, and that is all.
    start
        Weights (n,), in any scale, to start from: a solution of a similar problem.
    in_order
        Whether near points lie mostly together, as `thin` leaves them; it spares a sort.
    """
    with np.errstate(over="ignore", divide="ignore"):  # no dual is above 1: a bound may be as large as it likes
        upper = np.minimum(weights / (nu * weights.sum()), LARGEST)
    violation, gap = (tolerance, 0.1 * tolerance) if everywhere else (np.inf, tolerance)
    alpha, rho, converged, work = _core.train_one_class(
        points, upper, start, gamma, violation, gap, row_bytes, in_order
    )
    return OneClass(alpha, rho, converged, work)


def train_two_class(points: Array, labels: Array, gamma: float, cost: float, tolerance: float) -> tuple[Array, float]:
    """Signed duals beta_i = y_i alpha_i (n,), sum 0, and bias rho: ``f(x) = sum_i beta_i K(x_i, x) - rho``."""
    lower, upper = np.minimum(0.0, cost * labels), np.maximum(0.0, cost * labels)
    beta, rho, _, _ = _core.train_two_class(points, -labels, lower, upper, gamma, tolerance)
    return beta, rho
