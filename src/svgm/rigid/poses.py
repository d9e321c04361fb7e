"""Poses: apply, invert, exponential and logarithm, errors between poses, and covariances."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import LARGEST, MOST_NUMBERS, as_finite, as_floats, as_numbers, shown
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PoseLike
from svgm.rigid.rotations import GENERATORS, as_dimension, as_square, hat, rotation_exp, rotation_log

#: Lengths whose ratio is within this of 1 are equal: a matrix with such singular values is a rotation.
SAME_LENGTH = 1e-4


def degrees_of_freedom(dimension: int) -> int:
    """Size of the tangent vector: 3 in 2D, 6 in 3D; InputError for other dimensions.

    >>> degrees_of_freedom(2), degrees_of_freedom(3)
    (3, 6)
    """
    dimension = as_dimension(dimension)
    return dimension * (dimension + 1) // 2


def pose(rotation: ArrayLike, translation: ArrayLike) -> Array:
    """Pose of a rotation and a translation.

    Parameters
    ----------
    rotation : array_like, shape (..., d, d)
        Rotation matrix in 2D or 3D, or a stack.
    translation : array_like, shape (..., d)
        Translation, or a stack.

    Returns
    -------
    ndarray, shape (..., d+1, d+1)

    Raises
    ------
    InputError
        If the shapes are not as described or do not fit together.

    Examples
    --------
    >>> pose(np.eye(2), [3.0, 4.0])
    array([[1., 0., 3.],
           [0., 1., 4.],
           [0., 0., 1.]])
    >>> pose(np.eye(3), np.zeros((5, 3))).shape
    (5, 4, 4)
    """
    rotation = as_square(rotation, "rotation", 2, 3)
    d = rotation.shape[-1]
    translation = as_floats(translation, "translation", d)
    stack = _broadcast("rotation", rotation.shape[:-2], "translation", translation.shape[:-1])
    if math.prod(stack) * (d + 1) ** 2 > MOST_NUMBERS:
        raise InputError(f"translation must be for a stack of fewer poses, got shape {translation.shape}")
    matrix = np.zeros((*stack, d + 1, d + 1))
    matrix[..., :d, :d] = rotation
    matrix[..., :d, d] = translation
    matrix[..., d, d] = 1.0
    return matrix


def apply(T: PoseLike, points: ArrayLike) -> Array:
    """Points moved by a pose, ``R @ p + t``, or by each pose of a stack.

    Parameters
    ----------
    T : PoseLike, shape (..., d+1, d+1)
        Pose in 2D or 3D, or a stack.
    points : array_like, shape (n, d)
        Points, or a stack of point sets.

    Returns
    -------
    ndarray, shape (..., n, d)

    Raises
    ------
    InputError
        If the shapes are not as described or do not fit together.

    Examples
    --------
    >>> quarter = exp([np.pi / 2, 0.0, 0.0])
    >>> apply(quarter, [[1.0, 0.0], [2.0, 0.0]]).round(3).tolist()
    [[0.0, 1.0], [0.0, 2.0]]
    """
    T = as_square(T, "T", 3, 4)
    d = T.shape[-1] - 1
    points = as_floats(points, "points", d)
    if points.ndim < 2:
        raise InputError(f"points must have shape (n, {d}), one point a row, got shape {points.shape}")
    _broadcast("T", T.shape[:-2], "points", points.shape[:-2])
    with np.errstate(invalid="ignore", over="ignore"):  # numbers that are not finite stay so
        moved: Array = points @ np.swapaxes(T[..., :d, :d], -1, -2) + T[..., None, :d, d]
    return moved


def invert(T: PoseLike) -> Array:
    """Inverse of a pose, or of each pose of a stack: (..., d+1, d+1); InputError for another shape.

    >>> T = exp([0.5, 1.0, 2.0])
    >>> bool(np.allclose(invert(T) @ T, np.eye(3)))
    True
    """
    T = as_square(T, "T", 3, 4)
    d = T.shape[-1] - 1
    back = np.swapaxes(T[..., :d, :d], -1, -2)
    return pose(back, -np.einsum("...ij,...j->...i", back, T[..., :d, d]))


def exp(xi: ArrayLike) -> Array:
    """Pose of a tangent vector ``(omega, v)``: the exponential map of SE(d).

    Parameters
    ----------
    xi : array_like, shape (..., 3) or (..., 6)
        Tangent vector in 2D or 3D: rotation in radians, then translation.

    Returns
    -------
    ndarray, shape (..., d+1, d+1)

    Raises
    ------
    InputError
        If `xi` has another shape or is not finite.

    Examples
    --------
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


def log(T: PoseLike) -> Array:
    """Tangent vector of a pose, (..., 3) or (..., 6): the inverse of :func:`exp` for rotations below pi.

    InputError if T is not a (..., d+1, d+1) array with d 2 or 3.

    >>> log(exp([0.1, 0.2, 0.3, 4.0, 5.0, 6.0])).round(12).tolist()
    [0.1, 0.2, 0.3, 4.0, 5.0, 6.0]
    """
    T = as_square(T, "T", 3, 4)
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


