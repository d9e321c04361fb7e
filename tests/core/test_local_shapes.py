"""local_shapes: components flat along the surface that the points show, and balls where they show none."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from svgm import _core
from svgm.rigid import rotation_exp

SIGMA, PRIOR, CUTOFF = 0.3, 0.05, 4.5

#: Where no pair is left out.  Beyond a near cutoff, boxes of points decide which pairs are summed all the same.
FAR = 500.0


def shapes(
    points: np.ndarray, places: np.ndarray, sigma: float = SIGMA, cutoff: float = CUTOFF, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    tree = _core.BoxTree(points, np.ones(len(points)))
    return _core.local_shapes(tree, places, sigma, PRIOR, cutoff, False, threads)


def plane(d: int) -> np.ndarray:
    """A grid of points whose last coordinate is 0, in steps of 0.1."""
    steps = 0.1 * np.arange(-15, 16)
    return np.array([[*place, 0.0] for place in product(steps, repeat=d - 1)])


@pytest.mark.parametrize("d", [2, 3])
def test_the_formula(d: int, rng: np.random.Generator) -> None:
    points, places = rng.normal(size=(200, d)), rng.normal(size=(7, d))
    means, covariances = shapes(points, places, cutoff=FAR)
    for place, mean, covariance in zip(places, means, covariances, strict=True):
        w = np.exp(-((points - place) ** 2).sum(axis=1) / (2 * SIGMA**2))
        n = max(w.sum() - 1.0, 0.0)
        local = w @ points / w.sum()
        scatter = (w[:, None] * (points - local)).T @ (points - local) / w.sum()
        values, vectors = np.linalg.eigh((n * scatter + PRIOR * SIGMA**2 * np.eye(d)) / (n + PRIOR))
        normal = vectors[:, 0]
        flatness = max(values[0] / values[1], 0.05**2)
        assert np.allclose(covariance, SIGMA**2 * (np.eye(d) - (1 - flatness) * np.outer(normal, normal)), atol=1e-9)
        assert np.allclose(mean, place + n / (n + PRIOR) * normal * (normal @ (local - place)), atol=1e-9)


@pytest.mark.parametrize("d", [2, 3])
def test_a_plane_gives_a_flat_component_on_it(d: int) -> None:
    place = np.r_[np.zeros(d - 1), 0.5 * SIGMA]
    means, covariances = shapes(plane(d), place[None])
    values, vectors = np.linalg.eigh(covariances[0])
    assert abs(vectors[-1, 0]) == pytest.approx(1.0, abs=1e-9)
    assert values[0] < 0.02 * SIGMA**2
    assert values[1:] == pytest.approx(SIGMA**2, rel=0.15)
    assert values.max() <= SIGMA**2 * (1 + 1e-12)
    # Onto the plane, along the normal only: the place stays where it is on the plane.
    assert abs(means[0, -1]) < 0.02 * SIGMA
    assert np.allclose(means[0, :-1], 0.0, atol=1e-9)


@pytest.mark.parametrize("d", [2, 3])
def test_a_point_alone_or_no_point_gives_a_ball(d: int) -> None:
    places = np.array([np.zeros(d), np.full(d, 9.0)])
    means, covariances = shapes(np.zeros((1, d)), places)
    assert np.array_equal(means, places)
    assert np.allclose(covariances, SIGMA**2 * np.eye(d), rtol=1e-14)


@pytest.mark.parametrize("d", [2, 3])
def test_never_singular_never_larger_than_sigma(d: int, rng: np.random.Generator) -> None:
    line = np.outer(np.linspace(-1.0, 1.0, 50), rng.normal(size=d))
    for points in (line, np.zeros((50, d)), plane(d), rng.normal(size=(500, d))):
        _, covariances = shapes(points, points)
        values = np.linalg.eigvalsh(covariances)
        assert values.min() > 1e-4 * SIGMA**2
        assert values.max() <= SIGMA**2 * (1 + 1e-12)
        assert np.array_equal(covariances, covariances.swapaxes(1, 2))


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_length(d: int, unit: float, rng: np.random.Generator) -> None:
    points = plane(d) + 0.02 * rng.normal(size=plane(d).shape)
    means, covariances = shapes(points, points[::9])
    other_means, other_covariances = shapes(unit * points, unit * points[::9], unit * SIGMA)
    assert np.allclose(other_means, unit * means, rtol=0, atol=1e-9 * unit)
    assert np.allclose(other_covariances, unit**2 * covariances, rtol=0, atol=1e-9 * unit**2)


@pytest.mark.parametrize("d", [2, 3])
def test_a_turned_set_gives_turned_components(d: int, rng: np.random.Generator) -> None:
    points = plane(d) + 0.02 * rng.normal(size=plane(d).shape)
    R = rotation_exp(np.full(d * (d - 1) // 2, 0.7), d)
    means, covariances = shapes(points, points[::9], cutoff=FAR)
    other_means, other_covariances = shapes(points @ R.T, points[::9] @ R.T, cutoff=FAR)
    assert np.allclose(other_means, means @ R.T, atol=1e-9)
    assert np.allclose(other_covariances, R @ covariances @ R.T, atol=1e-9)


def test_threads_change_no_bit(rng: np.random.Generator) -> None:
    points = rng.normal(size=(6000, 3))  # more than are held in memory at once
    one = shapes(points, points)
    for threads in (2, 3):
        assert all(np.array_equal(a, b) for a, b in zip(one, shapes(points, points, threads=threads), strict=True))
