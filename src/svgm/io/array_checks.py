"""Checks of the points and poses that are read from a file or written to one. The error names the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.checks.arguments import as_floats
from svgm.checks.errors import InputError
from svgm.io.errors import file_error


def checked_numbers(path: Path, value: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return an argument as a float64 array of any shape.

    Parameters
    ----------
    path : Path
        The file that is written, for the message.
    value : array_like
        Real numbers. They need not be finite.
    name : str
        The name of the argument, for the message.

    Returns
    -------
    ndarray
        float64. If the argument is such an array already, it is returned itself.

    Raises
    ------
    FileError
        If the argument is not an array of real numbers.
    """
    try:
        return as_floats(value, name)
    except InputError as error:
        raise file_error(path, str(error)) from None


def checked_points(path: Path, points: ArrayLike, dimensions: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    """Return points as a C-contiguous float64 array.

    Parameters
    ----------
    path : Path
        The file that is read or written, for the message.
    points : array_like, shape (n, d)
        Real numbers.
    dimensions : tuple of int, optional
        The values of d that the format can hold. By default any d >= 1.

    Returns
    -------
    ndarray, shape (n, d)
        float64, C-contiguous, finite, n >= 1, d >= 1.

    Raises
    ------
    FileError
        If there is no point, the shape is wrong, or a coordinate is not a finite real number.
    """
    try:
        given = np.asanyarray(points)
    except Exception:  # of NumPy, or of an object that converts itself to an array
        raise file_error(
            path, "points must be an (n, d) array, but the rows differ in length or are no numbers"
        ) from None
    if given.ndim != 2:
        raise file_error(path, f"points must be an (n, d) array, the shape is {given.shape}")
    if given.shape[0] == 0:
        raise file_error(path, "holds no points")
    if given.dtype.kind not in "fiu":
        raise file_error(path, f"points must be real numbers, the type is {given.dtype}")
    if given.shape[1] == 0 or (dimensions is not None and given.shape[1] not in dimensions):
        allowed = " or ".join(map(str, dimensions)) if dimensions else "at least 1"
        raise file_error(path, f"points must have {allowed} coordinates here, they have {given.shape[1]}")
    array = np.ascontiguousarray(checked_numbers(path, given, "points"))
    bad = ~np.isfinite(array).all(axis=1)
    if bad.any():
        count, first = int(np.count_nonzero(bad)), int(np.argmax(bad))
        raise file_error(
            path, f"every coordinate must be finite, {count} of {len(array)} points are not, the first is point {first}"
        )
    return array


def checked_poses(path: Path, poses: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return poses as a float64 array, and which of them are known.

    Parameters
    ----------
    path : Path
        The file that is written, for the message.
    poses : array_like, shape (n, d + 1, d + 1)
        Rigid motions, d = 2 or 3. A pose whose rotation and translation are all NaN is that of a scan that was left
        out.

    Returns
    -------
    ndarray, shape (n, d + 1, d + 1)
        The poses.
    ndarray of bool, shape (n,)
        False where a scan was left out.

    Raises
    ------
    FileError
        If no pose is known, the shape is wrong, or a matrix is not a rigid motion.
    """
    array = checked_numbers(path, poses, "poses")
    if array.ndim != 3 or array.shape[1:] not in ((3, 3), (4, 4)):
        raise file_error(path, f"poses must be an (n, 3, 3) or (n, 4, 4) array, the shape is {array.shape}")
    d = array.shape[1] - 1
    known: NDArray[np.bool_] = np.asarray(~np.isnan(array[:, :d]).all(axis=(1, 2)))
    if not known.any():
        raise file_error(path, f"at least one scan must have a pose, none of {len(array)} has")
    check_rotations(path, array[known][:, :d], np.flatnonzero(known), "pose")
    last = np.abs(array[known][:, d] - np.eye(d + 1)[d]).max(axis=1)
    if not (last <= 1e-9).all():
        first = int(np.flatnonzero(known)[np.argmax(~(last <= 1e-9))])
        raise file_error(path, f"pose {first} must end with the row {[0] * d + [1]}")
    return array, known


def check_rotations(path: Path, upper: NDArray[np.float64], numbers: NDArray[np.int64], unit: str) -> None:
    """Raise an error for the first matrix that is not a rigid motion.

    Parameters
    ----------
    path : Path
        The file, for the message.
    upper : ndarray, shape (n, d, d + 1)
        The upper rows of poses.
    numbers : ndarray of int, shape (n,)
        The number of each matrix in the message, after `unit`.
    unit : str
        What a matrix is called in the message: "pose" or "line".

    Raises
    ------
    FileError
        If a number is not finite, or if R^T R differs from the identity by more than 1e-3. Files with few digits have
        smaller differences.
    """
    finite = np.isfinite(upper).all(axis=(1, 2))
    if not finite.all():
        raise file_error(path, f"{unit} {numbers[np.argmin(finite)]} must be finite")
    d = upper.shape[1]
    rotation = upper[:, :, :d]
    with np.errstate(over="ignore", invalid="ignore"):
        square = np.abs(np.swapaxes(rotation, 1, 2) @ rotation - np.eye(d)).max(axis=(1, 2))
    bad = ~(square <= 1e-3)
    bad[~bad] = np.linalg.det(rotation[~bad]) < 0
    if bad.any():
        first = numbers[np.argmax(bad)]
        raise file_error(path, f"{unit} {first} must hold a rotation (orthogonal, determinant +1), it does not")
