"""Covariances from the points around a component: planes are flat, single points are balls, and units do not matter."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Mixture
from svgm.geometry.thinning import thin
from svgm.mixture.covariances import PRIOR, local_covariances
from svgm.rigid import apply, exp


def brute(points: np.ndarray, weights: np.ndarray, mean: np.ndarray, sigma: float) -> np.ndarray:
    """The docstring's formulas for one component."""
    d = points.shape[1]
    e = weights * np.exp(-((points - mean) ** 2).sum(axis=1) / (2 * sigma**2))
    centred = points - e @ points / e.sum()
    scatter = (e[:, None] * centred).T @ centred / e.sum()
    n = max(0.0, e.sum() ** 2 / (e**2).sum() - d)
    covariance = (n * scatter + PRIOR * sigma**2 * np.eye(d)) / (n + PRIOR)
    return covariance / max(1.0, np.linalg.eigvalsh(covariance).max() / sigma**2)


def plane(rng: np.random.Generator, d: int, count: int = 4000, noise: float = 0.0) -> np.ndarray:
    """Points in the hyperplane x_d = 0."""
    points = rng.uniform(-5, 5, size=(count, d))
    points[:, -1] = noise * rng.normal(size=count)
    return points


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_formula(d: int, rng: np.random.Generator) -> None:
    points, weights = rng.normal(size=(300, d)), rng.random(300)
    means = np.vstack([points[:20], rng.normal(size=(10, d))])
    found = local_covariances(points, weights, means, 0.7)
    assert np.allclose(found, [brute(points, weights, mean, 0.7) for mean in means], rtol=1e-6, atol=1e-7)
    assert np.array_equal(found, found.swapaxes(1, 2))
    assert np.array_equal(found, local_covariances(points, weights, means, 0.7, threads=3))


@pytest.mark.parametrize("d", [2, 3, 5])
def test_planes_give_flat_components_that_face_them(d: int, rng: np.random.Generator) -> None:
    points = plane(rng, d, noise=0.02)
    values, axes = np.linalg.eigh(local_covariances(points, np.ones(len(points)), points[:50] * 0.4, 1.0))
    assert (values[:, 0] < 0.25**2).all()
    assert (values[:, 1] > 0.6**2).all()
    assert (np.abs(axes[:, -1, 0]) > 0.99).all()


def test_noise_across_a_plane_is_measured(rng: np.random.Generator) -> None:
    """With many points the deviation is that of the noise, seen through the window."""
    sigma, noise = 1.0, 0.3
    points = plane(rng, 3, 40000, noise)
    found = local_covariances(points, np.ones(len(points)), np.zeros((1, 3)), sigma)[0]
    assert found[2, 2] == pytest.approx(1 / (1 / sigma**2 + 1 / noise**2), rel=0.05)
    assert np.allclose(np.diag(found)[:2], 1.0, atol=0.05)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_single_points_are_balls(d: int, rng: np.random.Generator) -> None:
    ball = 0.09 * np.eye(d)
    far = 100.0 * np.arange(20)[:, None] * np.ones(d)
    assert np.allclose(local_covariances(far, rng.random(20) + 0.1, far, 0.3), ball, rtol=1e-12)
    assert np.allclose(local_covariances(far, np.ones(20), far + 50.0, 0.3), ball, rtol=1e-12)
    coincident = np.tile(far[:1], (d, 1))  # d points always lie in a plane
    assert np.allclose(local_covariances(coincident, np.ones(d), far[:1], 0.3), ball, rtol=1e-12)


def test_coincident_points_are_not_singular() -> None:
    for n in (1000, 1_000_000):
        found = local_covariances(np.zeros((n, 3)), np.ones(n), np.zeros((1, 3)), 1.0)
        assert np.linalg.eigvalsh(found).min() > 0.9 * max(PRIOR / n, 1e-6)
        Mixture(np.zeros((1, 3)), 1.0, [1.0], covariances=found)


def test_never_larger_than_sigma(rng: np.random.Generator) -> None:
    clusters = np.vstack([rng.normal(size=(400, 3)) * 0.1 + [x, 0, 0] for x in (-1.5, 1.5)])
    found = local_covariances(clusters, np.ones(800), np.zeros((1, 3)), 1.0)
    assert np.linalg.eigvalsh(found).max() <= 1.0 + 1e-12


@pytest.mark.parametrize("d", [2, 3])
def test_turned_points_give_turned_covariances(d: int, rng: np.random.Generator) -> None:
    points, weights = rng.normal(size=(500, d)), rng.random(500)
    T = exp(rng.normal(size=3 if d == 2 else 6))
    R = T[:-1, :-1]
    found = local_covariances(apply(T, points), weights, apply(T, points), 0.5)
    assert np.allclose(found, R @ local_covariances(points, weights, points, 0.5) @ R.T, rtol=0, atol=1e-6 * 0.5**2)


def test_units_of_length_and_weight(rng: np.random.Generator) -> None:
    points, weights = rng.normal(size=(500, 3)), rng.random(500)
    expected = local_covariances(points, weights, points, 0.5)
    for unit in (1e-100, 0.001, 3.7, 1e100):
        found = local_covariances(unit * points, 7.0 * weights, unit * points, unit * 0.5)
        assert np.allclose(found / unit**2, expected, rtol=1e-6, atol=1e-8)


def test_thinned_points_give_about_the_same(rng: np.random.Generator) -> None:
    points = plane(rng, 3, 20000, noise=0.1)
    thinned, counts = thin(points, np.ones(len(points)), 0.25)
    exact = local_covariances(points, np.ones(len(points)), points[:40] * 0.5, 1.0)
    found = local_covariances(thinned, counts, points[:40] * 0.5, 1.0)
    assert np.abs(found - exact).max() < 0.05


def test_survey_coordinates(rng: np.random.Generator) -> None:
    points = plane(rng, 3)
    far = np.array([4e5, 5e6, 100.0])
    exact = local_covariances((points + far) - far, np.ones(len(points)), (points + far)[:30] - far, 0.5)
    found = local_covariances(points + far, np.ones(len(points)), (points + far)[:30], 0.5)
    assert np.allclose(found, exact, rtol=0, atol=1e-9)
