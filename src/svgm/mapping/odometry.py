"""Odometry: what the sensor's own measurement of its motion says of the steps between scans, and how exact it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svgm.checks.arguments import LARGEST, as_floats
from svgm.checks.errors import InputError
from svgm.checks.frozen import Frozen, freeze
from svgm.geometry.points import Array
from svgm.rigid import as_pose, degrees_of_freedom


@dataclass(frozen=True, eq=False)
class Odometry(Frozen):
    """The scans' poses in one frame, as their sensor's odometry states them.

    Attributes
    ----------
    poses : ndarray of shape (n, d+1, d+1)
        NaN for scans without odometry.
    covariances : ndarray of shape (n-1, k, k) or None
        Covariance of each step, of xi in ``step_true = step Exp(xi)``.  None, or NaN for a step: to be estimated.
    """

    poses: Array
    covariances: Array | None = None

    def __post_init__(self) -> None:
        freeze(self, "poses", *([] if self.covariances is None else ["covariances"]))

    @property
    def known(self) -> dict[int, Array]:
        """The poses that are known, by scan."""
        return {scan: pose for scan, pose in enumerate(self.poses) if np.isfinite(pose).all()}

    def in_dimension(self, dimension: int) -> Odometry:
        """The same for scans of this dimension: poses in space that keep a plane become poses of the plane."""
        here = self.poses.shape[1] - 1
        if here == dimension:
            return self
        if here == 3 and dimension == 2:
            return Odometry(planar_poses(self.poses), None)
        raise InputError(f"odometry must be in {dimension}D like the scans, is in {here}D")


def checked_odometry(value: Any, count: int) -> Odometry:
    """The odometry of so many scans: poses (n, d+1, d+1), or a pair of steps (n-1, d+1, d+1) and covariances."""
    if isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 3:
        return _of_steps(*value, count)
    poses = as_floats(value, "odometry")
    if poses.ndim != 3 or poses.shape[0] != count or poses.shape[1:] not in ((3, 3), (4, 4)):
        raise InputError(
            f"odometry must be poses of shape ({count}, 3, 3) or ({count}, 4, 4), one for each scan, or a pair of "
            f"steps and their covariances; got shape {poses.shape}"
        )
    d = poses.shape[1] - 1
    checked = np.array(
        [np.full((d + 1, d + 1), np.nan) if np.isnan(p[:d]).any() else as_pose(p, d, "odometry") for p in poses]
    )
    if not np.isfinite(checked).any():
        raise InputError("odometry must have a pose for some scan, all are NaN")
    return Odometry(checked)


def _of_steps(steps: Any, covariances: Any, count: int) -> Odometry:
    """Poses along steps: step i is the pose of scan i + 1 in the frame of scan i."""
    moves = as_floats(steps, "odometry")
    if moves.ndim != 3 or len(moves) != count - 1 or moves.shape[1:] not in ((3, 3), (4, 4)):
        raise InputError(f"odometry must have {count - 1} steps, one less than scans, got shape {moves.shape}")
    d = moves.shape[1] - 1
    poses = [np.eye(d + 1)]
    for move in moves:
        poses.append(poses[-1] @ as_pose(move, d, "odometry"))
    return Odometry(np.array(poses), checked_covariances(covariances, (count - 1,), d, "odometry"))


def checked_covariances(value: Any, stack: tuple[int, ...], dimension: int, name: str) -> Array:
    """Covariances of poses, finite, symmetric and positive semidefinite."""
    size = degrees_of_freedom(dimension)
    found = as_floats(value, name)
    if found.shape != (*stack, size, size) or not (np.abs(found) <= LARGEST).all():
        raise InputError(f"{name} must have finite covariances of shape {(*stack, size, size)}, got {found.shape}")
    scale = np.abs(found).max(axis=(-2, -1), initial=0.0)
    skew = np.abs(found - np.swapaxes(found, -1, -2)).max(axis=(-2, -1), initial=0.0)
    lowest = np.linalg.eigvalsh(found)[..., 0]
    if (skew > 1e-6 * scale).any() or (lowest < -1e-6 * scale).any():
        raise InputError(f"{name} must have symmetric, positive semidefinite covariances")
    return np.asarray(0.5 * (found + np.swapaxes(found, -1, -2)), dtype=np.float64)


def planar_poses(poses: Array) -> Array:
    """Poses in space (n, 4, 4) that rotate about the z axis only, as poses of the plane; NaN stays NaN.

    >>> planar_poses(np.eye(4)[None]).shape
    (1, 3, 3)
    """
    known = np.isfinite(poses).all(axis=(1, 2))
    if (np.abs(poses[known, 2, 2] - 1.0) > 1e-3).any():
        raise InputError("odometry must be in 2D like the scans: some of its 3D poses tilt the z axis")
    flat = np.full((len(poses), 3, 3), np.nan)
    flat[known] = np.eye(3)
    angles = np.arctan2(poses[known, 1, 0], poses[known, 0, 0])
    flat[known, 0, 0] = flat[known, 1, 1] = np.cos(angles)
    flat[known, 1, 0] = np.sin(angles)
    flat[known, 0, 1] = -flat[known, 1, 0]
    flat[known, :2, 2] = poses[known, :2, 3]
    return flat
