"""Rotations in 2D and 3D: matrices, rotation vectors and quaternions.  Functions accept stacks: leading axes remain."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import LARGEST, MOST_NUMBERS, as_finite, as_floats, count, shown
from svgm.checks.errors import InputError
from svgm.checks.types import Array

#: Basis of so(d): ``hat(omega) = sum_k omega_k * GENERATORS[d][k]``.
GENERATORS: dict[int, Array] = {
    2: np.array([[[0.0, -1.0], [1.0, 0.0]]]),
    3: np.array(
        [
            [[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
            [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
            [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        ]
    ),
}


def as_dimension(value: int, name: str = "dimension") -> int:
    """The dimension of space, 2 or 3; `name` is what the message of an InputError calls the value.

    >>> as_dimension(2)
    2
    """
    return count(name, value, least=2, most=3)


def hat(omega: ArrayLike, dimension: int) -> Array:
    """Skew-symmetric matrix of a rotation vector.

    Parameters
    ----------
    omega : array_like, shape (..., k)
        Rotation vector in radians: one number in 2D, three in 3D.
    dimension : int
        2 or 3.

    Returns
    -------
    ndarray, shape (..., d, d)

    Raises
    ------
    InputError
        If an argument is not as described.

    Examples
    --------
    >>> hat([1.0, 2.0, 3.0], 3)
    array([[ 0., -3.,  2.],
           [ 3.,  0., -1.],
           [-2.,  1.,  0.]])
    """
    generators = GENERATORS[as_dimension(dimension)]
    matrix: Array = np.einsum("...k,kij->...ij", as_floats(omega, "omega", len(generators)), generators)
    return matrix


def rotation_exp(omega: ArrayLike, dimension: int) -> Array:
    """Rotation matrix of a rotation vector, by Rodrigues' formula.  It is orthogonal to rounding for any angle.

    Parameters
    ----------
    omega : array_like, shape (..., k)
        Rotation vector in radians: one number in 2D, three in 3D.
    dimension : int
        2 or 3.

    Returns
    -------
    ndarray, shape (..., d, d)

    Raises
    ------
    InputError
        If an argument is not as described.

    Examples
    --------
    >>> rotation_exp([np.pi / 2], 2).round(3)
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    omega = as_finite(omega, "omega")
    skew = hat(omega, dimension)
    angle = np.linalg.norm(omega, axis=-1)[..., None, None]
    # np.sinc(x) is sin(pi x) / (pi x); (1 - cos a) / a² = ½ sinc²(a / 2) has no cancellation near zero.
    sine = np.sinc(angle / np.pi)
    cosine = 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2
    rotation: Array = np.eye(dimension) + sine * skew + cosine * (skew @ skew)
    return rotation


def rotation_log(rotation: ArrayLike) -> Array:
    """Rotation vector of a rotation matrix; the inverse of :func:`rotation_exp` for angles below pi.

    Parameters
    ----------
    rotation : array_like, shape (..., d, d)
        Rotation matrix in 2D or 3D.

    Returns
    -------
    ndarray, shape (..., k)
        In 2D one number in (-pi, pi]; in 3D a vector whose length, the angle, is in [0, pi].  Radians.

    Raises
    ------
    InputError
        If `rotation` has another shape.

    Examples
    --------
    >>> rotation_log(rotation_exp([0.1, -0.2, 0.3], 3)).round(12).tolist()
    [0.1, -0.2, 0.3]
    """
    rotation = as_square(rotation, "rotation", 2, 3)
    d = rotation.shape[-1]
    if d == 2:
        angle: Array = np.arctan2(rotation[..., 1, 0], rotation[..., 0, 0])
        return angle[..., None]
    quaternion = rotation_quaternion(rotation)
    vector, scalar = quaternion[..., :3], quaternion[..., 3:]
    length = np.linalg.norm(vector, axis=-1, keepdims=True)
    half = np.arctan2(length, scalar)
    factor = np.where(length > 0, 2.0 * half / np.where(length > 0, length, 1.0), 2.0)
    log: Array = factor * vector
    return log


def quaternion_rotation(quaternion: ArrayLike) -> Array:
    """Rotation matrix of a unit quaternion.

    Parameters
    ----------
    quaternion : array_like, shape (..., 4)
        (x, y, z, w), of length 1.

    Returns
    -------
    ndarray, shape (..., 3, 3)

    Raises
    ------
    InputError
        If `quaternion` has another shape or is not finite.

    Examples
    --------
    >>> quaternion_rotation([0.0, 0.0, 0.0, 1.0]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    x, y, z, w = np.moveaxis(as_finite(quaternion, "quaternion", 4), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    rotation: Array = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    return rotation


def rotation_quaternion(rotation: ArrayLike) -> Array:
    """Unit quaternion of a 3D rotation matrix.

    The quaternion is the eigenvector of the largest eigenvalue of a symmetric 4x4 matrix that is linear in R.  This is
    stable for every angle, also at 180 degrees.  If R is not exactly orthogonal because of rounding, the quaternion is
    that of the nearest rotation.

    Parameters
    ----------
    rotation : array_like, shape (..., 3, 3)
        Rotation matrix.

    Returns
    -------
    ndarray, shape (..., 4)
        (x, y, z, w) with w >= 0.

    Raises
    ------
    InputError
        If `rotation` has another shape or is not finite.

    Examples
    --------
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
    # At 180 degrees w is zero and both signs are the same rotation: then the largest component is made positive.
    size = np.abs(quaternion[..., :3])
    largest = np.take_along_axis(quaternion, size.argmax(axis=-1)[..., None], axis=-1)
    sign = np.where(np.abs(quaternion[..., 3:]) > 1e-15, quaternion[..., 3:], largest)
    quaternion = np.where(sign < 0, -quaternion, quaternion)
    quaternion[..., 3] = np.abs(quaternion[..., 3])
    return quaternion + 0.0  # no -0.0 in files


def as_square(value: ArrayLike, name: str, *sizes: int) -> Array:
    """A stack of square matrices of one of these sizes, with absolute values up to `LARGEST`; NaN is allowed.

    >>> as_square([[1, 0], [0, 1]], "rotation", 2, 3).shape
    (2, 2)
    """
    array = as_floats(value, name)
    if array.size > MOST_NUMBERS:
        raise InputError(f"{name} must hold at most {MOST_NUMBERS} numbers, got shape {array.shape}")
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] not in sizes:
        allowed = " or ".join(f"{size}x{size}" for size in sizes)
        raise InputError(f"{name} must be a {allowed} matrix, or a stack of them, got shape {array.shape}")
    if (np.abs(array) > LARGEST).any():  # products of two such numbers do not overflow; a pose that is NaN stays so
        raise InputError(f"{name} must be within {LARGEST:g}, got {shown(value)}")
    return array
