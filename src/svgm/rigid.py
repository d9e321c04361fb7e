"""Rigid motions SE(d), d = 2 or 3: apply, invert, exponential and logarithm, and the error between two poses.

A pose is a (d+1, d+1) matrix T with ``p_target = R @ p_source + t``; its tangent vector is ``(omega, v)``, rotation
first (one number in 2D, three in 3D), then translation.  Functions take stacks of poses: leading axes broadcast.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import LARGEST, MOST_NUMBERS, Array, as_finite, as_floats, as_numbers, count, shown
from svgm.checks.errors import InputError

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


def degrees_of_freedom(dimension: int) -> int:
    """Size of the tangent vector: 3 in 2D, 6 in 3D.

    >>> degrees_of_freedom(2), degrees_of_freedom(3)
    (3, 6)
    """
    dimension = as_dimension(dimension)
    return dimension * (dimension + 1) // 2


def as_dimension(value: int, name: str = "dimension") -> int:
    """2 or 3.

    >>> as_dimension(2)
    2
    """
    return count(name, value, least=2, most=3)


def hat(omega: Array, dimension: int) -> Array:
    """Skew matrix of a rotation vector: (..., k) to (..., d, d).

    >>> hat(np.array([1.0, 2.0, 3.0]), 3)
    array([[ 0., -3.,  2.],
           [ 3.,  0., -1.],
           [-2.,  1.,  0.]])
    """
    generators = GENERATORS[as_dimension(dimension)]
    matrix: Array = np.einsum("...k,kij->...ij", as_floats(omega, "omega", len(generators)), generators)
    return matrix


def rotation_exp(omega: Array, dimension: int) -> Array:
    """Rotation matrix of a rotation vector, by Rodrigues' formula; it is orthogonal to rounding for any size.

    >>> rotation_exp(np.array([np.pi / 2]), 2).round(3)
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    skew = hat(omega, dimension)
    angle = np.linalg.norm(omega, axis=-1)[..., None, None]
    # np.sinc(x) is sin(pi x) / (pi x); (1 - cos a) / a² = ½ sinc²(a / 2) has no cancellation near zero.
    sine = np.sinc(angle / np.pi)
    cosine = 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2
    rotation: Array = np.eye(dimension) + sine * skew + cosine * (skew @ skew)
    return rotation


def rotation_log(rotation: Array) -> Array:
    """Rotation vector of a rotation matrix, angle in [0, pi] (in 2D one number, in (-pi, pi]).

    >>> rotation_log(rotation_exp(np.array([0.1, -0.2, 0.3]), 3)).round(12).tolist()
    [0.1, -0.2, 0.3]
    """
    rotation = _square(rotation, "rotation", 2, 3)
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


def pose(rotation: Array, translation: Array) -> Array:
    """Homogeneous matrix (or stack) of a rotation and a translation.

    >>> pose(np.eye(2), np.array([3.0, 4.0]))
    array([[1., 0., 3.],
           [0., 1., 4.],
           [0., 0., 1.]])
    >>> pose(np.eye(3), np.zeros((5, 3))).shape
    (5, 4, 4)
    """
    rotation = _square(rotation, "rotation", 2, 3)
    d = rotation.shape[-1]
    translation = as_floats(translation, "translation", d)
    stack = _together("rotation", rotation.shape[:-2], "translation", translation.shape[:-1])
    if math.prod(stack) * (d + 1) ** 2 > MOST_NUMBERS:
        raise InputError(f"translation must be for a stack of fewer poses, got shape {translation.shape}")
    matrix = np.zeros((*stack, d + 1, d + 1))
    matrix[..., :d, :d] = rotation
    matrix[..., :d, d] = translation
    matrix[..., d, d] = 1.0
    return matrix


def apply(T: Array, points: Array) -> Array:
    """Points (n, d) moved by T, or by each of a stack of poses: (..., n, d).

    >>> quarter = exp([np.pi / 2, 0.0, 0.0])
    >>> apply(quarter, np.array([[1.0, 0.0], [2.0, 0.0]])).round(3).tolist()
    [[0.0, 1.0], [0.0, 2.0]]
    """
    T = _square(T, "T", 3, 4)
    d = T.shape[-1] - 1
    points = as_floats(points, "points", d)
    if points.ndim < 2:
        raise InputError(f"points must have shape (n, {d}), one point a row, got shape {points.shape}")
    _together("T", T.shape[:-2], "points", points.shape[:-2])
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite stays so
        moved: Array = points @ np.swapaxes(T[..., :d, :d], -1, -2) + T[..., None, :d, d]
    return moved


