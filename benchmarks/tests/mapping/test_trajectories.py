"""Errors of trajectories are evo's, to every digit that its command prints; KISS-ICP follows a smooth drive."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.mapping import odometry
from benchmarks.mapping.trajectories import absolute, aligned, in_space, root_mean_square, steps
from svgm.rigid import apply, exp, invert

Drive = tuple[list[np.ndarray], np.ndarray]

evo = pytest.importorskip("evo", reason="evo is not installed")


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_absolute_error_is_what_evo_ape_prints(
    dimension: int, tmp_path: Path, rng: np.random.Generator, drive_2d: Drive, drive_3d: Drive
) -> None:
    from evo.core.trajectory import PoseTrajectory3D
    from evo.tools.file_interface import write_tum_trajectory_file

    program = shutil.which("evo_ape", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("evo_ape is not beside this interpreter")
    reference = (drive_2d if dimension == 2 else drive_3d)[1]
    size = 3 if dimension == 2 else 6
    motion = exp(rng.normal(size=size))
    poses = motion @ reference @ exp(0.05 * rng.normal(size=(len(reference), size)))
    for name, each in (("reference", reference), ("estimate", poses)):
        path = PoseTrajectory3D(poses_se3=list(in_space(each)), timestamps=np.arange(len(each), dtype=float))
        write_tum_trajectory_file(tmp_path / name, path)
    # Its settings live in the home folder: not in the user's.
    done = subprocess.run(
        [program, "tum", "reference", "estimate", "-a"],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    printed = re.search(r"rmse\s+(\S+)", done.stdout)
    assert printed is not None
    digits = len(printed[1].partition(".")[2])
    errors = absolute(poses, reference)
    assert f"{root_mean_square(errors):.{digits}f}" == printed[1]
    away = aligned(poses, reference)[:, :3, 3] - in_space(reference)[:, :3, 3]
    assert np.linalg.norm(away, axis=1) == pytest.approx(errors)


def test_steps_are_relative_and_infinite_beside_a_gap(drive_3d: Drive) -> None:
    reference = drive_3d[1]
    poses = exp([1.0, 0.0, 0.0, 5.0, 5.0, 5.0]) @ reference
    poses[5:] = poses[4] @ exp([0.0, 0.0, 0.3, 0.0, 0.0, 0.0]) @ invert(poses[4]) @ poses[5:]
    poses[2] = np.nan
    rotation, translation = steps(poses, reference)
    assert np.flatnonzero(np.isinf(rotation)).tolist() == [1, 2]
    assert np.flatnonzero(np.isinf(translation)).tolist() == [1, 2]
    assert rotation[[0, 3, 5, 6]] == pytest.approx(0.0, abs=1e-6)
    assert rotation[4] == pytest.approx(0.3)
    assert root_mean_square(rotation) == pytest.approx(0.3 / np.sqrt(5))
    assert root_mean_square(np.array([np.inf])) == np.inf


def test_kiss_icp_follows_a_smooth_drive(tmp_path: Path, rng: np.random.Generator) -> None:
    pytest.importorskip("kiss_icp", reason="kiss-icp is not installed")
    # A hall of 20 x 12 x 4 m with a pillar, so that every direction is held.
    hall = rng.uniform(-1.0, 1.0, (6000, 3))
    side = rng.integers(0, 3, 6000)
    hall[np.arange(6000), side] = np.sign(hall[np.arange(6000), side])
    hall *= [10.0, 6.0, 2.0]
    angle, height = rng.uniform(-np.pi, np.pi, 600), rng.uniform(-2.0, 2.0, 600)
    places = np.r_[hall, np.c_[3 + 0.5 * np.cos(angle), 2 + 0.5 * np.sin(angle), height]]
    poses = [np.eye(4)]
    for _ in range(5):
        poses.append(poses[-1] @ exp([0.0, 0.0, 0.03, 0.3, 0.0, 0.0]))
    paths = [tmp_path / f"{number}.npy" for number in range(len(poses))]
    for path, each in zip(paths, poses, strict=True):
        np.save(path, apply(invert(each), places))
    found = odometry.run(paths, odometry.Setting("small", max_range=30.0, voxel_size=0.5))
    rotation, translation = steps(found.poses, np.array(poses))
    assert rotation.max() < 0.02
    assert translation.max() < 0.1
    assert 0.0 < found.reading < found.seconds
    assert odometry.installed() is not None


def test_a_setting_tells_its_voxel() -> None:
    assert str(odometry.Setting("default")) == "range 100 m, voxel 1 m"
    fixed = odometry.Setting("x", 30.0, 0.5, fixed_threshold=0.3, still=True)
    assert str(fixed) == "range 30 m, voxel 0.5 m, fixed threshold 0.3 m, no motion predicted"
