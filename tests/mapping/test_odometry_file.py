"""Odometry from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm import FileError
from svgm.io.trajectory import write_kitti, write_tum
from svgm.mapping.odometry import planar_poses
from svgm.mapping.odometry_file import read_odometry
from tests.mapping.edges import walk


def test_trajectories(tmp_path: Path, rng: np.random.Generator) -> None:
    poses = walk(2, 4, rng)
    write_kitti(tmp_path / "kitti.txt", poses)
    assert planar_poses(read_odometry(tmp_path / "kitti.txt", 4)) == pytest.approx(poses)
    write_tum(tmp_path / "tum.txt", poses[::-1], [7.5, 7.0, 6.5, 6.0])
    assert planar_poses(read_odometry(tmp_path / "tum.txt", 4)) == pytest.approx(poses)
    write_tum(tmp_path / "some.txt", poses, [0.0, 2.0, 3.0, 5.0])
    found = read_odometry(tmp_path / "some.txt", 6)
    assert np.isnan(found[[1, 4]]).all()
    assert planar_poses(found)[[0, 2, 3, 5]] == pytest.approx(poses)
    for name, count in (("kitti.txt", 5), ("tum.txt", 3)):
        with pytest.raises(FileError, match=f"{name}: must have {count} poses"):
            read_odometry(tmp_path / name, count)


def test_a_log(tmp_path: Path) -> None:
    ranges = " ".join(["2.0"] * 170 + ["81.83"] * 10)
    lines = [f"ODOM {k} 0 0 0 0 0 {k} host {k}\nFLASER 180 {ranges} {k} 0 0 {k} 0 0 {k}.5 host {k}.5" for k in range(3)]
    (tmp_path / "robot.log").write_text("\n".join(lines) + "\n")
    assert read_odometry(tmp_path / "robot.log", 3)[:, 0, 2].tolist() == [0.0, 1.0, 2.0]
    (tmp_path / "still.log").write_text("\n".join(line.split("\n")[1] for line in lines) + "\n")
    with pytest.raises(FileError, match="holds no odometry"):
        read_odometry(tmp_path / "still.log", 3)
