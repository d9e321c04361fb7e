"""Trajectory files of the TUM and KITTI benchmarks: one pose a line, world from scan.

A pose maps the points of a scan into the world, ``p_world = R @ p + t``. Both formats hold 3D poses. A 2D pose is
written as the 3D pose that rotates about the z axis and keeps z.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.array_checks import check_rotations, checked_numbers, checked_poses
from svgm.io.atomic import atomic_write
from svgm.io.errors import file_error
from svgm.io.formats.number_rows import parse_rows
from svgm.io.formats.text import data_lines
from svgm.io.paths import PathLike, as_path
from svgm.rigid import quaternion_rotation, rotation_quaternion


def write_tum(path: PathLike, poses: ArrayLike, times: ArrayLike | None = None) -> None:
    """Write a TUM trajectory: lines of ``timestamp tx ty tz qx qy qz qw``, with all digits of the numbers.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace. It is written atomically.
    poses : array_like, shape (n, d + 1, d + 1)
        Rigid motions, world from scan; d = 2 or 3. If a scan has no pose, its rotation and translation are NaN. Such a
        scan gets no line.
    times : array_like, shape (n,), optional
        Times of the scans in seconds, finite. By default the numbers 0 ... n - 1 of the scans.

    Raises
    ------
    FileError
        If a pose is not a rigid motion, if no scan has a pose, if `times` are not n finite numbers, or if the operating
        system refuses the write.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "trajectory.tum"
    ...     write_tum(path, [np.eye(3), np.full((3, 3), np.nan), [[0, -1, 2], [1, 0, 0.5], [0, 0, 1]]])
    ...     times, read = read_tum(path)
    >>> times
    array([0., 2.])
    >>> read[1].round(12)
    array([[ 0. , -1. ,  0. ,  2. ],
           [ 1. ,  0. ,  0. ,  0.5],
           [ 0. ,  0. ,  1. ,  0. ],
           [ 0. ,  0. ,  0. ,  1. ]])
    """
    path = as_path(path)
    array, known = checked_poses(path, poses)
    clock = np.arange(len(array), dtype=np.float64) if times is None else checked_numbers(path, times, "times")
    if clock.shape != (len(array),) or not np.isfinite(clock).all():
        raise file_error(
            path, f"times must be {len(array)} finite numbers, one for each pose, the shape is {clock.shape}"
        )
    space = _in_3d(array[known])
    rows = np.column_stack([clock[known], space[:, :3, 3], rotation_quaternion(space[:, :3, :3])])
    _write_rows(path, rows)


def read_tum(path: PathLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read a TUM trajectory: a line is a time, a position and a unit quaternion, ``timestamp tx ty tz qx qy qz qw``.

    The time identifies the scan. So the lines may be in any order, and a scan may have no line.

    Parameters
    ----------
    path : str or os.PathLike
        The file. Blank lines and comments after ``#`` are skipped.

    Returns
    -------
    times : ndarray, shape (n,)
        The times, in seconds, in the order of the file.
    poses : ndarray, shape (n, 4, 4)
        The poses, world from scan, always in 3D.

    Raises
    ------
    FileError
        If the file is missing or holds no poses, if a line does not hold eight finite numbers, or if the length of a
        quaternion differs from 1 by more than 0.01. Within 0.01 it is normalised, because many files have four digits.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "trajectory.tum"
    ...     _ = path.write_text("# time x y z qx qy qz qw\\n1305031102.5 2 0 0.5 0 0 0.7071 0.7071\\n")
    ...     times, poses = read_tum(path)
    >>> times.tolist(), poses[0, :3, 3].tolist()
    ([1305031102.5], [2.0, 0.0, 0.5])
    >>> (poses[0] @ [1.0, 0.0, 0.0, 1.0]).round(3).tolist()
    [2.0, 1.0, 0.5, 1.0]
    """
    path = as_path(path)
    table, numbers = _read_rows(path, 8)
    finite = np.isfinite(table).all(axis=1)
    if not finite.all():
        raise file_error(path, f"the numbers of line {numbers[np.argmin(finite)]} must be finite")
    with np.errstate(over="ignore"):
        length = np.linalg.norm(table[:, 4:], axis=1)
    bad = np.abs(length - 1.0) > 1e-2
    if bad.any():
        first = int(np.argmax(bad))
        raise file_error(
            path, f"line {numbers[first]}, the quaternion must have length 1, its length is {length[first]:.6g}"
        )
    # A quaternion of full precision is not divided by its length: that would only add rounding errors.
    unit = np.where(np.abs(length - 1.0) > 1e-15, length, 1.0)[:, None]
    return table[:, 0], _matrices(quaternion_rotation(table[:, 4:] / unit), table[:, 1:4])


