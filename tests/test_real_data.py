"""Real scans and the paper's 2D sets, if SVGM_DATA names the folder that holds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm import read_points, register
from svgm.rigid import apply, exp, invert, pose, pose_error


def dragon_poses(folder: Path) -> dict[int, np.ndarray]:
    """Pose of each scan in the world, by its angle: p_world = R(q)ᵀ p + t."""
    poses = {}
    for line in (folder / "dragonStandRight.conf").read_text().splitlines():
        words = line.split()
        if words and words[0] == "bmesh":
            t, (x, y, z, w) = np.array(words[2:5], dtype=float), np.array(words[5:9], dtype=float)
            R = np.array(
                [
                    [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                    [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                    [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
                ]
            )
            poses[int(words[1].removesuffix(".ply").split("_")[1])] = pose(R.T, t)
    return poses


def thinned(points: np.ndarray, count: int, seed: int) -> np.ndarray:
    return points[np.random.default_rng(seed).permutation(len(points))[:count]]


@pytest.mark.parametrize("angle", [0, 48, 120, 192, 264, 336])
def test_dragon_pairs_24_degrees_apart(data: Path, angle: int) -> None:
    folder = data / "dragon_stand"
    poses = dragon_poses(folder)
    other = (angle + 24) % 360
    source, target = (thinned(read_points(folder / f"dragonStandRight_{a}.ply"), 2000, seed=a) for a in (other, angle))
    truth = invert(poses[angle]) @ poses[other]
    result = register(source, target)
    rotation, _ = pose_error(result.transformation, truth)
    assert np.degrees(pose_error(np.eye(4), truth)[0]) == pytest.approx(24.0, abs=1.0)
    assert np.cos(rotation / 2) > 0.99  # the paper's criterion, q-hat · q
    assert np.degrees(rotation) < 1.5


@pytest.mark.parametrize("name", ["fish", "glyph"])
@pytest.mark.parametrize("angle", [1.0, -1.0])
def test_2d_sets_turned_by_one_radian(data: Path, name: str, angle: float) -> None:
    points = read_points(data / "shapes_2d" / f"{name}.txt")
    T = exp([angle, 0.0, 0.0])
    rotation, _ = pose_error(register(points, apply(T, points)).transformation, T)
    assert np.degrees(rotation) < 1.0


def test_an_outdoor_pair(data: Path) -> None:
    folder = data / "hannover1"
    table = np.loadtxt(folder / "relative_reference.csv", delimiter=",", skiprows=1)
    row = table[table[:, 0] == 10][0]
    truth = pose(row[2:11].reshape(3, 3), row[11:14])
    source, target = (read_points(folder / f"scan{int(number):03d}.ply") for number in (row[1], row[0]))
    rotation, translation = pose_error(register(source, target).transformation, truth)
    assert translation < 0.5
    assert rotation < 0.2


def test_a_lidar_pair(data: Path) -> None:
    folder = data / "lidar_pair"
    source, target = (thinned(read_points(folder / f"{n}.ply"), 15_000, seed=1) for n in ("source", "target"))
    truth = np.loadtxt(folder / "T_target_source.txt")
    rotation, translation = pose_error(register(source, target).transformation, truth)
    assert np.degrees(rotation) < 1.0
    assert translation < 0.5
