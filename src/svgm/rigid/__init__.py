"""Rigid motions SE(d), d = 2 or 3: apply, invert, exponential and logarithm, and the error between two poses.

A pose is a (d+1, d+1) matrix T with ``p_target = R @ p_source + t``.  Its tangent vector is ``(omega, v)``: first the
rotation in radians (one number in 2D, three in 3D), then the translation.  Functions accept stacks of poses: leading
axes are broadcast.
"""

from svgm.rigid.poses import (
    adjoint,
    apply,
    as_pose,
    degrees_of_freedom,
    exp,
    information_of,
    invert,
    log,
    pose,
    pose_error,
)
from svgm.rigid.poses import stretching_map as stretching_map
from svgm.rigid.rotations import GENERATORS as GENERATORS
from svgm.rigid.rotations import (
    as_dimension,
    hat,
    quaternion_rotation,
    rotation_exp,
    rotation_log,
    rotation_quaternion,
)

__all__ = [
    "adjoint",
    "apply",
    "as_dimension",
    "as_pose",
    "degrees_of_freedom",
    "exp",
    "hat",
    "information_of",
    "invert",
    "log",
    "pose",
    "pose_error",
    "quaternion_rotation",
    "rotation_exp",
    "rotation_log",
    "rotation_quaternion",
]