def invert(T: Array) -> Array:
    """Inverse motion.

    >>> T = exp([0.5, 1.0, 2.0])
    >>> bool(np.allclose(invert(T) @ T, np.eye(3)))
    True
    """
    T = _square(T, "T", 3, 4)
    d = T.shape[-1] - 1
    back = np.swapaxes(T[..., :d, :d], -1, -2)
    return pose(back, -np.einsum("...ij,...j->...i", back, T[..., :d, d]))


def exp(xi: ArrayLike) -> Array:
    """Pose of a tangent vector ``(omega, v)``: the exponential map of SE(d).

    >>> exp([np.pi / 2, 0.0, 0.0]).round(3)
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    vector = as_finite(xi, "xi")
    d = {3: 2, 6: 3}.get(vector.shape[-1] if vector.ndim else 0, 0)
    if not d:
        raise InputError(f"xi must have shape (..., 3) or (..., 6), got shape {vector.shape}")
    k = vector.shape[-1] - d
    omega, v = vector[..., :k], vector[..., k:]
    rotation = rotation_exp(omega, d)
    return pose(rotation, np.einsum("...ij,...j->...i", _left_jacobian(omega, d), v))


def log(T: Array) -> Array:
    """Tangent vector of a pose; the inverse of :func:`exp` for rotations below pi.

    >>> log(exp([0.1, 0.2, 0.3, 4.0, 5.0, 6.0])).round(12).tolist()
    [0.1, 0.2, 0.3, 4.0, 5.0, 6.0]
    """
    T = _square(T, "T", 3, 4)
    d = T.shape[-1] - 1
    omega = rotation_log(T[..., :d, :d])
    v = np.linalg.solve(_left_jacobian(omega, d), T[..., :d, d][..., None])[..., 0]
    return np.concatenate([omega, v], axis=-1)


def _left_jacobian(omega: Array, d: int) -> Array:
    angle = np.linalg.norm(omega, axis=-1)[..., None, None]
    skew = hat(omega, d)
    first = 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2
    safe = np.where(angle > 1e-4, angle, 1.0)
    second = np.where(angle > 1e-4, (1.0 - np.sinc(safe / np.pi)) / safe**2, 1.0 / 6.0 - angle**2 / 120.0)
    jacobian: Array = np.eye(d) + first * skew + second * (skew @ skew)
    return jacobian


def adjoint(T: Array) -> Array:
    """Matrix A with ``T · Exp(xi) · T⁻¹ = Exp(A xi)``, for tangent vectors (omega, v).

    It carries a covariance from one frame into another: ``A C Aᵀ``.

    >>> T, xi = exp([0.5, 1.0, 2.0]), np.array([0.1, 0.2, 0.3])
    >>> bool(np.allclose(T @ exp(xi) @ invert(T), exp(adjoint(T) @ xi)))
    True
    """
    T = _square(T, "T", 3, 4)
    d = T.shape[-1] - 1
    rotation, translation = T[..., :d, :d], T[..., :d, d]
    k = degrees_of_freedom(d) - d
    turned = rotation if d == 3 else np.ones((*T.shape[:-2], 1, 1))
    # A rotation about the source's origin moves the point t: v gains -hat(omega') t for every turned axis omega'.
    lever = -np.einsum("kij,...j->...ik", GENERATORS[d], translation)
    matrix = np.zeros((*T.shape[:-2], k + d, k + d))
    matrix[..., :k, :k] = turned
    matrix[..., k:, :k] = lever @ turned
    matrix[..., k:, k:] = rotation
    return matrix


def pose_error(T: Array, reference: Array) -> tuple[float, float]:
    """Rotation error in radians and translation error in the points' unit between two poses.

    >>> round(pose_error(exp([0.1, 3.0, 0.0]), np.eye(3))[0], 12)
    0.1
    """
    T = _square(T, "T", 3, 4)
    d = T.shape[-1] - 1
    reference = as_floats(reference, "reference", d + 1, d + 1)
    if T.ndim > 2 or reference.ndim > 2:
        raise InputError(f"T and reference must be one pose each, got shapes {T.shape} and {reference.shape}")
    turn = rotation_log(np.swapaxes(reference[..., :d, :d], -1, -2) @ T[..., :d, :d])
    return float(np.linalg.norm(turn)), float(np.linalg.norm(T[:d, d] - reference[:d, d]))


def as_pose(value: ArrayLike, dimension: int, name: str = "T") -> Array:
    """A checked (d+1, d+1) rigid motion, its rotation cleaned of rounding; raises InputError otherwise.

    >>> as_pose([[0.0, -1.0, 3.0], [1.0, 0.0, 4.0], [0.0, 0.0, 1.0]], 2).shape
    (3, 3)
    >>> as_pose(2.0 * np.eye(3), 2, "init")
    Traceback (most recent call last):
        ...
    svgm.InputError: init must end with the row [0, 0, 1], got [0.0, 0.0, 2.0]
    """
    matrix = as_numbers(value, name)
    size = as_dimension(dimension) + 1
    if matrix.shape != (size, size):
        raise InputError(f"{name} must be a {size}x{size} matrix for {dimension}D points, got shape {matrix.shape}")
    if not (np.abs(matrix) <= LARGEST).all():
        raise InputError(f"{name} must be finite and within {LARGEST:g}, got {shown(matrix.ravel().tolist())}")
    if not np.allclose(matrix[dimension], np.eye(size)[dimension], atol=1e-9):
        raise InputError(f"{name} must end with the row {[0] * dimension + [1]}, got {matrix[dimension].tolist()}")
    u, singular, vt = np.linalg.svd(matrix[:dimension, :dimension])
    if np.abs(singular - 1.0).max() > 1e-4 or np.linalg.det(u @ vt) < 0:
        raise InputError(f"{name} must hold a rotation (orthogonal, determinant +1), got singular values {singular}")
    matrix[:dimension, :dimension] = u @ vt
    matrix[dimension] = np.eye(size)[dimension]
    return matrix


def _square(value: ArrayLike, name: str, *sizes: int) -> Array:
    """A stack of square matrices of one of these sizes."""
    array = as_floats(value, name)
    if array.size > MOST_NUMBERS:
        raise InputError(f"{name} must hold at most {MOST_NUMBERS} numbers, got shape {array.shape}")
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] not in sizes:
        allowed = " or ".join(f"{size}x{size}" for size in sizes)
        raise InputError(f"{name} must be a {allowed} matrix, or a stack of them, got shape {array.shape}")
    return array


def _together(name: str, shape: tuple[int, ...], other: str, others: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of two stacks that are combined one by one."""
    if any(a != b and 1 not in (a, b) for a, b in zip(shape[::-1], others[::-1], strict=False)):
        raise InputError(f"{name} and {other} must be stacks of one shape, got {shape} and {others}")
    return np.broadcast_shapes(shape, others)


