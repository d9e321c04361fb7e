"""Multiscale: each mixture is the same as a fit of its own."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import estimate_scale
from svgm.geometry.thinning import thin
from svgm.mixture.fit import to_mixture
from svgm.mixture.mixture import Mixture
from svgm.mixture.multiscale import Multiscale

FIT = {"nu": 0.01, "thinning": 0.35, "tolerance": 0.01}
OPTIONS = {**FIT, "resolution": 1e-3}


def sigmas(points: np.ndarray) -> list[float]:
    return [estimate_scale(points) / np.sqrt(gamma) for gamma in (0.3, 3.0, 30.0, 300.0)]


def fit_at(points: np.ndarray, sigma: float, *, nu: float, thinning: float, tolerance: float) -> Mixture:
    """A fit of its own, without shared grids."""
    weights = np.ones(len(points))
    if thinning > 0:
        points, weights = thin(points, weights, thinning * sigma)
    return to_mixture(points, weights, sigma, nu=nu, tolerance=tolerance, thinned=thinning > 0)


def relative_l2(a: Mixture, b: Mixture) -> float:
    return a.l2_distance(b) / b.norm**2


@pytest.mark.parametrize("shape", ["dense_curve", "dense_surface"])
def test_mixtures_do_not_depend_on_each_other(shape: str, request: pytest.FixtureRequest) -> None:
    points = request.getfixturevalue(shape)
    scales = sigmas(points)
    up, down = (Multiscale(points, np.ones(len(points)), **OPTIONS) for _ in range(2))
    one = [up.fit(sigma) for sigma in scales]
    other = [down.fit(sigma) for sigma in scales[::-1]][::-1]
    assert one == other
    assert up.fit(scales[1]) == one[1]
    assert Multiscale(points, np.ones(len(points)), **OPTIONS).fit(scales[2]) == one[2]


@pytest.mark.parametrize("shape", ["curve", "surface", "dense_curve", "dense_surface"])
def test_a_mixture_is_a_fit_of_its_own(shape: str, request: pytest.FixtureRequest) -> None:
    points = request.getfixturevalue(shape)
    scales = Multiscale(points, np.ones(len(points)), **OPTIONS)
    for sigma in sigmas(points):
        exact = fit_at(points, sigma, nu=0.01, thinning=0, tolerance=1e-4)
        assert relative_l2(scales.fit(sigma), exact) < 3e-3
        assert relative_l2(fit_at(points, sigma, **FIT), exact) < 3e-3


def test_without_thinning(surface: np.ndarray) -> None:
    options = {**OPTIONS, "thinning": 0.0}
    mixture = Multiscale(surface, np.ones(250), **options).fit(0.2)
    assert mixture == fit_at(surface, 0.2, **{**FIT, "thinning": 0.0})


def test_one_place() -> None:
    mixture = Multiscale(np.full((9, 3), 5.0), np.ones(9), **OPTIONS).fit(1.0)
    assert np.allclose(mixture.means, 5.0)
    assert mixture.weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("shape", ["dense_curve", "dense_surface"])
def test_full_components_lie_flat_on_the_surface(shape: str, request: pytest.FixtureRequest) -> None:
    points = request.getfixturevalue(shape)
    scales = Multiscale(points, np.ones(len(points)), **OPTIONS)
    sigma = sigmas(points)[2]
    mixture = scales.fit_full(sigma, 1.3)
    assert mixture.sigma == pytest.approx(sigma)
    overlaps = mixture.weights**2 / np.sqrt(np.linalg.det(mixture.covariances))
    assert np.allclose(overlaps, overlaps[0])  # of each component with itself
    assert (mixture.decision(mixture.means) >= 0).all()
    assert len(mixture) < len(scales.fit_full(0.5 * sigma, 1.3))
    deviations = np.sqrt(np.linalg.eigvalsh(mixture.covariances))
    assert deviations.max() <= sigma * (1 + 1e-9)
    assert np.median(deviations[:, 0]) < 0.3 * sigma
    assert np.median(deviations[:, 1:]) > 0.7 * sigma
    nearest = np.linalg.norm(mixture.means[:, None] - points, axis=2).min(axis=1)
    assert np.median(nearest) < 0.4 * sigma  # about the spacing of the points


def test_full_mixtures_do_not_depend_on_each_other(dense_surface: np.ndarray) -> None:
    scales = sigmas(dense_surface)[1:]
    up, down = (Multiscale(dense_surface, np.ones(len(dense_surface)), **OPTIONS) for _ in range(2))
    one = [up.fit_full(sigma, 1.3) for sigma in scales]
    assert one == [down.fit_full(sigma, 1.3) for sigma in scales[::-1]][::-1]


def test_many_points_are_thinned_once(rng: np.random.Generator) -> None:
    """The mixtures of a dense set come from its cells, and are those of all points to a fraction of sigma."""
    angle = rng.uniform(0.0, 2.0 * np.pi, 20_000)
    points = np.c_[np.cos(angle), np.sin(2.0 * angle)] * (1.0 + 1e-3 * rng.normal(size=20_000))[:, None]
    ones = np.ones(len(points))
    # As if the points were so far apart that no cell holds two of them.
    dense, plain = (Multiscale(points, ones, **{**FIT, "resolution": r}) for r in (1e-3, 5e-2))
    assert plain.cells is None
    assert dense.cells is not None
    places, counts = dense.cells
    assert len(places) < 0.4 * len(points)
    assert counts.sum() == len(points)
    for gamma in (20.0, 300.0):
        sigma = dense.scale / np.sqrt(gamma)
        one, other = dense.fit_full(sigma, 1.15), plain.fit_full(sigma, 1.15)
        assert 0.95 < len(one) / len(other) < 1.05
        assert relative_l2(one, other) < 3e-2  # one component more or less, and flat ones
