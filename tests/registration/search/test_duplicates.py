"""Duplicates: distances between poses, and the best of each cluster."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.registration.search.duplicates import pose_distances, without_duplicates
from svgm.rigid import apply, exp


def poses(count: int, d: int, rng: np.random.Generator, size: float = 1.0) -> np.ndarray:
    return exp(size * rng.normal(size=(count, d * (d + 1) // 2)))


@pytest.mark.parametrize("d", [2, 3])
def test_the_distance_is_how_far_points_move(d: int, rng: np.random.Generator) -> None:
    """For a centred set of unit radius, in the root mean square: exact where it spreads evenly in all directions."""
    points = np.concatenate([np.eye(d), -np.eye(d)])
    some = poses(20, d, rng)
    moved = np.sqrt(((apply(some, points) - apply(some[0], points)) ** 2).sum(axis=2).mean(axis=1))
    distance = pose_distances(some, some[0])
    assert distance[0] == 0.0
    turn = some[:, :d, :d] - some[0, :d, :d]
    shift = np.linalg.norm(some[:, :d, d] - some[0, :d, d], axis=1)
    assert np.allclose(distance**2, (turn**2).sum(axis=(1, 2)) / 2.0 + shift**2)
    assert np.all(moved <= distance + 1e-12)
    assert np.all(distance <= np.sqrt(d / 2.0) * moved + 1e-12)


@pytest.mark.parametrize("d", [2, 3])
def test_small_turns_count_by_their_angle(d: int) -> None:
    turn = np.zeros(d * (d + 1) // 2)
    turn[0] = 0.01
    assert pose_distances(exp(turn)[None], np.eye(d + 1))[0] == pytest.approx(0.01, rel=1e-3)


def greedy(some: np.ndarray, scores: np.ndarray, same: float, most: int) -> list[int]:
    kept: list[int] = []
    for i in sorted(range(len(some)), key=lambda i: (-scores[i], i)):
        if len(kept) < most and all(pose_distances(some[i][None], some[k])[0] >= same for k in kept):
            kept.append(i)
    return kept


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize(("same", "most"), [(0.3, 1000), (0.6, 5), (0.0, 1000), (100.0, 3)])
def test_what_is_kept(d: int, same: float, most: int, rng: np.random.Generator) -> None:
    some, scores = poses(150, d, rng, 0.3), np.round(rng.uniform(size=150), 2)
    found, found_scores = without_duplicates(some, scores, same, most)
    kept = greedy(some, scores, same, most)
    assert np.array_equal(found, some[kept])
    assert np.array_equal(found_scores, scores[kept])


def test_of_equal_ones_the_first_is_kept() -> None:
    some = np.stack([exp([0.0, 0.0, 0.0]), exp([0.01, 0.0, 0.0]), exp([2.0, 0.0, 0.0])])
    found, scores = without_duplicates(some, np.ones(3), 0.1, 8)
    assert np.array_equal(found, some[[0, 2]])
    assert np.array_equal(scores, [1.0, 1.0])


def test_the_input_stays_as_it_is(rng: np.random.Generator) -> None:
    some, scores = poses(10, 3, rng), rng.uniform(size=10)
    before = some.copy(), scores.copy()
    without_duplicates(some, scores, 0.5, 3)
    assert np.array_equal(some, before[0])
    assert np.array_equal(scores, before[1])


def test_none_of_none() -> None:
    found, scores = without_duplicates(np.empty((0, 4, 4)), np.empty(0), 0.1, 8)
    assert len(found) == len(scores) == 0
