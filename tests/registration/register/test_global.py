"""register(search="global"): any pose, whatever the start, the threads, the frame and the unit of length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.datasets import dragon_scans, relative
from svgm import RegistrationResult, register
from svgm.registration.search.duplicates import pose_distances
from svgm.rigid import apply, invert, pose, pose_error
from tests.registration.register.answers import close, random_pose, valid


@pytest.fixture(scope="module", params=["curve", "surface"])
def problem(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A shape, itself moved by much with some noise, and the motion."""
    points = request.getfixturevalue(request.param)
    T = random_pose(points.shape[1], 3)
    return points, apply(T, points) + 0.01 * np.random.default_rng(1).normal(size=points.shape), T


@pytest.fixture(scope="module")
def answer(problem: tuple[np.ndarray, np.ndarray, np.ndarray]) -> RegistrationResult:
    return register(*problem[:2], search="global")


@pytest.mark.parametrize("seed", range(6))
def test_any_pose_is_found_in_2d(dense_curve: np.ndarray, seed: int) -> None:
    T = random_pose(2, seed)
    result = register(dense_curve[::20], apply(T, dense_curve[7::20]), search="global")
    assert close(result.transformation, T)
    assert result.search == "global"
    valid(result)


def test_any_pose_is_found_in_3d(dense_surface: np.ndarray) -> None:
    T = random_pose(3, 0)
    result = register(dense_surface[::20], apply(T, dense_surface[7::20]), search="global")
    assert close(result.transformation, T)
    assert not result.ambiguous
    assert all(not close(other.transformation, result.transformation) for other in result.alternatives)
    valid(result)


def test_neither_the_start_nor_the_number_of_threads_matters(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray], answer: RegistrationResult
) -> None:
    source, target, truth = problem
    assert close(answer.transformation, truth)
    d = source.shape[1]
    for threads in (1, 3) if d == 2 else (3,):
        assert register(source, target, init=random_pose(d, 8), search="global", threads=threads) == answer


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_the_unit_of_length(curve: np.ndarray, unit: float) -> None:
    target = apply(random_pose(2, 3), curve)
    one, other = register(curve, target, search="global"), register(unit * curve, unit * target, search="global")
    assert np.allclose(other.rotation, one.rotation, atol=1e-6)
    assert np.allclose(other.translation, unit * one.translation, atol=1e-5 * unit)
    assert other.confidence == pytest.approx(one.confidence, abs=0.02)
    assert other.overlap == pytest.approx(one.overlap, abs=0.02)


def test_moving_either_set_and_the_unit_of_length(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray], answer: RegistrationResult
) -> None:
    source, target, _ = problem
    d = source.shape[1]
    unit = 1e3
    A, B = random_pose(d, 21, 100.0), random_pose(d, 22, 100.0)
    moved = register(unit * apply(A, source), unit * apply(B, target), search="global")
    back = invert(B) @ pose(moved.rotation, moved.translation / unit) @ A
    assert close(back, answer.transformation, 0.01, 0.01)
    assert moved.confidence == pytest.approx(answer.confidence, abs=0.15)


def test_survey_coordinates(curve: np.ndarray) -> None:
    T = random_pose(2, 3)
    near = register(curve, apply(T, curve), search="global")
    offset = np.array([4e5, 5e6])
    far = register(curve + offset, apply(T, curve) - offset, search="global")
    assert np.allclose(far.rotation, near.rotation, atol=1e-6)


def test_a_part_of_the_whole_in_2d(dense_curve: np.ndarray) -> None:
    T = random_pose(2, 31)
    part = dense_curve[200:1500:10]
    result = register(part, apply(T, dense_curve[::15]), search="global")
    assert close(result.transformation, T, 0.05, 0.05)
    assert result.overlap > 0.8
    back = register(apply(T, dense_curve[::15]), part, search="global")
    assert close(back.transformation, invert(T), 0.05, 0.3)
    assert back.overlap < result.overlap


def test_outliers_far_away(dense_surface: np.ndarray, rng: np.random.Generator) -> None:
    T = random_pose(3, 14)
    junk = rng.normal(size=(5, 3)) * 30.0
    result = register(np.concatenate([dense_surface[::20], junk]), apply(T, dense_surface[9::20]), search="global")
    valid(result)
    assert pose_distances(result.transformation[None], T)[0] < 0.3


def test_dragon_scans_96_degrees_apart(data: Path) -> None:
    scans, poses = dragon_scans()
    source, target = scans[3], scans[7]
    truth = relative(poses, 3, 7)
    assert np.degrees(pose_error(np.eye(4), truth)[0]) == pytest.approx(96.0, abs=2.0)
    result = register(source, target, search="global")
    assert np.degrees(pose_error(result.transformation, truth)[0]) < 1.0
    local = register(source, target, search="local", covariance="isotropic")
    assert np.degrees(pose_error(local.transformation, truth)[0]) > 5.0
    assert not local.trusted
    assert local.confidence < result.confidence
