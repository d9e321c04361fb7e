"""Odometry from a file: a TUM or KITTI trajectory, or a CARMEN log."""

from __future__ import annotations

import numpy as np

from svgm.geometry.points import Array
from svgm.io.carmen import read_carmen
from svgm.io.errors import file_error
from svgm.io.formats.text import data_lines
from svgm.io.paths import PathLike, as_path
from svgm.io.trajectory import read_kitti, read_tum

#: Ends of the names of CARMEN logs.
LOG_SUFFIXES = (".log", ".log.gz", ".clf", ".clf.gz")


def is_log(path: PathLike) -> bool:
    """Whether the name of a file is that of a CARMEN log.

    >>> is_log("intel.log.gz"), is_log("scan1.ply")
    (True, False)
    """
    return str(path).lower().endswith(LOG_SUFFIXES)


def read_odometry(path: PathLike, count: int) -> Array:
    """The odometry of so many scans: poses (count, d+1, d+1), NaN for scans without.

    A KITTI file and a CARMEN log have one pose for each scan, in order.  A TUM file has one pose for each scan, in the
    order of the times; or fewer, whose times are the numbers of the scans, from 0.

    Raises
    ------
    FileError
        If the file cannot be read, or its poses are not those of the scans.
    """
    path = as_path(path)
    if is_log(path):
        poses = read_carmen(path).odometry
        if poses is None:
            raise file_error(path, "holds no odometry (ODOM lines of a CARMEN log)")
        return _for_all(path, np.asarray(poses), count)
    line = next((line for line in data_lines(path) if line.split()), "")
    if len(line.split()) == 12:
        return _for_all(path, read_kitti(path)[1], count)
    times, poses = read_tum(path)
    if len(times) == count:
        return np.asarray(poses[np.argsort(times, kind="stable")])
    if len(set(times.tolist())) < len(times) or not np.isin(times, np.arange(count)).all():
        rule = f"must have {count} poses, one for each scan, or times that are numbers of scans"
        raise file_error(path, f"{rule}; it has {len(times)} poses")
    found = np.full((count, 4, 4), np.nan)
    found[times.astype(int)] = poses
    return found


def _for_all(path: PathLike, poses: Array, count: int) -> Array:
    if len(poses) != count:
        raise file_error(as_path(path), f"must have {count} poses, one for each scan, it has {len(poses)}")
    return poses
