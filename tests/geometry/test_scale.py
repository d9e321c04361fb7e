"""sigma-hat of eq. (3) and the resolution of a point set."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from svgm import InputError, estimate_scale
from svgm.geometry.scale import RESOLUTION_SAMPLE, THINNEST, estimate_resolution, principal_axes, resolution_of
from svgm.rigid import apply, exp


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_scale_is_the_root_of_the_generalised_variance(d: int, rng: np.random.Generator) -> None:
    points = rng.normal(size=(50, d)) @ rng.normal(size=(d, d))
    expected = np.linalg.det(np.atleast_2d(np.cov(points.T))) ** (1.0 / (2 * d))
    assert np.isclose(estimate_scale(points), expected, rtol=1e-9)


def test_scale_follows_the_unit_and_ignores_motion(rng: np.random.Generator) -> None:
    points = rng.normal(size=(40, 3)) * [3.0, 2.0, 1.0]
    scale = estimate_scale(points)
    assert np.isclose(estimate_scale(apply(exp([0.3, 1, 2, 5, 6, 7]), points)), scale, rtol=1e-12)
    assert np.isclose(estimate_scale(points + 1e6), scale, rtol=1e-6)
    for unit in (1e-6, 1e6):
        assert np.isclose(estimate_scale(unit * points), unit * scale, rtol=1e-12)


def test_integer_weights_are_repeated_points(rng: np.random.Generator) -> None:
    points, weights = rng.normal(size=(30, 2)), rng.integers(1, 5, size=30).astype(float)
    repeated = np.repeat(points, weights.astype(int), axis=0)
    mean, deviations, axes = principal_axes(points, weights)
    mean_r, deviations_r, axes_r = principal_axes(repeated, np.ones(len(repeated)))
    assert np.allclose(mean, mean_r)
    assert np.allclose(np.abs(axes), np.abs(axes_r))
    assert np.allclose(deviations, deviations_r, rtol=0.05)  # the divisor n-1 differs


def test_flat_sets_have_a_scale(rng: np.random.Generator) -> None:
    plane = np.c_[rng.normal(size=(50, 2)), np.zeros(50)]
    flat = estimate_scale(plane)
    almost = estimate_scale(plane + [0, 0, 1] * rng.normal(size=(50, 1)) * 1e-6)
    assert np.isclose(flat, almost, rtol=1e-6)
    deviations = np.sort(np.linalg.svd(np.cov(plane.T))[1])[::-1] ** 0.5
    assert np.isclose(flat, (deviations[0] * deviations[1] * THINNEST * deviations[0]) ** (1 / 3))


@pytest.mark.parametrize("points", [np.ones((1, 2)), np.ones((6, 3)), np.full((6, 3), 1e6) + 1e-11])
def test_one_place_has_no_scale(points: np.ndarray) -> None:
    with pytest.raises(InputError, match="points must not all coincide"):
        estimate_scale(points)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("kind", ["surface", "clusters", "two places"])
def test_resolution_of_many_points_is_that_of_all_neighbours(d: int, kind: str, rng: np.random.Generator) -> None:
    n = 20_000
    points = rng.normal(size=(n, d))
    if kind == "surface":
        points /= np.linalg.norm(points, axis=1)[:, None]
    elif kind == "clusters":
        points = 1e-3 * points + rng.integers(3, size=(n, 1))
    else:
        points = np.zeros((n, d)) + rng.integers(2, size=(n, 1))
    centre = points.mean(axis=0)
    distances, _ = cKDTree(points).query(points[:: n // RESOLUTION_SAMPLE], k=2)
    expected = float(np.median(distances[:, 1])) if kind != "two places" else np.sqrt(d)
    assert resolution_of(points) == pytest.approx(expected, rel=1e-9)
    assert resolution_of(points - centre) == pytest.approx(expected, rel=1e-9)


def test_resolution_is_the_median_distance_to_another_place(rng: np.random.Generator) -> None:
    points = rng.normal(size=(60, 3))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(distances, np.inf)
    expected = np.median(distances.min(axis=1))
    assert np.isclose(estimate_resolution(points), expected)
    assert np.isclose(estimate_resolution(np.vstack([points, points])), expected)
    assert np.isclose(estimate_resolution(points + 1e6), expected, rtol=1e-6)
