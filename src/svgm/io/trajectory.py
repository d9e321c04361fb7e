"""Trajectories as the TUM and KITTI benchmarks write them: one pose a line, world from scan.

A pose maps a scan's points into the world, ``p_world = R @ p + t``.  Both formats are of 3D: a pose of the plane is
written as the one with z = 0 that turns about z.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.atomic import atomic_write
from svgm.io.checks import check_rotations, checked_numbers, checked_poses
from svgm.io.source import PathLike, as_path, file_error
from svgm.io.table import parse_rows
from svgm.io.text import data_lines
from svgm.rigid import quaternion_rotation, rotation_quaternion


def write_tum(path: PathLike, poses: ArrayLike, times: ArrayLike | None = None) -> None:
    """Write a TUM trajectory: ``timestamp tx ty tz qx qy qz qw``, with as many digits as numbers have.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace, whole or not at all.
    poses : array_like, shape (n, d + 1, d + 1)
        World from scan, d 2 or 3.  A pose of NaN (a scan that was left out) has no line, so its time is missing.
    times : array_like, shape (n,), optional
        Finite, in seconds; the scans' numbers 0 ... n - 1 by default.

    Raises
    ------
    FileError
        If the poses or times cannot be written or the system refuses.

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
    array, there = checked_poses(path, poses)
    clock = np.arange(len(array), dtype=np.float64) if times is None else checked_numbers(path, times, "times")
    if clock.shape != (len(array),) or not np.isfinite(clock).all():
        raise file_error(path, f"times must be {len(array)} finite numbers, one a pose, the shape is {clock.shape}")
    space = _in_space(array[there])
    rows = np.column_stack([clock[there], space[:, :3, 3], rotation_quaternion(space[:, :3, :3])])
    _write_rows(path, rows)


def read_tum(path: PathLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read a TUM trajectory: a line is a time, a place and a unit quaternion, ``timestamp tx ty tz qx qy qz qw``.

    A scan is known by its time, so lines may be missing, and need not be in order.

    Parameters
    ----------
    path : str or os.PathLike
        The file; blank lines and comments after ``#`` do not count.

    Returns
    -------
    ndarray, shape (n,)
        The times.
    ndarray, shape (n, 4, 4)
        The poses, world from scan, in 3D always.

    Raises
    ------
    FileError
        If a line does not hold eight finite numbers or its quaternion is not of length 1 (within 1e-2, and then
        normalised: files of four digits are common).

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
        raise file_error(path, f"line {numbers[np.argmin(finite)]} must be finite")
    with np.errstate(over="ignore"):
        length = np.linalg.norm(table[:, 4:], axis=1)
    bad = np.abs(length - 1.0) > 1e-2
    if bad.any():
        first = int(np.argmax(bad))
        raise file_error(path, f"line {numbers[first]}, the quaternion must be of length 1, it is {length[first]:.6g}")
    # One of full precision is left as it is: dividing by a length of 1 but for rounding would only add some.
    unit = np.where(np.abs(length - 1.0) > 1e-15, length, 1.0)[:, None]
    return table[:, 0], _matrices(quaternion_rotation(table[:, 4:] / unit), table[:, 1:4])


def write_kitti(path: PathLike, poses: ArrayLike) -> None:
    """Write a KITTI trajectory: the upper three rows of each pose, row by row, twelve numbers a line.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace, whole or not at all.
    poses : array_like, shape (n, d + 1, d + 1)
        World from scan, d 2 or 3.  A line's place is all that names its scan, so a pose of NaN (a scan that was left
        out) is a line of twelve ``nan``: a made-up pose would be taken for a measured one.  Programs that cannot
        do with it take the TUM file, where such scans are missing.

    Raises
    ------
    FileError
        If the poses cannot be written or the system refuses.

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
    array, there = checked_poses(path, poses)
    rows = np.full((len(array), 12), np.nan)
    rows[there] = _in_space(array[there])[:, :3].reshape(-1, 12)
    _write_rows(path, rows)


def read_kitti(path: PathLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read a KITTI trajectory: a line is twelve numbers, the upper three rows ``[R t]`` of a pose, row by row.

    There are no times: the i-th line is the i-th scan.

    Parameters
    ----------
    path : str or os.PathLike
        The file; blank lines and comments after ``#`` do not count.

    Returns
    -------
    ndarray, shape (n,)
        The numbers of the scans, 0 ... n - 1, as times.
    ndarray, shape (n, 4, 4)
        The poses, world from scan; NaN for a line of twelve ``nan``.

    Raises
    ------
    FileError
        If a line does not hold twelve numbers, or these are no rigid motion.

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
    there = ~np.isnan(table).all(axis=1)
    check_rotations(path, upper[there], numbers[there], "line")
    poses = _matrices(upper[:, :, :3], upper[:, :, 3])
    poses[~there] = np.nan
    return np.arange(len(poses), dtype=np.float64), poses


def _in_space(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Poses of the plane as those of space that keep z; poses of space as they are."""
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
    """The numbers of every line that holds some, and where in the file it stands, counted from 1."""
    path = as_path(path)
    lines = data_lines(path)
    numbers = np.array([index for index, line in enumerate(lines, start=1) if line], dtype=np.int64)
    if not len(numbers):
        raise file_error(path, "holds no poses")
    return parse_rows(path, lines, columns, unit="line"), numbers
