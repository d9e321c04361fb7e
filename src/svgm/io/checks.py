"""What every format promises of a point set: two axes, at least one point, every coordinate finite."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.checks.arguments import as_floats
from svgm.checks.errors import InputError
from svgm.io.source import file_error


def checked_numbers(path: Path, value: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return an argument as a float64 array of any shape, or name the file and what is wrong with it.

    Parameters
    ----------
    path : Path
        The file written, for the message.
    value : array_like
        Real numbers, which need not be finite.
    name : str
        What the message calls them.

    Returns
    -------
    ndarray
        float64; the argument itself if it is such an array.

    Raises
    ------
    FileError
        If the argument is no array of real numbers.
    """
    try:
        return as_floats(value, name)
    except InputError as error:
        raise file_error(path, str(error)) from None


def checked_points(path: Path, points: ArrayLike, dimensions: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    """Return the points as a C-contiguous float64 array, or name what is wrong with them.

    Parameters
    ----------
    path : Path
        The file read or written, for the message.
    points : array_like, shape (n, d)
        Real numbers.
    dimensions : tuple of int, optional
        The values of d the format can hold; any by default.

    Returns
    -------
    ndarray, shape (n, d)
        float64, C-contiguous, finite, n and d at least 1.

    Raises
    ------
    FileError
        If there is no point, the shape is wrong, or a coordinate is not a finite real number.
    """
    try:
        given = np.asanyarray(points)
    except Exception:  # numpy's, or those of an object that makes an array of itself
        reason = "rows differ in length, or no array can be made of them"
        raise file_error(path, f"points must be an (n, d) array: {reason}") from None
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
    """Return poses as a float64 array, and which of them are there, or name what is wrong with them.

    Parameters
    ----------
    path : Path
        The file written, for the message.
    poses : array_like, shape (n, d + 1, d + 1)
        Rigid motions, d 2 or 3; one whose rotation and translation are all NaN is of a scan that was left out.

    Returns
    -------
    ndarray, shape (n, d + 1, d + 1)
        The poses.
    ndarray of bool, shape (n,)
        False where a scan was left out.

    Raises
    ------
    FileError
        If there is no pose, the shape is wrong, or a matrix is no rigid motion.
    """
    array = checked_numbers(path, poses, "poses")
    if array.ndim != 3 or array.shape[1:] not in ((3, 3), (4, 4)):
        raise file_error(path, f"poses must be an (n, 3, 3) or (n, 4, 4) array, the shape is {array.shape}")
    d = array.shape[1] - 1
    there: NDArray[np.bool_] = np.asarray(~np.isnan(array[:, :d]).all(axis=(1, 2)))
    if not there.any():
        raise file_error(path, f"at least one scan must have a pose, none of {len(array)} has")
    check_rotations(path, array[there][:, :d], np.flatnonzero(there), "pose")
    last = np.abs(array[there][:, d] - np.eye(d + 1)[d]).max(axis=1)
    if not (last <= 1e-9).all():
        first = int(np.flatnonzero(there)[np.argmax(~(last <= 1e-9))])
        raise file_error(path, f"pose {first} must end with the row {[0] * d + [1]}")
    return array, there


def check_rotations(path: Path, upper: NDArray[np.float64], numbers: NDArray[np.int64], unit: str) -> None:
    """Raise for the first of some (d, d + 1) matrices that holds no rigid motion.

    Parameters
    ----------
    path : Path
        The file, for the message.
    upper : ndarray, shape (n, d, d + 1)
        The upper rows of poses.
    numbers : ndarray of int, shape (n,)
        What the message calls each of them, after `unit`.
    unit : str
        What a matrix stands for: a pose, a line.

    Raises
    ------
    FileError
        If a number is not finite or a rotation is off by more than 1e-3, which is more than any writer rounds.
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
