"""CARMEN logs: scans, poses, the wheels' odometry, and damaged lines."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from svgm.checks.errors import FileError
from svgm.io.carmen import read_carmen
from svgm.io.carmen_range import no_hit_range
from svgm.rigid import exp, invert, log

RANGES = [2.0 + 0.01 * k for k in range(180)]


def flaser(x: float, y: float, heading: float, time: float, ranges: list[float] = RANGES) -> str:
    words = [len(ranges), *ranges, x, y, heading, x, y, heading, time, "host", time]
    return " ".join(["FLASER", *map(str, words)])


def odom(x: float, y: float, heading: float, time: float) -> str:
    return f"ODOM {x} {y} {heading} 0 0 0 {time} host {time}"


def robotlaser(laser: str, robot: str, ranges: str = "1 0 2 80 3") -> str:
    count = len(ranges.split())
    return (
        f"ROBOTLASER1 0 -0.5 1.0 0.25 80.0 0.01 0 {count} {ranges} 2 7 7 {laser} {robot} 0 0 0.3 0.3 9 12.5 host 12.5"
    )


def written(folder: Path, *lines: str) -> Path:
    path = folder / "robot.log"
    path.write_text("# a comment\nPARAM robot_width 0.5 host 0\n" + "\n".join(lines) + "\n")
    return path


def place(pose: np.ndarray) -> list[float]:
    return [*pose[:2, 2].round(12).tolist(), round(float(log(pose)[0]), 12)]


def test_the_beams_of_a_scan_go_from_the_right_to_the_left(tmp_path: Path) -> None:
    for count, step in ((180, 1.0), (181, 1.0), (360, 0.5), (361, 0.5)):
        found = read_carmen(written(tmp_path, flaser(1, 2, 0.5, 3.0, np.linspace(2, 3, count).tolist())))
        angles = np.rad2deg(np.arctan2(found.scans[0][:, 1], found.scans[0][:, 0]))
        assert np.allclose(angles, -90.0 + step * np.arange(count))
        assert found.odometry is None
        assert np.isinf(found.farthest)
        assert (place(found.poses[0]), found.times.tolist()) == ([1.0, 2.0, 0.5], [3.0])


def test_a_compressed_log_is_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, odom(0, 0, 0, 1), flaser(0, 0, 0, 1))
    packed = tmp_path / "robot.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert np.array_equal(read_carmen(packed).scans[0], read_carmen(path).scans[0])
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(FileError, match="is a damaged gzip file"):
        read_carmen(packed)


def test_a_log_is_a_frozen_value(tmp_path: Path) -> None:
    found = read_carmen(written(tmp_path, odom(0, 0, 0, 1), flaser(0, 0, 0, 1)))
    for array in (found.scans[0], found.poses, found.odometry, found.times):
        assert array is not None
        assert not array.flags.writeable


def test_the_odometry_is_the_last_one_before_the_scan(tmp_path: Path) -> None:
    found = read_carmen(
        written(tmp_path, odom(0, 0, 0, 1), odom(1, 0, 0, 2), flaser(9, 9, 9, 2), odom(2, 0, 0, 3), flaser(9, 9, 9, 4))
    )
    assert found.odometry is not None
    assert [place(pose) for pose in found.odometry] == [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]


def test_a_scan_before_any_odometry_has_the_first_one(tmp_path: Path) -> None:
    found = read_carmen(written(tmp_path, flaser(0, 0, 0, 1), odom(3, 4, 0.5, 2)))
    assert found.odometry is not None
    assert place(found.odometry[0]) == [3.0, 4.0, 0.5]


def test_corrected_poses_do_not_enter_the_odometry(tmp_path: Path) -> None:
    # The wheels see a straight line of steps of 1; the corrected poses turn by 90 degrees at each scan.
    lines = [odom(0, 0, 0, 1), odom(1, 0, 0, 2), flaser(5, 5, np.pi / 2, 2), odom(5, 5, np.pi / 2, 0)]
    lines += [odom(5, 6, np.pi / 2, 3), flaser(0, 0, np.pi, 3), odom(0, 0, np.pi, 0), odom(-1, 0, np.pi, 4)]
    found = read_carmen(written(tmp_path, *lines, flaser(7, 7, 0, 4)))
    assert found.odometry is not None
    assert np.allclose([place(pose) for pose in found.odometry], [[1, 0, 0], [2, 0, 0], [3, 0, 0]])


def test_a_log_with_corrected_poses_only_has_no_odometry(tmp_path: Path) -> None:
    lines = [odom(0, 0, 0, 1), flaser(1, 0, 0, 2), odom(1, 0, 0, 0), flaser(2, 0, 0, 3), odom(2, 0, 0, 0)]
    assert read_carmen(written(tmp_path, *lines)).odometry is None


def test_odometry_that_equals_the_pose_of_a_scan_may_be_measured(tmp_path: Path) -> None:
    lines = [odom(0, 0, 0, 1), flaser(1, 0, 0, 2), odom(1, 0, 0, 2), flaser(1, 0, 0, 3)]
    found = read_carmen(written(tmp_path, *lines))
    assert found.odometry is not None
    assert place(found.odometry[1]) == [1.0, 0.0, 0.0]


def test_robotlaser_states_angles_range_and_where_the_laser_is(tmp_path: Path) -> None:
    lines = [odom(2, 0, 0, 1), flaser(9, 9, 9, 1), robotlaser("1.3 0 0", "1 0 0"), "RLASER 3 1 2 3", "ROBOTLASER2 0"]
    found = read_carmen(written(tmp_path, *lines))
    assert found.farthest == 80.0
    angles = np.array([-0.5, 0.0, 0.5])
    assert np.allclose(found.scans[0], np.c_[np.cos(angles), np.sin(angles)] * np.array([[1.0], [2.0], [3.0]]))
    assert found.odometry is not None
    assert (len(found.scans), place(found.odometry[0])) == (1, [2.3, 0.0, 0.0])
    assert found.times.tolist() == [12.5]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("FLASER", "line 3, the number of readings is missing, in its place is ''"),
        ("FLASER two 1 2", "line 3, the number of readings is missing, in its place is 'two'"),
        ("FLASER 5 1 2 3 4 5 0 0 0 0 0 0 1 h 1", "line 3, the number of readings must be one of 180, 181, 360, 361"),
        (flaser(0, 0, 0, 1)[:300], "line 3 is cut off, it must have 191 words"),
        (flaser(0, 0, 0, 1).replace("2.5 ", "2.5x ", 1), "line 3, '2.5x' is not a number"),
        (flaser(0, 0, 0, 1).replace("2.5 ", "nan ", 1), "line 3, every number must be finite, one is 'nan'"),
        (flaser(0, 0, 0, 1).replace("2.5 ", "-2.5 ", 1), "line 3, a reading must not be negative, one is -2.5"),
        ("ODOM 1 2", "line 3 is cut off, it must have 10 words, it has 3"),
        (odom(0, float("inf"), 0, 1), "line 3, every number must be finite"),
        (robotlaser("0 0 0", "0 0 0").replace(" 80.0 ", " 0 "), "the maximum range must be positive"),
        ("ROBOTLASER1 0 -0.5 1.0 0.25 80 0.01 0 99999999 1", "line 3, the number of readings is missing"),
        ("NEFF 3", "holds no laser scans"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path, line)
    with pytest.raises(FileError) as caught:
        read_carmen(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\0\0\0", b"\x1f\x8b", b"\xff\xfe FLASER 180"])
def test_a_file_that_is_no_log(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "robot.log"
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"robot.log: "):
        read_carmen(path)


class TestNoHitRange:
    def test_it_does_not_depend_on_the_unit(self) -> None:
        ranges = np.r_[np.linspace(1.0, 45.0, 500), np.full(30, 49.0), np.full(90, 50.0)]
        assert no_hit_range(1000.0 * ranges) == 49000.0

    def test_a_wall_seen_often_is_no_maximum(self) -> None:
        assert np.isinf(no_hit_range(np.repeat(np.linspace(1.0, 12.0, 100), 30)))
        assert np.isinf(no_hit_range(np.empty(0)))


@pytest.mark.skipif("SVGM_DATA" not in os.environ, reason="SVGM_DATA is not set")
@pytest.mark.parametrize(
    ("name", "farthest"),
    [
        ("intel", 80.0),
        ("freiburg-101", 80.0),
        ("belgioioso", 80.0),
        ("acapulco", 50.0),
        ("aces", 50.0),
        ("orebro", 32.7),
    ],
)
def test_real_logs_are_those_of_the_benchmarks(name: str, farthest: float) -> None:
    from benchmarks.datasets import laser_log

    found = read_carmen(Path(os.environ["SVGM_DATA"]) / "lidar_2d" / f"{name}-corrected.log.gz")
    expected = laser_log(name, farthest)
    assert len(found.scans) == len(expected)
    assert all(np.array_equal(scan, points) for scan, (points, _) in zip(found.scans, expected, strict=True))
    assert np.array_equal(found.poses, [pose for _, pose in expected])
    if name == "orebro":  # its ODOM lines repeat the corrected poses
        assert found.odometry is None
        return
    assert found.odometry is not None
    # Wheels are right from scan to scan, and wrong in the end; corrected poses would not differ at all.
    steps = [invert(poses[:-1]) @ poses[1:] for poses in (found.odometry, found.poses)]
    errors = np.linalg.norm(log(invert(steps[0]) @ steps[1])[:, 1:], axis=1)
    assert 0.01 < np.median(errors) < 0.1
    ends = [np.linalg.norm((invert(poses[0]) @ poses[-1])[:2, 2]) for poses in (found.odometry, found.poses)]
    assert abs(ends[0] - ends[1]) > 0.5


def test_poses_are_rigid_motions(tmp_path: Path) -> None:
    found = read_carmen(written(tmp_path, odom(1, 2, 3, 1), flaser(1, 2, 3, 1)))
    assert np.allclose(found.poses[0], exp(log(found.poses[0])))
