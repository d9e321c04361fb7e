"""search_all_poses: the true pose is among the few that are handed over, wherever the sets lie."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.checks.arguments import reporter
from svgm.checks.types import Progress
from svgm.registration.prepared import as_prepared
from svgm.registration.problem import Problem, problem_of
from svgm.registration.search.duplicates import pose_distances
from svgm.registration.search.global_search import search_all_poses
from svgm.registration.search.rotations import even_rotations
from svgm.registration.tuning import TUNING
from svgm.rigid import apply, exp, pose

#: Reports nothing.
SILENT = reporter(None)


def pair_of(source: np.ndarray, target: np.ndarray) -> Problem:
    with problem_of(as_prepared(source, 0.01, "source"), as_prepared(target, 0.01, "target")) as problem:
        return problem


def search(pair: Problem, scored: bool = True, threads: int = 1, report: Progress = SILENT) -> np.ndarray:
    scorer = pair.scorer((None, None)) if scored else None
    none = np.empty((0, pair.source.dimension + 1, pair.source.dimension + 1))
    return search_all_poses(pair.mixtures, pair.search_surfels(), scorer, none, threads=threads, report=report)


@pytest.fixture(scope="module", params=["dense_curve", "dense_surface"])
def problem(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two samplings, one of them turned by much, and the motion between them."""
    points = request.getfixturevalue(request.param)[::3]
    d = points.shape[1]
    T = pose(even_rotations(11, d)[5], np.array([4.0, -2.0, 1.0])[:d])
    return points[::2], apply(T, points[1::2]), T


@pytest.fixture(scope="module")
def found(problem: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
    return search(pair_of(*problem[:2]))


def test_the_best_pose_is_the_true_one(problem: tuple[np.ndarray, np.ndarray, np.ndarray], found: np.ndarray) -> None:
    source, target, truth = problem
    pair = pair_of(source, target)
    assert pose_distances(found, pair.coordinates.normalise(truth))[0] < 0.05


def test_few_distinct_rigid_poses_best_first(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray], found: np.ndarray
) -> None:
    pair = pair_of(*problem[:2])
    scorer = pair.scorer((None, None))
    assert scorer is not None
    d = pair.source.dimension
    assert 1 <= len(found) <= TUNING.final_poses
    assert np.allclose(found[:, :d, :d] @ np.swapaxes(found[:, :d, :d], 1, 2), np.eye(d), atol=1e-9)
    assert np.array_equal(found[:, d], np.tile(np.eye(d + 1)[d], (len(found), 1)))
    for i in range(len(found)):
        assert np.all(pose_distances(found[:i], found[i]) >= scorer.same_pose)
    scores = [scorer(T).score for T in found]
    assert scores == sorted(scores, reverse=True)


def test_the_same_with_any_number_of_threads(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray], found: np.ndarray
) -> None:
    assert np.array_equal(search(pair_of(*problem[:2]), threads=3), found)


def test_poses_found_before_compete_with_the_others(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray], found: np.ndarray
) -> None:
    pair = pair_of(*problem[:2])
    before = np.stack([exp(0.01 * np.ones(problem[2].shape[0] * (problem[2].shape[0] - 1) // 2)) @ found[0], found[0]])
    again = search_all_poses(
        pair.mixtures, pair.search_surfels(), pair.scorer((None, None)), before, threads=1, report=SILENT
    )
    assert pose_distances(again, found[0])[0] < 0.02


def test_without_surfaces_the_highest_correlations(problem: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    source, target, truth = problem
    pair = pair_of(source, target)
    poses = search(pair, scored=False)
    assert len(poses) <= TUNING.final_poses_without_surfels
    # As near as the rotations tried are to each other.
    assert pose_distances(poses, pair.coordinates.normalise(truth)).min() < 0.6


def test_progress_counts_the_rounds(curve: np.ndarray) -> None:
    calls: list[tuple[int, int]] = []
    search(pair_of(curve, apply(exp([2.0, 1.0, 0.0]), curve)), report=lambda phase, *call: calls.append(call))
    rounds = len(TUNING.rounds) + 2
    assert calls == [(done, rounds) for done in range(rounds + 1)]


def test_a_part_of_the_target(dense_surface: np.ndarray) -> None:
    truth = exp([1.4, -1.2, 0.9, 1.0, 2.0, -1.0])
    part = dense_surface[dense_surface[:, 0] > 0.1][::2]
    pair = pair_of(part, apply(truth, dense_surface[1::3]))
    assert pose_distances(search(pair), pair.coordinates.normalise(truth))[0] < 0.1