def information_of(covariance: Array) -> Array:
    """Inverse of a covariance: symmetric and positive semidefinite by construction, however near it is to singular.

    Each coordinate is measured in its own deviation, so that radians and lengths compare.  An eigenvalue below rounding
    counts as rounding: what is that well known may be known better, but not by these numbers.

    >>> information_of(np.diag([0.25, 4.0])).tolist()
    [[4.0, 0.0], [0.0, 0.25]]
    """
    covariance = as_floats(covariance, "covariance")
    if covariance.ndim != 2 or not 0 < len(covariance) == covariance.shape[1]:
        raise InputError(f"covariance must be a square matrix, got shape {covariance.shape}")
    with np.errstate(invalid="ignore", over="ignore"):
        deviations = np.sqrt(np.maximum(np.diag(covariance), 1e-200))
        correlation = covariance / deviations[:, None] / deviations
    if not (np.abs(correlation) <= LARGEST).all():
        raise InputError(f"covariance must be finite and positive semidefinite, got {shown(covariance)}")
    values, vectors = np.linalg.eigh(0.5 * (correlation + correlation.T))
    roots = vectors / np.sqrt(np.maximum(values, len(values) * np.finfo(float).eps)) / deviations[:, None]
    information: Array = roots @ roots.T
    return 0.5 * (information + information.T)


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
