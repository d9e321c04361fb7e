"""Fitness and inlier error against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import InputError, evaluate
from svgm.rigid import apply, exp


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("n", [1, 16, 17, 400])
def test_brute_force(d: int, offset: float, n: int, rng: np.random.Generator) -> None:
    source, target = rng.normal(size=(150, d)), rng.normal(size=(n, d)) + offset
    T = exp(0.3 * rng.normal(size=d * (d + 1) // 2))
    T[:d, d] += offset
    for max_distance in (0.05, 0.3, 10.0):
        distances = np.linalg.norm(apply(T, source)[:, None] - target, axis=2).min(axis=1)
        near = distances[distances <= max_distance]
        result = evaluate(source, target, T, max_distance)
        assert result.inliers == len(near)
        assert result.fitness == len(near) / 150
        assert result.inlier_rmse == pytest.approx(np.sqrt(np.mean(near**2)) if len(near) else 0.0, rel=1e-6)


def test_a_set_on_itself(surface: np.ndarray) -> None:
    result = evaluate(surface, surface, np.eye(4), 1e-9)
    assert (result.fitness, result.inlier_rmse, result.inliers) == (1.0, 0.0, 250)


def test_the_bound_is_inclusive() -> None:
    assert evaluate([[0.0, 0.0]], [[0.5, 0.0]], np.eye(3), 0.5).inliers == 1


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_max_distance_is_checked(value: float) -> None:
    with pytest.raises(InputError, match=r"^max_distance must"):
        evaluate([[0.0, 0.0]], [[0.0, 0.0]], np.eye(3), value)


def test_arguments_are_named(curve: np.ndarray, surface: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"^source and target must have the same dimension, got 2 and 3"):
        evaluate(curve, surface, np.eye(3), 1.0)
    with pytest.raises(InputError, match=r"^T must"):
        evaluate(curve, curve, np.eye(4), 1.0)
    with pytest.raises(InputError, match=r"^T must"):
        evaluate(curve, curve, 2 * np.eye(3), 1.0)
    with pytest.raises(InputError, match=r"^target must"):
        evaluate(curve, [[np.nan, 0.0]], np.eye(3), 1.0)
