"""Stray points change neither the scale, nor the result, nor the cost."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm.datasets import body, butterfly
from svgm.geometry.scale import estimate_resolution
from svgm.geometry.strays import STRAY_FACTOR, not_stray, without_strays
from svgm.registration.prepared import prepare
from svgm.rigid import apply, exp
from svgm.view.words import certainty

MOTION = {2: exp([0.4, 0.2, -0.1]), 3: exp([0.3, -0.2, 0.4, 0.5, -0.2, 0.1])}


def shape(dimension: int, seed: int) -> np.ndarray:
    return butterfly(300, seed=seed) if dimension == 2 else body(1500, seed=seed)[0]


def with_strays(points: np.ndarray, distance: float, count: int, seed: int = 0) -> np.ndarray:
    """Points in random directions, at a distance of so many radii from the centre."""
    directions = np.random.default_rng(seed).normal(size=(count, points.shape[1]))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    radius = np.sqrt(points.var(axis=0).sum())
    return np.vstack([points, points.mean(axis=0) + distance * radius * directions])


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("distance", [1e2, 1e5, 1e9])
@pytest.mark.parametrize("count", [1, 10])
def test_the_answer_is_that_of_the_clean_set(dimension: int, distance: float, count: int) -> None:
    source, target = apply(MOTION[dimension], shape(dimension, 1)), shape(dimension, 2)
    clean = svgm.register(source, target)
    for strays in ((count, 0), (0, count), (count, count)):
        result = svgm.register(with_strays(source, distance, strays[0]), with_strays(target, distance, strays[1], 1))
        assert result.strays == strays
        assert (result.transformation == clean.transformation).all()
        assert (result.covariance == clean.covariance).all()


@pytest.mark.parametrize("search", ["local", "global"])
def test_every_search(search: str) -> None:
    source, target = apply(MOTION[2], shape(2, 1)), shape(2, 2)
    clean = svgm.register(source, target, search=search)
    result = svgm.register(with_strays(source, 1e6, 3), target, search=search)
    assert (result.transformation == clean.transformation).all()


@pytest.mark.parametrize("dimension", [2, 3])
def test_wide_tails_without_a_gap_end_somewhere(dimension: int) -> None:
    points = shape(dimension, 0)
    chain = np.vstack([with_strays(points, 7.0**power, 1, power)[-1] for power in range(1, 12)])
    kept = without_strays(np.vstack([points, chain]))
    assert len(points) <= len(kept) < len(points) + 5
    source = apply(MOTION[dimension], np.vstack([shape(dimension, 1), chain]))
    result = svgm.register(source, np.vstack([points, chain]))
    angle, shift = svgm.rigid.pose_error(result.transformation, np.linalg.inv(MOTION[dimension]))
    assert angle < 0.1
    assert shift < 0.1


def test_a_moved_and_scaled_set_has_the_same_strays() -> None:
    points = with_strays(shape(3, 0), 50.0, 4)
    near = not_stray(points)
    assert near is not None
    assert (~near).sum() == 4
    for moved in (points + 1e6, 1e-100 * points, 1e100 * points, apply(MOTION[3], points)):
        assert np.array_equal(not_stray(moved), near)


def test_what_is_far_but_reached_by_others_stays() -> None:
    corridor = np.c_[np.geomspace(1.0, 40.0, 200), np.ones(200)]  # returns ever farther apart
    room = np.random.default_rng(0).uniform(-1, 1, (1000, 2))
    assert not_stray(np.vstack([room, corridor])) is None


def test_a_large_group_is_no_stray() -> None:
    points = shape(3, 0)
    assert not_stray(np.vstack([points, points[: len(points) // 2] + 1e4])) is None


@pytest.mark.parametrize("points", [np.zeros((5, 2)), np.eye(2), np.ones((1, 3)), [[0.0, 0.0]] * 9 + [[1.0, 0.0]]])
def test_sets_without_extent_have_no_strays(points: np.ndarray) -> None:
    assert not_stray(np.array(points)) is None


def test_scale_and_resolution_of_the_rest() -> None:
    points = shape(3, 0)
    far = with_strays(points, 1e9, 10)
    assert svgm.estimate_scale(far) == svgm.estimate_scale(points)
    assert estimate_resolution(far) == estimate_resolution(points)
    assert svgm.fit(far).sigma == svgm.fit(points).sigma


def test_a_ready_mixture_with_a_stray_component() -> None:
    points = shape(2, 1)
    mixture = svgm.fit(points, gamma=30)
    means = np.vstack([mixture.means, [[1e7, 0.0]]])
    weights = np.r_[0.999 * mixture.weights, 0.001]
    far = svgm.Mixture(means, mixture.variance, weights)
    result, clean = (svgm.register(shape(2, 2), each) for each in (far, mixture))
    assert result.strays == (0, 1)
    assert np.allclose(result.transformation, clean.transformation, atol=1e-3 * mixture.sigma)


def test_words_say_so() -> None:
    source = shape(3, 0)
    far = with_strays(source, 1e4, 2)
    result = svgm.register(far, source)
    assert result.doubts == ("2 of 1502 points of the source lie far from all others and were left out.",)
    assert certainty(result, far) == certainty(result, source)
    assert result.as_dict()["strays"] == [2, 0]


def test_prepared_sets_count_them() -> None:
    assert prepare(with_strays(shape(2, 0), 5 * STRAY_FACTOR, 3)).strays == 3


def test_units_that_differ_take_a_bounded_grid() -> None:
    points = shape(3, 0)
    for factor in (1e3, 1e-3, 1e6, 1e-6, 1e9):
        result = svgm.register(factor * points, points)
        assert not result.trusted
