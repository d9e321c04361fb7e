"""Trust-region Newton on SE(d), for a batch of starts: one pose or ten thousand, one code path.

The step is a tangent vector (omega, v) applied on the left of the rotation and added to the translation,
``R <- Exp(omega) R``, ``t <- t + v``, so a rotation stays a rotation by construction (Section 4 of the paper projects a
quaternion back after each step instead).  The loop itself is in the core: a Newton step takes microseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from svgm import _core
from svgm.geometry.points import Array

#: A function of a stack of poses: values (B,), gradients (B, k) and Hessians (B, k, k).
Function = Callable[[Array], tuple[Array, Array, Array]]


@dataclass(frozen=True)
class Minimum:
    """Where a batch ended: poses (B, d+1, d+1), values (B,), Hessians (B, k, k), iterations (B,), and which starts
    converged (B,) and which met another and were given up (B,)."""

    poses: Array
    values: Array
    hessians: Array
    iterations: np.ndarray
    converged: np.ndarray
    given_up: np.ndarray


def minimise(
    function: Function,
    starts: Array,
    *,
    radius: float,
    max_radius: float,
    step_tolerance: float,
    max_iterations: int,
    same: float = 0.0,
) -> Minimum:
    """Minimise a function of a pose from each of a stack of starts.

    Parameters
    ----------
    function
        Values, gradients and Hessians at a stack of poses, with respect to the step above: an
        :class:`~svgm.registration.objective.Objective`, or any callable.
    starts
        (B, d+1, d+1).
    radius, max_radius
        First and largest trust radius, in the norm of the tangent vector.
    step_tolerance
        A start is done when its next step, or its trust radius, is shorter than this.
    max_iterations
        Evaluations of the function per start, at most.
    same
        Of two poses that come closer than this the worse is given up, so that all others end apart.  0: all go on.
    """
    poses, values, hessians, iterations, converged, given_up = _core.minimise(
        function, np.ascontiguousarray(starts), radius, max_radius, step_tolerance, same, max_iterations
    )
    return Minimum(poses, values, hessians, iterations, converged.astype(bool), given_up.astype(bool))
