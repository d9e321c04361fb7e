"""Thinning: centroids of cells that move with the points."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import estimate_scale, fit
from svgm.geometry.scale import principal_axes
from svgm.geometry.thinning import thin
from svgm.rigid import apply, exp


def test_cells_hold_their_centroids_and_weights(rng: np.random.Generator) -> None:
    points, weights = rng.normal(size=(500, 3)) * [3.0, 2.0, 1.0], rng.random(500)
    means, mass = thin(points, weights, 1.0)
    mean, _, axes = principal_axes(points, weights)
    cells = np.rint((points - mean) @ axes / 1.0)
    _, inverse = np.unique(cells, axis=0, return_inverse=True)
    expected_mass = np.bincount(inverse, weights)
    expected = np.stack([np.bincount(inverse, weights * points[:, k]) / expected_mass for k in range(3)], axis=1)
    assert len(means) == len(expected) < 400
    assert np.allclose(means[np.lexsort(means.T)], expected[np.lexsort(expected.T)])
    assert np.isclose(mass.sum(), weights.sum())
    assert np.allclose(mass @ means, weights @ points)


def test_points_without_weight_leave_no_cell() -> None:
    points = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 5.0]])
    means, mass = thin(points, np.array([1.0, 0.0, 2.0]), 0.1)
    assert np.array_equal(mass, [1.0, 2.0]) or np.array_equal(mass, [2.0, 1.0])
    assert len(means) == 2


@pytest.mark.parametrize("xi", [[0.3, 5.0, 1.0], [-2.0, 1e3, 0.0], [0.1, -4.0, 2.0]])
def test_a_moved_set_gives_the_moved_result(xi: list[float], rng: np.random.Generator) -> None:
    points, weights = rng.normal(size=(300, 2)) * [3.0, 1.0], rng.random(300)
    T = exp(xi)
    still, mass = thin(points, weights, 0.5)
    moved, moved_mass = thin(apply(T, points), weights, 0.5)
    expected = apply(T, still)
    order, moved_order = np.argsort(mass), np.argsort(moved_mass)  # random weights: no two cells weigh the same
    assert np.allclose(moved_mass[moved_order], mass[order])
    assert np.allclose(moved[moved_order], expected[order], atol=1e-9)


def test_a_permuted_set_gives_the_same_cells(rng: np.random.Generator) -> None:
    points = rng.normal(size=(300, 2)) * [3.0, 1.0]
    means, mass = thin(points, np.ones(300), 0.5)
    again, again_mass = thin(points[rng.permutation(300)], np.ones(300), 0.5)
    assert np.array_equal(mass, again_mass)
    assert np.allclose(means, again, atol=1e-12)


@pytest.mark.parametrize("gamma", [1.0, 4.0, 16.0])
@pytest.mark.parametrize("shape", ["dense_curve", "dense_surface"])
def test_thinning_hardly_changes_the_mixture(shape: str, gamma: float, request: pytest.FixtureRequest) -> None:
    points = request.getfixturevalue(shape)
    scale = estimate_scale(points)
    whole = fit(points, gamma=gamma, scale=scale, thinning=0)
    thinned = fit(points, gamma=gamma, scale=scale, thinning=0.25)
    assert whole.l2_distance(thinned) < 1e-3 * whole.norm**2
    if gamma == 1.0:
        assert len(thinned) < 0.5 * len(whole)


def test_cells_too_far_apart_for_a_key(rng: np.random.Generator) -> None:
    """Cell numbers of 50 bits: they are compared instead of packed, with the same result."""
    points = np.vstack([rng.normal(size=(40, 3)), [[1e12, 0.0, 0.0], [1e12, 1.0, 0.0]]])
    means, mass = thin(points, np.ones(42), 1e-2)
    assert len(means) == 42
    assert np.array_equal(mass, np.ones(42))
    assert np.allclose(means[np.lexsort(means.T)], points[np.lexsort(points.T)], rtol=1e-12, atol=1e-3)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_any_dimension(d: int, rng: np.random.Generator) -> None:
    points, weights = rng.normal(size=(200, d)), rng.random(200)
    means, mass = thin(points, weights, 0.7)
    assert means.shape == (len(mass), d)
    assert np.allclose(mass @ means, weights @ points)


def test_a_given_grid_is_used(rng: np.random.Generator) -> None:
    points = rng.normal(size=(200, 2))
    means, _ = thin(points, np.ones(200), 1.0, (np.zeros(2), np.eye(2)))
    assert len(means) == len(np.unique(np.rint(points), axis=0))
