"""Trust-region Newton on SE(d), for a batch of starts: one pose or ten thousand, one code path.

The step is a tangent vector (omega, v) applied on the left of the rotation and added to the translation,
``R <- Exp(omega) R``, ``t <- t + v``, so a rotation stays a rotation by construction (Section 4 of the paper projects a
quaternion back after each step instead).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from svgm.points import Array
from svgm.rigid import pose, rotation_exp

#: A function of a stack of poses: values (B,), gradients (B, k) and Hessians (B, k, k).
Function = Callable[[Array], tuple[Array, Array, Array]]


@dataclass(frozen=True)
class Minimum:
    """Where a batch ended: poses (B, d+1, d+1), values (B,), Hessians (B, k, k), iterations (B,), converged (B,)."""

    poses: Array
    values: Array
    hessians: Array
    iterations: np.ndarray
    converged: np.ndarray


_SECULAR_STEPS = 8


def minimise(
    function: Function,
    starts: Array,
    *,
    radius: float,
    max_radius: float,
    step_tolerance: float,
    max_iterations: int,
) -> Minimum:
    """Minimise a function of a pose from each of a stack of starts.

    Parameters
    ----------
    function
        Values, gradients and Hessians at a stack of poses, with respect to the step above.
    starts
        (B, d+1, d+1).
    radius, max_radius
        First and largest trust radius, in the norm of the tangent vector.
    step_tolerance
        A start is done when its accepted step, or its trust radius, is shorter than this.
    max_iterations
        Evaluations of the function per start, at most.
    """
    poses = starts.copy()
    count = len(poses)
    values, gradients, hessians = function(poses)
    radii = np.full(count, radius)
    iterations = np.zeros(count, dtype=np.int64)
    converged = np.zeros(count, dtype=bool)
    active = np.arange(count)
    for _ in range(max_iterations):
        if not len(active):
            break
        steps, predicted = trust_region_step(gradients[active], hessians[active], radii[active])
        trials = moved(poses[active], steps)
        trial_values, trial_gradients, trial_hessians = function(trials)
        iterations[active] += 1
        lengths = np.linalg.norm(steps, axis=1)
        # Near the minimum the decrease drowns in rounding; a step that small is as good as taken.
        decrease = values[active] - trial_values
        noise = 1e-15 * np.abs(values[active]) + np.finfo(float).tiny
        ratio = (decrease + noise) / (predicted + noise)
        accepted = ratio > 1e-4
        take = active[accepted]
        poses[take], values[take] = trials[accepted], trial_values[accepted]
        gradients[take], hessians[take] = trial_gradients[accepted], trial_hessians[accepted]
        grow = (ratio > 0.75) & (lengths > 0.9 * radii[active])
        radii[active] = np.where(ratio < 0.25, 0.25 * lengths, np.where(grow, 2.0 * radii[active], radii[active]))
        radii[active] = np.minimum(radii[active], max_radius)
        done = (accepted & (lengths < step_tolerance)) | (radii[active] < step_tolerance)
        converged[active[done]] = True
        active = active[~done]
    return Minimum(poses, values, hessians, iterations, converged)


def moved(poses: Array, steps: Array) -> Array:
    """Poses after a step: ``R <- Exp(omega) R``, ``t <- t + v``."""
    d = poses.shape[-1] - 1
    k = steps.shape[-1] - d
    rotation = rotation_exp(steps[..., :k], d) @ poses[..., :d, :d]
    return pose(rotation, poses[..., :d, d] + steps[..., k:])


def trust_region_step(gradients: Array, hessians: Array, radii: Array) -> tuple[Array, Array]:
    """Minimisers of ``g·s + ½ s·H s`` over ``|s| <= radius``, by eigenvectors, and the decrease each predicts.

    With H = V diag(lambda) Vᵀ the minimiser is ``s(mu) = -V (Vᵀg) / (lambda + mu)`` for the smallest mu >= 0 that
    makes H + mu positive semidefinite and the step short enough.
    """
    eigenvalues, vectors = np.linalg.eigh(hessians)
    g = np.einsum("bij,bi->bj", vectors, gradients)
    tiny = np.finfo(float).tiny
    scale = np.maximum(np.abs(eigenvalues).max(axis=1), tiny)
    floor = np.maximum(0.0, -eigenvalues[:, 0]) + 1e-12 * scale
    positive = eigenvalues[:, 0] > 1e-12 * scale
    newton = -g / np.where(positive[:, None], eigenvalues, 1.0)
    inside = positive & (np.linalg.norm(newton, axis=1) <= radii)
    # Newton on 1/|s(mu)| - 1/radius, which is nearly linear in mu: from the left it never overshoots.
    mu = floor
    for _ in range(_SECULAR_STEPS):
        trial = g / (eigenvalues + mu[:, None])
        length = np.linalg.norm(trial, axis=1)
        slope = (trial**2 / (eigenvalues + mu[:, None])).sum(axis=1)
        mu = np.maximum(mu, mu + length**2 * (length / radii - 1.0) / np.maximum(slope, tiny))
    bounded = -g / (eigenvalues + mu[:, None])
    # The hard case: g has no part along the most negative direction, so the bounded step is too short; go along it.
    short = np.maximum(radii**2 - (bounded**2).sum(axis=1), 0.0)
    hard = (eigenvalues[:, 0] < -1e-8 * scale) & (short > 1e-6 * radii**2)
    along = np.where(g[:, 0] > 0, -1.0, 1.0) * np.sqrt(bounded[:, 0] ** 2 + short)
    bounded[:, 0] = np.where(hard, along, bounded[:, 0])
    local = np.where(inside[:, None], newton, bounded)
    predicted = -((g * local).sum(axis=1) + 0.5 * (eigenvalues * local**2).sum(axis=1))
    return np.einsum("bij,bj->bi", vectors, local), predicted