def adjoint(T: PoseLike) -> Array:
    """Matrix A with ``T · Exp(xi) · T⁻¹ = Exp(A xi)``, for tangent vectors (omega, v).

    A covariance C in source coordinates is ``A C Aᵀ`` in target coordinates.

    Parameters
    ----------
    T : PoseLike, shape (..., d+1, d+1)
        Pose in 2D or 3D, or a stack.

    Returns
    -------
    ndarray, shape (..., 3, 3) or (..., 6, 6)

    Raises
    ------
    InputError
        If T has another shape.

    Examples
    --------
    >>> T, xi = exp([0.5, 1.0, 2.0]), np.array([0.1, 0.2, 0.3])
    >>> bool(np.allclose(T @ exp(xi) @ invert(T), exp(adjoint(T) @ xi)))
    True
    """
    T = as_square(T, "T", 3, 4)
    d = T.shape[-1] - 1
    rotation, translation = T[..., :d, :d], T[..., :d, d]
    k = degrees_of_freedom(d) - d
    turned = rotation if d == 3 else np.ones((*T.shape[:-2], 1, 1))
    # A rotation about the source's origin moves the point t: v gains -hat(omega') t for every rotated axis omega'.
    lever = -np.einsum("kij,...j->...ik", GENERATORS[d], translation)
    matrix = np.zeros((*T.shape[:-2], k + d, k + d))
    matrix[..., :k, :k] = turned
    matrix[..., k:, :k] = lever @ turned
    matrix[..., k:, k:] = rotation
    return matrix


def pose_error(T: PoseLike, reference: PoseLike) -> tuple[float, float]:
    """Rotation error and translation error between two poses.

    Parameters
    ----------
    T, reference : PoseLike, shape (d+1, d+1)
        Two poses in 2D or 3D.

    Returns
    -------
    rotation : float
        Angle of ``reference⁻¹ T`` in radians, 0 to pi.
    translation : float
        Distance between the translations, in their unit.

    Raises
    ------
    InputError
        If the shapes are not as described.

    Examples
    --------
    >>> round(pose_error(exp([0.1, 3.0, 0.0]), np.eye(3))[0], 12)
    0.1
    """
    T = as_square(T, "T", 3, 4)
    d = T.shape[-1] - 1
    reference = as_square(reference, "reference", d + 1)
    if T.ndim > 2 or reference.ndim > 2:
        raise InputError(f"T and reference must be one pose each, got shapes {T.shape} and {reference.shape}")
    turn = rotation_log(np.swapaxes(reference[..., :d, :d], -1, -2) @ T[..., :d, :d])
    return float(np.linalg.norm(turn)), float(np.linalg.norm(T[:d, d] - reference[:d, d]))


def stretching_map(value: PoseLike, dimension: int) -> Array | None:
    """The matrix (d+1, d+1) if it is an affine map that can be inverted and is no rigid motion; None for all else.

    >>> stretching_map([[0.0, -1.0, 3.0], [1.0, 0.0, 4.0], [0.0, 0.0, 1.0]], 2) is None
    True
    >>> stretching_map([[2.0, 0.0, 3.0], [0.0, 1.0, 4.0], [0.0, 0.0, 1.0]], 2)[0].tolist()
    [2.0, 0.0, 3.0]
    """
    matrix = as_numbers(value, "T")
    if matrix.shape != (dimension + 1,) * 2 or not (np.abs(matrix) <= LARGEST).all():
        return None
    if not np.allclose(matrix[-1], np.eye(dimension + 1)[-1], atol=1e-9):
        return None
    u, singular, vt = np.linalg.svd(matrix[:-1, :-1])
    if not singular[-1] > 1e-12 * singular[0] or singular[-1] < 1.0 / LARGEST:
        return None
    rigid = np.abs(singular - 1.0).max() <= SAME_LENGTH and np.linalg.det(u @ vt) > 0
    return None if rigid else matrix


def as_pose(value: PoseLike, dimension: int, name: str = "T") -> Array:
    """A checked rigid motion: its rotation becomes exactly orthogonal, to rounding.

    Parameters
    ----------
    value : PoseLike, shape (d+1, d+1)
        A rotation (singular values within 1e-4 of 1, determinant +1), a translation, and the row [0, ..., 0, 1].
    dimension : int
        d, 2 or 3.
    name : str, default "T"
        What messages call the value.

    Returns
    -------
    ndarray, shape (d+1, d+1)

    Raises
    ------
    InputError
        If the value is not a rigid motion.

    Examples
    --------
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
    if np.abs(singular - 1.0).max() > SAME_LENGTH or np.linalg.det(u @ vt) < 0:
        raise InputError(f"{name} must hold a rotation (orthogonal, determinant +1), got singular values {singular}")
    matrix[:dimension, :dimension] = u @ vt
    matrix[dimension] = np.eye(size)[dimension]
    return matrix


def _broadcast(name: str, shape: tuple[int, ...], other: str, others: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of two stacks whose items are combined one by one."""
    if any(a != b and 1 not in (a, b) for a, b in zip(shape[::-1], others[::-1], strict=False)):
        raise InputError(f"{name} and {other} must be stacks of one shape, got {shape} and {others}")
    return np.broadcast_shapes(shape, others)


def information_of(covariance: ArrayLike) -> Array:
    """Information matrix: the inverse of a covariance, symmetric and positive semidefinite even if it is near singular.

    Each coordinate is first divided by its own deviation, so that radians and lengths can be compared.  An eigenvalue
    below rounding counts as rounding: these numbers cannot show how much smaller it is.

    Parameters
    ----------
    covariance : array_like, shape (n, n)
        Finite, symmetric and positive semidefinite.

    Returns
    -------
    ndarray, shape (n, n)

    Raises
    ------
    InputError
        If `covariance` is not a square matrix, or not finite.

    Examples
    --------
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
