"""Logs of 2D laser scanners in the CARMEN format, plain or compressed by gzip."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svgm.checks.frozen import Frozen, freeze
from svgm.io.carmen_lines import LaserLine, WheelLine, parse_lines
from svgm.io.carmen_range import no_hit_range
from svgm.io.errors import file_error, file_errors
from svgm.io.paths import PathLike, as_path, read_bytes
from svgm.rigid import invert, pose, rotation_exp

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CarmenLog(Frozen):
    """The laser scans of a log, in its order.

    Attributes
    ----------
    scans : tuple of ndarray, each of shape (m, 2)
        Points in the sensor's frame: x forward, y to the left.  A scan in which no beam hit anything has m = 0.
    poses : ndarray, shape (n, 3, 3)
        The sensor's poses as the laser lines state them.  In a log that a SLAM program wrote they are corrected poses.
    odometry : ndarray, shape (n, 3, 3), or None
        The sensor's poses as the wheels measured them, from the ODOM lines.  None if the log does not hold them.
    times : ndarray, shape (n,)
        Times of the scans in seconds, as the laser lines state them.
    farthest : float
        Readings of this range and more are no hits, and are left out.  Infinite if the log has no such readings.

    Examples
    --------
    >>> log = CarmenLog((np.array([[2.0, 0.0]]),), np.eye(3)[None], None, np.array([7.5]), 81.83)
    >>> len(log.scans), log.odometry is None
    (1, True)
    """

    scans: tuple[Array, ...]
    poses: Array
    odometry: Array | None
    times: Array
    farthest: float

    def __post_init__(self) -> None:
        freeze(self, "poses", "times", *([] if self.odometry is None else ["odometry"]))
        for scan in self.scans:
            scan.setflags(write=False)


def read_carmen(path: PathLike) -> CarmenLog:
    """Read a CARMEN log: lines FLASER, ROBOTLASER1 and ODOM.  Other lines, such as RLASER, are skipped.

    A beam that hit nothing has the sensor's maximum range and is left out.  ROBOTLASER1 lines state the maximum.  For
    FLASER lines it is found in the readings: equal ranges near the longest one that are far too frequent for real hits.
    Readings of 0 are no measurements and are left out, too.

    The odometry of a scan is that of the last ODOM line before it, moved to the sensor by the two poses of the laser
    line.  It is not interpolated by time: in many logs the times are rounded or damaged, but the order is right.  A
    SLAM program that corrects a log writes the corrected pose as an ODOM line after each scan, and the next ODOM lines
    go on from there.  The jump to such a line is no motion of the wheels.  It is left out, so that the odometry is
    that of the wheels alone.

    Parameters
    ----------
    path : str or os.PathLike
        The log, plain or compressed by gzip.

    Returns
    -------
    CarmenLog
        Scans, poses, odometry and times.

    Raises
    ------
    FileError
        If the file is missing or holds no scans, or if a laser or ODOM line is damaged.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> ranges = " ".join(["2.0"] * 170 + ["81.83"] * 10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "robot.clf"
    ...     _ = path.write_text(f"ODOM 0.5 0 0 0 0 0 7 host 7\\nFLASER 180 {ranges} 1 2 0 1 2 0 7.5 host 7.5\\n")
    ...     log = read_carmen(path)
    >>> log.scans[0].shape, log.farthest, log.times.tolist()
    ((170, 2), 81.83, [7.5])
    >>> log.poses[0, :2, 2].tolist(), log.odometry[0, :2, 2].tolist()
    ([1.0, 2.0], [0.5, 0.0])
    """
    path = as_path(path)
    lines = parse_lines(path, _text(path).splitlines())
    lasers = [line for line in lines if isinstance(line, LaserLine)]
    if not lasers:
        raise file_error(path, "holds no laser scans (lines FLASER or ROBOTLASER1 of a CARMEN log)")
    stated = [line.most for line in lasers if line.most is not None]
    farthest = max(stated) if stated else no_hit_range(np.concatenate([line.ranges for line in lasers]))
    return CarmenLog(
        tuple(_points(line, farthest if line.most is None else line.most) for line in lasers),
        np.array([_pose(line.laser) for line in lasers]),
        _wheels(lines),
        np.array([line.time for line in lasers]),
        float(farthest),
    )


def _text(path: Path) -> str:
    data = read_bytes(path)
    if data.startswith(b"\x1f\x8b"):
        with file_errors(path, "is a damaged gzip file"):
            data = gzip.decompress(data)
    if b"\0" in data:
        raise file_error(path, "is not a text file, it holds NUL bytes")
    # Comments may hold bytes that are not UTF-8. Elsewhere such bytes become characters that are no numbers: an error.
    return data.decode("utf-8", errors="replace")


def _points(line: LaserLine, farthest: float) -> Array:
    points = line.ranges[:, None] * np.c_[np.cos(line.angles), np.sin(line.angles)]
    hit: Array = points[(line.ranges < farthest) & (line.ranges > 0.0)]
    return hit


def _wheels(lines: Sequence[LaserLine | WheelLine]) -> Array | None:
    """The sensor's poses from the ODOM lines, or None if these do not hold the motion of the wheels."""
    first = next((line for line in lines if isinstance(line, WheelLine)), None)
    if first is None:
        return None
    # `here` is the pose by the wheels alone, at the line `last`.
    here = last = _pose(first.robot)
    restated = False
    found = []
    for before, line in zip([None, *lines], lines, strict=False):
        if isinstance(line, LaserLine):
            if restated:  # no ODOM line since the corrected pose: the log does not say how the robot moved
                return None
            found.append(here @ invert(_pose(line.robot)) @ _pose(line.laser))
            continue
        now = _pose(line.robot)
        restated = isinstance(before, LaserLine) and _restates(line, before)
        if not restated:
            here = here @ invert(last) @ now
        last = now
    return np.array(found)


def _restates(line: WheelLine, before: LaserLine) -> bool:
    """Whether an ODOM line repeats the pose of the laser line before it, and is no measurement of its own.

    A measurement has the time of the scan or a later one.  If the scan has no time, only the pose counts.
    """
    untimed = before.time == 0.0 or line.time < before.time
    return untimed and np.array_equal(line.robot, before.laser)


def _pose(place: Array) -> Array:
    return pose(rotation_exp(place[2:], 2), place[:2])
