"""Odometry as callers pass it."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import InputError
from svgm.mapping.odometry import checked_odometry, planar_poses
from svgm.rigid import exp, invert
from tests.mapping.edges import size, walk


@pytest.mark.parametrize("d", [2, 3])
def test_poses_and_steps(d: int, rng: np.random.Generator) -> None:
    poses = walk(d, 5, rng)
    poses[2] = np.nan
    assert sorted(checked_odometry(poses, 5).known) == [0, 1, 3, 4]
    poses = walk(d, 5, rng)
    noise = np.tile(1e-4 * np.eye(size(d)), (4, 1, 1))
    found = checked_odometry((invert(poses[:-1]) @ poses[1:], noise), 5)
    assert found.poses == pytest.approx(poses)
    assert found.covariances is not None
    assert found.covariances == pytest.approx(noise)


def test_poses_in_space_that_keep_the_plane() -> None:
    flat = exp(np.array([[0.3, 1.0, 2.0], [-2.0, 0.5, 0.1]]))
    space = np.tile(np.eye(4), (2, 1, 1))
    space[:, :2, :2], space[:, :2, 3] = flat[:, :2, :2], flat[:, :2, 2]
    assert planar_poses(space) == pytest.approx(flat)
    assert checked_odometry(space, 2).in_dimension(2).poses == pytest.approx(flat)
    with pytest.raises(InputError, match="tilt"):
        planar_poses(exp(np.array([[0.5, 0.0, 0.0, 0.0, 0.0, 0.0]])))
    with pytest.raises(InputError, match="must be in 3D"):
        checked_odometry(flat, 2).in_dimension(3)
