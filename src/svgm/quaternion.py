"""Unit quaternions (x, y, z, w), as trajectory and pose graph files write 3D rotations, from and to matrices."""

from __future__ import annotations

import numpy as np

from svgm.arguments import Array, as_finite, as_floats


def quaternion_rotation(quaternion: Array) -> Array:
    """Rotation matrix of a unit quaternion (x, y, z, w): (..., 4) to (..., 3, 3).

    >>> quaternion_rotation(np.array([0.0, 0.0, 0.0, 1.0])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    x, y, z, w = np.moveaxis(as_floats(quaternion, "quaternion", 4), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    rotation: Array = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    return rotation


def rotation_quaternion(rotation: Array) -> Array:
    """Unit quaternion (x, y, z, w), w >= 0, of a rotation matrix: (..., 3, 3) to (..., 4).

    It is the eigenvector of the largest eigenvalue of a symmetric 4x4 matrix that is linear in R, which is as stable
    at 180 degrees as anywhere and gives the nearest rotation's if rounding has left R not quite orthogonal.

    >>> rotation_quaternion(np.diag([-1.0, 1.0, -1.0])).round(12).tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    r = as_finite(rotation, "rotation", 3, 3)
    k = np.empty((*r.shape[:-2], 4, 4))
    trace = r[..., 0, 0] + r[..., 1, 1] + r[..., 2, 2]
    k[..., 3, 3] = trace
    k[..., :3, :3] = r + np.swapaxes(r, -1, -2)
    for i in range(3):
        k[..., i, i] -= trace
    axis = np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], axis=-1)
    k[..., 3, :3] = axis
    k[..., :3, 3] = axis
    quaternion: Array = np.linalg.eigh(k)[1][..., :, -1]
    # At 180 degrees w is zero and both signs are the same rotation: the largest component is then positive.
    size = np.abs(quaternion[..., :3])
    largest = np.take_along_axis(quaternion, size.argmax(axis=-1)[..., None], axis=-1)
    sign = np.where(np.abs(quaternion[..., 3:]) > 1e-15, quaternion[..., 3:], largest)
    quaternion = np.where(sign < 0, -quaternion, quaternion)
    quaternion[..., 3] = np.abs(quaternion[..., 3])
    return quaternion + 0.0  # no -0.0 in files
