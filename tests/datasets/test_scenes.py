"""Generated scans: ranges against geometry, poses that are rigid, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from svgm.checks.errors import InputError
from svgm.datasets import laser_scan, round_walk, storey
from svgm.rigid import apply, as_pose, exp, invert

ROOM = [[[0, 0], [4, 0]], [[4, 0], [4, 2]], [[4, 2], [0, 2]], [[0, 2], [0, 0]]]


def from_walls(points: np.ndarray, walls: np.ndarray) -> np.ndarray:
    """Distance of each point from the nearest wall."""
    starts, sides = walls[:, 0], walls[:, 1] - walls[:, 0]
    along = np.einsum("nmi,mi->nm", points[:, None] - starts, sides) / (sides**2).sum(axis=1)
    nearest = starts + np.clip(along, 0.0, 1.0)[..., None] * sides
    return np.linalg.norm(points[:, None] - nearest, axis=2).min(axis=1)


def test_points_without_noise_lie_on_walls() -> None:
    walls = storey()
    for sensor in round_walk(7):
        scan = laser_scan(walls, sensor, noise=0.0)
        assert len(scan) > 100
        assert from_walls(apply(sensor, scan), walls).max() < 1e-9


def test_noise_is_along_the_beam_and_seeded() -> None:
    sensor = exp([0.3, 2.0, 1.0])
    clean, noisy = laser_scan(ROOM, sensor, noise=0.0), laser_scan(ROOM, sensor, noise=0.05)
    assert np.allclose(np.arctan2(*clean.T), np.arctan2(*noisy.T))
    spread = np.std(np.linalg.norm(noisy, axis=1) - np.linalg.norm(clean, axis=1))
    assert spread == pytest.approx(0.05, rel=0.2)
    assert np.array_equal(noisy, laser_scan(ROOM, sensor, noise=0.05, seed=0))
    assert not np.array_equal(noisy, laser_scan(ROOM, sensor, noise=0.05, seed=1))


def test_walls_out_of_reach_are_not_measured() -> None:
    sensor = exp([0.0, 2.0, 1.0])
    assert np.linalg.norm(laser_scan(ROOM, sensor, reach=1.5, noise=0.0), axis=1).max() < 1.5
    assert len(laser_scan(ROOM, sensor, reach=0.5)) == 0
    assert len(laser_scan(ROOM, sensor, reach=np.inf, field=2 * np.pi)) == 361


def test_a_moved_building_and_sensor_give_the_same_scan() -> None:
    sensor, motion = exp([0.3, 2.0, 1.0]), exp([1.0, 50.0, -20.0])
    moved = apply(motion, np.array(ROOM, dtype=float))
    assert np.allclose(laser_scan(moved, motion @ sensor), laser_scan(ROOM, sensor), atol=1e-9)


def test_a_walk_is_rigid_smooth_and_closed() -> None:
    walk = round_walk(200)
    for T in walk:
        assert np.allclose(as_pose(T, 2), T)
    steps = [invert(a) @ b for a, b in pairwise(walk)]
    assert max(np.linalg.norm(T[:2, 2]) for T in steps) < 1.0
    assert max(abs(np.arctan2(T[1, 0], T[0, 0])) for T in steps) < 0.6
    assert np.linalg.norm(walk[100:, :2, 2] - walk[0, :2, 2], axis=1).min() < 0.5


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"walls": np.zeros((0, 2, 2))}, "walls"),
        ({"walls": np.zeros((3, 2))}, "walls"),
        ({"sensor": np.eye(4)}, "sensor"),
        ({"beams": 0}, "beams"),
        ({"field": 7.0}, "field"),
        ({"noise": -1.0}, "noise"),
        ({"reach": 0.0}, "reach"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], name: str) -> None:
    with pytest.raises(InputError, match=rf"^{name} must"):
        laser_scan(**{"walls": ROOM, "sensor": np.eye(3), **options})