def write_kitti(path: PathLike, poses: ArrayLike) -> None:
    """Write a KITTI trajectory: the upper three rows of each pose, row by row, twelve numbers a line.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace. It is written atomically.
    poses : array_like, shape (n, d + 1, d + 1)
        Rigid motions, world from scan; d = 2 or 3. If a scan has no pose, its rotation and translation are NaN. The
        line number identifies the scan, so such a scan gets a line of twelve ``nan``. For a program that cannot read
        ``nan``, write a TUM file, which has no line for such a scan.

    Raises
    ------
    FileError
        If a pose is not a rigid motion, if no scan has a pose, or if the operating system refuses the write.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "poses.txt"
    ...     write_kitti(path, [np.eye(4)])
    ...     path.read_text().strip()
    '1.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 1.0 0.0'
    """
    path = as_path(path)
    array, known = checked_poses(path, poses)
    rows = np.full((len(array), 12), np.nan)
    rows[known] = _in_3d(array[known])[:, :3].reshape(-1, 12)
    _write_rows(path, rows)


def read_kitti(path: PathLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read a KITTI trajectory: a line is twelve numbers, the upper three rows ``[R t]`` of a pose, row by row.

    The format has no times: the i-th line is the i-th scan.

    Parameters
    ----------
    path : str or os.PathLike
        The file. Blank lines and comments after ``#`` are skipped.

    Returns
    -------
    times : ndarray, shape (n,)
        The numbers of the scans, 0 ... n - 1.
    poses : ndarray, shape (n, 4, 4)
        The poses, world from scan. The rotation and translation of a line of twelve ``nan`` are NaN.

    Raises
    ------
    FileError
        If the file is missing or holds no poses, if a line does not hold twelve numbers, or if these are not a rigid
        motion.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "00.txt"
    ...     _ = path.write_text("1 0 0 0 0 1 0 0 0 0 1 0\\n0 -1 0 2 1 0 0 0 0 0 1 0.5\\n")
    ...     numbers, poses = read_kitti(path)
    >>> numbers.tolist(), poses.shape
    ([0.0, 1.0], (2, 4, 4))
    >>> poses[1, :3, 3].tolist()
    [2.0, 0.0, 0.5]
    """
    path = as_path(path)
    table, numbers = _read_rows(path, 12)
    upper = table.reshape(-1, 3, 4)
    known = ~np.isnan(table).all(axis=1)
    check_rotations(path, upper[known], numbers[known], "line")
    poses = _matrices(upper[:, :, :3], upper[:, :, 3])
    poses[~known] = np.nan
    return np.arange(len(poses), dtype=np.float64), poses


def _in_3d(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """2D poses as 3D poses that keep z. 3D poses are returned as they are."""
    if poses.shape[1] == 4:
        return poses
    space = np.tile(np.eye(4), (len(poses), 1, 1))
    space[:, :2, :2] = poses[:, :2, :2]
    space[:, :2, 3] = poses[:, :2, 2]
    return space


def _matrices(rotations: NDArray[np.float64], translations: NDArray[np.float64]) -> NDArray[np.float64]:
    poses = np.tile(np.eye(4), (len(rotations), 1, 1))
    poses[:, :3, :3] = rotations
    poses[:, :3, 3] = translations
    return poses


def _write_rows(path: PathLike, rows: NDArray[np.float64]) -> None:
    with atomic_write(path) as temporary, temporary.open("w", encoding="ascii", newline="\n") as stream:
        stream.writelines(f"{' '.join(map(repr, row))}\n" for row in rows.tolist())


def _read_rows(path: PathLike, columns: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The numbers of every line that is not blank, and the line numbers, counted from 1."""
    path = as_path(path)
    lines = data_lines(path)
    numbers = np.array([index for index, line in enumerate(lines, start=1) if line], dtype=np.int64)
    if not len(numbers):
        raise file_error(path, "holds no poses")
    return parse_rows(path, lines, columns, unit="line"), numbers
