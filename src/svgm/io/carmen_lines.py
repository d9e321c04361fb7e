"""The lines of a CARMEN log that svgm reads: laser scans (FLASER, ROBOTLASER1) and wheels (ODOM)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svgm.io.errors import file_error, shown

Array = NDArray[np.float64]

#: Numbers of beams of an FLASER line, and the angle between two beams in degrees.  The line itself does not state it.
BEAM_STEPS = {180: 1.0, 181: 1.0, 360: 0.5, 361: 0.5}

#: Words of an FLASER line after the readings: laser pose, robot pose, time, host, time of the logger.
AFTER_READINGS = 9

#: Words of a ROBOTLASER1 line before the readings, and after the remissions: laser pose, robot pose, two velocities,
#: three lengths, time, host, time of the logger.
BEFORE_READINGS, AFTER_REMISSIONS = 9, 14


@dataclass(frozen=True)
class LaserLine:
    """One laser scan of a log.

    `angles` and `ranges` (n,) are those of its beams, `most` is the sensor's maximum range if the line states it.
    `laser` and `robot` are poses (x, y, heading), `number` is the number of the line.
    """

    number: int
    angles: Array
    ranges: Array
    most: float | None
    laser: Array
    robot: Array
    time: float


@dataclass(frozen=True)
class WheelLine:
    """One ODOM line: the robot's pose (x, y, heading) as its wheels measure it, and the time."""

    number: int
    robot: Array
    time: float


def parse_lines(path: Path, lines: Iterable[str]) -> list[LaserLine | WheelLine]:
    """The laser and ODOM lines in the order of the log; all other lines are skipped.

    Parameters
    ----------
    path : Path
        The file, for messages.
    lines : iterable of str
        Its lines.

    Returns
    -------
    list of LaserLine and WheelLine
        If the log has ROBOTLASER1 lines, its FLASER lines are left out: they repeat the same scans.

    Raises
    ------
    FileError
        If a laser or ODOM line is damaged.  The message names the line.
    """
    found: dict[str, list[LaserLine | WheelLine]] = {"FLASER": [], "ROBOTLASER1": [], "ODOM": []}
    readers: dict[str, Callable[[Path, int, Sequence[str]], LaserLine | WheelLine]]
    readers = {"FLASER": _flaser, "ROBOTLASER1": _robotlaser, "ODOM": _odom}
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if words and words[0] in readers:
            found[words[0]].append(readers[words[0]](path, number, words))
    lasers = found["ROBOTLASER1"] or found["FLASER"]
    return sorted([*lasers, *found["ODOM"]], key=lambda each: each.number)


def _flaser(path: Path, number: int, words: Sequence[str]) -> LaserLine:
    count = _count(path, number, words, 1)
    if count not in BEAM_STEPS:
        known = ", ".join(map(str, BEAM_STEPS))
        raise file_error(path, f"line {number}, the number of readings must be one of {known}, it is {count}")
    _check_length(path, number, words, 2 + count + AFTER_READINGS)
    values = _numbers(path, number, words[2 : 2 + count + 7])
    angles = np.deg2rad(np.arange(count) * BEAM_STEPS[count] - 90.0)
    return _checked(path, LaserLine(number, angles, values[:count], None, *_tail(values[count:])))


def _robotlaser(path: Path, number: int, words: Sequence[str]) -> LaserLine:
    count = _count(path, number, words, BEFORE_READINGS - 1)
    end = BEFORE_READINGS + count
    remissions = _count(path, number, words, end)
    after = end + 1 + remissions
    _check_length(path, number, words, after + AFTER_REMISSIONS)
    start, _, step, most = _numbers(path, number, words[2:6])
    if not (most > 0.0 and step > 0.0):
        raise file_error(path, f"line {number}, the step of the angles and the maximum range must be positive")
    ranges = _numbers(path, number, words[BEFORE_READINGS:end])
    tail = _numbers(path, number, words[after : after + 12])
    angles = start + step * np.arange(count)
    return _checked(path, LaserLine(number, angles, ranges, float(most), *_tail(np.r_[tail[:6], tail[11]])))


def _odom(path: Path, number: int, words: Sequence[str]) -> WheelLine:
    _check_length(path, number, words, 10)
    values = _numbers(path, number, words[1:8])
    return WheelLine(number, values[:3], float(values[6]))


def _tail(values: Array) -> tuple[Array, Array, float]:
    return values[:3], values[3:6], float(values[6])


def _checked(path: Path, line: LaserLine) -> LaserLine:
    if (line.ranges < 0.0).any():
        worst = float(line.ranges.min())
        raise file_error(path, f"line {line.number}, a reading must not be negative, one is {worst:g}")
    return line


def _count(path: Path, number: int, words: Sequence[str], place: int) -> int:
    word = words[place] if place < len(words) else ""
    # `isdecimal` alone accepts digits of other scripts.  Nine digits are more than any line holds.
    if not (word.isascii() and word.isdecimal() and len(word) < 10):
        raise file_error(path, f"line {number}, the number of readings is missing, in its place is {shown(word)}")
    return int(word)


def _check_length(path: Path, number: int, words: Sequence[str], expected: int) -> None:
    if len(words) < expected:
        raise file_error(path, f"line {number} is cut off, it must have {expected} words, it has {len(words)}")


def _numbers(path: Path, number: int, words: Sequence[str]) -> Array:
    try:
        values = np.array(words, dtype=np.float64)
    except ValueError:
        values = np.array([_number(path, number, word) for word in words])
    if not np.isfinite(values).all():
        bad = words[int(np.argmin(np.isfinite(values)))]
        raise file_error(path, f"line {number}, every number must be finite, one is {shown(bad)}")
    return values


def _number(path: Path, number: int, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise file_error(path, f"line {number}, {shown(word)} is not a number") from None
