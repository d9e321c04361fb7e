"""A set of estimated poses laid onto the true ones, and what remains."""

from __future__ import annotations

import numpy as np

from benchmarks.datasets import Array
from svgm.rigid import apply, pose, rotation_log


def present(poses: Array) -> Array:
    """Which poses of a stack are there: those of scans left out are NaN."""
    there: Array = np.isfinite(poses).all(axis=(-2, -1))
    return there


def alignment(estimate: Array, truth: Array) -> Array:
    """The rigid motion A for which A · estimate is nearest the truth, in the least-squares sense.

    First the rotation, as an average: R minimises ``sum_i |R R_i - R*_i|²`` (Frobenius), which the singular vectors of
    ``sum_i R*_i R_iᵀ`` give.  Then the translation: the mean of ``t*_i - R t_i``.  Poses that are NaN do not count.
    """
    there = present(estimate) & present(truth)
    if not there.any():
        raise ValueError("no pose to align")
    d = estimate.shape[-1] - 1
    a, b = estimate[there], truth[there]
    u, _, vt = np.linalg.svd(np.einsum("nij,nkj->ik", b[:, :d, :d], a[:, :d, :d]))
    u[:, -1] *= np.sign(np.linalg.det(u @ vt))
    rotation = u @ vt
    return pose(rotation, np.mean(b[:, :d, d] - a[:, :d, d] @ rotation.T, axis=0))


def remaining(estimate: Array, truth: Array, centres: Array) -> tuple[Array, Array, Array]:
    """Errors after :func:`alignment`: rotation (rad), translation, and distance between the scans' moved centres.

    Infinite for a scan that was left out.
    """
    d = estimate.shape[-1] - 1
    moved = alignment(estimate, truth) @ estimate
    turns = rotation_log(np.nan_to_num(np.swapaxes(truth[:, :d, :d], -1, -2) @ moved[:, :d, :d]))
    away = apply(moved, centres[:, None])[:, 0] - apply(truth, centres[:, None])[:, 0]
    errors = (turns, moved[:, :d, d] - truth[:, :d, d], away)
    there = present(estimate)
    rotation, translation, centre = (np.where(there, np.linalg.norm(each, axis=-1), np.inf) for each in errors)
    return rotation, translation, centre
