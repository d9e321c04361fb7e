"""Which of several minima is the answer."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm.mixture.mixture import Mixture
from svgm.registration.choice import clearly_better, leveraged, most_convincing
from svgm.registration.prepared import as_prepared
from svgm.registration.problem import problem_of
from svgm.registration.search.surface_score import SurfaceScore
from svgm.rigid import exp


def score(coinciding: float, places: float, doubt: float = 0.0) -> SurfaceScore:
    return SurfaceScore(coinciding, 0.5, 0.5, 0.5, doubt, places, 0.1)


def test_a_higher_score_counts_if_chance_does_not_explain_it() -> None:
    # At 400 places a tenth more is chance, half as much again is not.
    assert clearly_better([score(0.20, 400.0), score(0.22, 400.0)], 0) == 0
    assert clearly_better([score(0.20, 400.0), score(0.30, 400.0)], 0) == 1
    # At 10 places that is chance, too.
    assert clearly_better([score(0.20, 10.0), score(0.30, 10.0)], 0) == 0


def test_of_several_clearly_better_ones_the_best() -> None:
    scores = [score(0.1, 400.0), score(0.2, 400.0), score(0.3, 400.0), score(0.29, 400.0)]
    assert clearly_better(scores, 0) == 2
    assert clearly_better(scores, 3) == 3


def test_scores_of_nothing_are_no_better_than_each_other() -> None:
    assert clearly_better([score(0.0, 0.0), score(0.0, 0.0)], 0) == 0
    assert clearly_better([score(0.0, 0.0), score(0.2, 400.0, doubt=2000.0)], 0) == 0


def flat(normals: np.ndarray, weights: np.ndarray) -> Mixture:
    """A mixture of flat components with these normals."""
    covariances = np.eye(3) - 0.99 * np.einsum("ij,ik->ijk", normals, normals)
    places = np.arange(3.0 * len(normals)).reshape(-1, 3)
    return Mixture(places, 1.0, weights / weights.sum(), covariances=covariances)


def test_few_walls_weigh_as_much_as_all_of_the_ground() -> None:
    normals = np.repeat(np.eye(3), [80, 15, 5], axis=0)
    found = leveraged(flat(normals, np.ones(100)))
    by_direction = [found.weights[normals[:, k] == 1.0].sum() for k in range(3)]
    assert by_direction == pytest.approx([1 / 3, 1 / 3, 1 / 3], abs=0.03)
    assert found.weights.sum() == pytest.approx(1.0)


def test_what_faces_everywhere_keeps_its_weights(rng: np.random.Generator) -> None:
    normals = rng.normal(size=(4000, 3))
    mixture = flat(normals / np.linalg.norm(normals, axis=1, keepdims=True), rng.uniform(1.0, 2.0, size=4000))
    assert leveraged(mixture).weights == pytest.approx(mixture.weights, rel=0.15)


def test_round_components_keep_their_weights() -> None:
    mixture = svgm.fit(svgm.datasets.body(300)[0])
    assert leveraged(mixture) is mixture


def test_one_way_only_is_allowed() -> None:
    found = leveraged(flat(np.tile([0.0, 0.0, 1.0], (10, 1)), np.ones(10)))
    assert found.weights == pytest.approx(np.full(10, 0.1))


def test_the_truth_is_more_convincing_than_other_poses(dense_surface: np.ndarray) -> None:
    with problem_of(*(as_prepared(dense_surface[k::2], 0.01, "points") for k in (0, 1)), full=True) as problem:
        level, scorer = problem.level(problem.resolved()), problem.scorer((None, None))
        assert scorer is not None
        assert level.full
        poses = np.stack([exp([0.4, 0.0, 0.0, 0.1, 0.0, 0.0]), np.eye(4), exp([0.0, 0.2, 0.5, 0.0, 0.0, 0.2])])
        assert most_convincing(poses, level.objective, scorer) == 1
        assert most_convincing(poses[:1], level.objective, scorer) == 0


def test_of_equal_poses_the_nearest_to_the_initial_one(dense_surface: np.ndarray) -> None:
    with problem_of(*(as_prepared(dense_surface[k::2], 0.01, "points") for k in (0, 1)), full=True) as problem:
        level, scorer = problem.level(problem.resolved()), problem.scorer((None, None))
        assert scorer is not None
        poses = np.stack([np.eye(4), exp([0.0, 0.0, 1e-7, 0.0, 0.0, 0.0])])
        assert most_convincing(poses, level.objective, scorer, poses[1]) == 1
        assert most_convincing(poses, level.objective, scorer, poses[0]) == 0
