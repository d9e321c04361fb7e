"""A registration problem: normalised coordinates, and its levels."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import InputError, prepare
from svgm.registration.problem import Coordinates, problem_of
from svgm.registration.tuning import TUNING
from svgm.rigid import apply, exp, invert, pose_error


@pytest.mark.parametrize("d", [2, 3])
def test_coordinates_are_undone(d: int, rng: np.random.Generator) -> None:
    T = exp(rng.normal(size=d * (d + 1) // 2))
    coordinates = Coordinates(1e3 * rng.normal(size=d), 1e3 * rng.normal(size=d), 7.0)
    assert np.allclose(coordinates.restore(coordinates.normalise(T)), T, atol=1e-9)


def test_a_normalised_pose_moves_normalised_points(surface: np.ndarray, rng: np.random.Generator) -> None:
    T = exp(rng.normal(size=6))
    target = apply(T, surface)
    coordinates = Coordinates(surface.mean(axis=0), target.mean(axis=0), 2.0)
    moved = apply(coordinates.normalise(T), (surface - coordinates.source_centre) / 2.0)
    assert np.allclose(moved, (target - coordinates.target_centre) / 2.0)


def test_mixtures_come_back_to_their_sets(surface: np.ndarray) -> None:
    shifted = surface + 100.0
    with problem_of(prepare(surface), prepare(shifted)) as problem:
        source, target = problem.coordinates.restore_mixtures(*problem.mixtures(4.0))
        assert source.sigma == pytest.approx(problem.sigma(4.0))
        assert np.allclose(source.means.mean(axis=0) + 100.0, target.means.mean(axis=0), atol=1e-6)
        assert source.bias is not None
        assert source.decision(surface).max() > 0.0


def test_one_thread_more_trains_the_same(surface: np.ndarray) -> None:
    found = []
    for threads in (1, 2):
        with problem_of(prepare(surface), prepare(surface[::2]), threads=threads) as problem:
            found.append(problem.mixtures(10.0))
    assert found[0] == found[1]


def test_a_descent_ends_at_the_truth(surface: np.ndarray) -> None:
    truth = exp([0.1, -0.1, 0.05, 0.1, 0.0, -0.1])
    with problem_of(prepare(surface), prepare(apply(truth, surface))) as problem:
        start = problem.coordinates.normalise(np.eye(4))
        outcome = problem.descend((1.0, 10.0), np.stack([start, start @ exp([0.3, 0, 0, 0, 0, 0])]), 100)
        assert pose_error(problem.coordinates.restore(outcome.poses[0]), truth)[0] < 1e-2
        assert [stage.gamma for stage in outcome.stages] == [1.0, 10.0]
        assert outcome.level.gamma == 10.0


def test_sets_that_do_not_go_together_are_refused(curve: np.ndarray, surface: np.ndarray) -> None:
    with pytest.raises(InputError, match="same dimension, got 2 and 3"), problem_of(prepare(curve), prepare(surface)):
        pass
    with pytest.raises(InputError, match="in one unit"), problem_of(prepare(surface), prepare(1e-13 * surface)):
        pass


def test_the_inverse_problem_has_the_inverse_pose(surface: np.ndarray) -> None:
    T = exp([0.1, -0.1, 0.05, 0.1, 0.0, -0.1])
    there = Coordinates(surface.mean(axis=0), np.ones(3), 2.0).normalise(T)
    back = Coordinates(np.ones(3), surface.mean(axis=0), 2.0).normalise(invert(T))
    assert np.allclose(there @ back, np.eye(4), atol=1e-12)


def test_levels_are_full_from_a_fine_one_on(dense_surface: np.ndarray) -> None:
    points = dense_surface[::3]
    with problem_of(prepare(points), prepare(points + 100.0), full=True) as problem:
        assert [problem.level(gamma).full for gamma in (1.0, 0.9 * TUNING.full_from, TUNING.full_from)] == [0, 0, 1]
        objective = problem.level(20.0).objective
        source, target = problem.coordinates.restore_mixtures(objective.source, objective.target)
        assert np.allclose(source.covariances, target.covariances, atol=1e-6 * source.variance)
        assert np.linalg.eigvalsh(source.covariances).max() <= source.variance * (1 + 1e-9)
    with problem_of(prepare(points), prepare(points)) as problem:
        assert not problem.level(TUNING.full_from).full


def test_the_finest_level(surface: np.ndarray, dense_surface: np.ndarray) -> None:
    """Sparse points get one full level if their spacing allows it; dense ones stop where they no longer show planes."""
    finest = {}
    for name, points in (("sparse", surface), ("dense", dense_surface), ("landmarks", surface[::30])):
        for full in (False, True):
            with problem_of(prepare(points), prepare(points), full=full) as problem:
                finest[name, full] = problem.resolved()
    assert finest["sparse", True] == min(finest["sparse", False], TUNING.full_from)
    assert finest["dense", False] > finest["dense", True] > TUNING.full_from
    assert finest["landmarks", True] == finest["landmarks", False] < TUNING.full_from
