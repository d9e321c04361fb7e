"""Trajectories: round trips, scans left out, damaged files, and evo as the other reader."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm.checks.errors import FileError
from svgm.io.trajectory import read_kitti, read_tum, write_kitti, write_tum
from svgm.rigid import exp


def poses_of(d: int, count: int = 40) -> np.ndarray:
    rng = np.random.default_rng(d)
    xi = rng.normal(size=(count, d * (d + 1) // 2)) * 2.0
    xi[0] = 0.0
    xi[1, : d * (d - 1) // 2] = np.eye(d * (d - 1) // 2)[0] * np.pi
    return exp(xi)


def in_space(poses: np.ndarray) -> np.ndarray:
    if poses.shape[1] == 4:
        return poses
    space = np.tile(np.eye(4), (len(poses), 1, 1))
    space[:, :2, :2], space[:, :2, 3] = poses[:, :2, :2], poses[:, :2, 2]
    return space


@pytest.mark.parametrize("d", [2, 3])
def test_round_trips(tmp_path: Path, d: int) -> None:
    poses = poses_of(d)
    times = np.cumsum(np.random.default_rng(0).uniform(0.1, 0.2, len(poses))) + 1.3e9
    write_tum(tmp_path / "a.tum", poses, times)
    got_times, got = read_tum(tmp_path / "a.tum")
    assert np.array_equal(got_times, times)
    assert np.array_equal(got[:, :3, 3], in_space(poses)[:, :3, 3])
    assert np.abs(got - in_space(poses)).max() < 1e-13
    write_kitti(tmp_path / "a.txt", poses)
    numbers, got = read_kitti(tmp_path / "a.txt")
    assert np.array_equal(numbers, np.arange(len(poses)))
    assert np.array_equal(got, in_space(poses))


def test_quaternions_are_normalised_with_positive_w(tmp_path: Path) -> None:
    write_tum(tmp_path / "a.tum", poses_of(3))
    rows = np.loadtxt(tmp_path / "a.tum")
    assert np.allclose(np.linalg.norm(rows[:, 4:], axis=1), 1.0, rtol=0, atol=1e-13)
    assert (rows[:, 7] >= 0).all()
    assert "-0.0 " not in (tmp_path / "a.tum").read_text().splitlines()[0]
    assert rows[1, 4:].round(12).tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("bottom", [np.nan, 0.0])
def test_scans_left_out(tmp_path: Path, bottom: float) -> None:
    poses = poses_of(3, 5)
    poses[2] = np.nan
    poses[2, 3] = (bottom, bottom, bottom, 1.0)
    write_tum(tmp_path / "a.tum", poses)
    times, got = read_tum(tmp_path / "a.tum")
    assert times.tolist() == [0, 1, 3, 4]
    assert len(got) == 4
    write_kitti(tmp_path / "a.txt", poses)
    _, got = read_kitti(tmp_path / "a.txt")
    assert np.isnan(got[2]).all()
    assert np.array_equal(got[[0, 1, 3, 4]], poses[[0, 1, 3, 4]])


@pytest.mark.parametrize("d", [2, 3])
def test_evo_reads_the_same(tmp_path: Path, d: int) -> None:
    file_interface = pytest.importorskip("evo.tools.file_interface")
    poses = poses_of(d)
    write_tum(tmp_path / "a.tum", poses)
    tum = file_interface.read_tum_trajectory_file(str(tmp_path / "a.tum"))
    assert np.allclose(tum.poses_se3, in_space(poses), rtol=0, atol=1e-12)
    assert tum.timestamps.tolist() == list(range(len(poses)))
    assert tum.check()[0]
    write_kitti(tmp_path / "a.txt", poses)
    kitti = file_interface.read_kitti_poses_file(str(tmp_path / "a.txt"))
    assert np.array_equal(kitti.poses_se3, in_space(poses))
    file_interface.write_tum_trajectory_file(str(tmp_path / "evo.tum"), tum)
    assert np.allclose(read_tum(tmp_path / "evo.tum")[1], in_space(poses), rtol=0, atol=1e-12)


def test_comments_blank_lines_and_few_digits(tmp_path: Path) -> None:
    path = tmp_path / "a.tum"
    path.write_text("# timestamp tx ty tz qx qy qz qw\r\n\r\n1.5 1 2 3 0 0 0.7071 0.7071 # here\r\n")
    times, poses = read_tum(path)
    assert times.tolist() == [1.5]
    assert np.allclose(poses[0, :3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-12)


DAMAGED_TUM = {
    "": "is empty",
    "# nothing\n": "holds no poses",
    "0 1 2 3 0 0 0\n": "line 1 must have 8 columns, it has 7",
    "\n0 1 2 3 0 0 0 1\n1 1 2 x 0 0 0 1\n": "line 3, 'x' is not a number",
    "0 1 2 nan 0 0 0 1\n": "line 1 must be finite",
    "#\n0 1 2 3 0 0 0 0\n": "line 2, the quaternion must have length 1, its length is 0",
    "0 1 2 3 1 1 1 1\n": "length 1, its length is 2",
    "0 1 2 3 1e200 0 0 1e200\n": "length 1",
    "0 1 2\0 3\n": "is not a text file",
}
DAMAGED_KITTI = {
    "": "is empty",
    "\n\n": "holds no poses",
    "1 0 0 0 0 1 0 0 0 0 1\n": "line 1 must have 12 columns",
    "\n1 0 0 0 0 1 0 0 0 0 -1 0\n": "line 2 must hold a rotation",
    "1 0 0 0 0 1 0 0 0 0 2 0\n": "line 1 must hold a rotation",
    "1 0 0 nan 0 1 0 0 0 0 1 0\n": "line 1 must be finite",
    "1e300 0 0 0 0 1 0 0 0 0 1 0\n": "line 1 must hold a rotation",
}


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [(read_tum, *item) for item in DAMAGED_TUM.items()] + [(read_kitti, *item) for item in DAMAGED_KITTI.items()],
)
def test_damaged_files(tmp_path: Path, read, text: str, message: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(FileError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("write", [write_tum, write_kitti])
def test_refused_poses_leave_no_file(tmp_path: Path, write) -> None:
    path = tmp_path / "a.txt"
    half = np.tile(np.eye(4), (2, 1, 1))
    half[1, 0, 3] = np.nan
    cases = {
        "the shape is": np.eye(4),
        "real numbers": [["a"]],
        "none of 3 has": np.full((3, 4, 4), np.nan),
        "pose 1 must be finite": half,
        "pose 0 must hold a rotation": [np.diag([1.0, 1, -1, 1])],
        "pose 0 must end with the row": [np.diag([1.0, 1, 1, 2])],
    }
    for message, poses in cases.items():
        with pytest.raises(FileError, match=message):
            write(path, poses)
    with pytest.raises(FileError, match="times must be 2 finite numbers"):
        write_tum(path, np.tile(np.eye(4), (2, 1, 1)), [0.0, np.nan])
    with pytest.raises(FileError, match="its folder does not exist"):
        write(tmp_path / "none" / "a.txt", [np.eye(4)])
    assert not list(tmp_path.iterdir())
