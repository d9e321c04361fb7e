"""Mixtures with covariances: densities and integrals against plain formulas, and against the isotropic mixture."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from svgm import InputError, Mixture
from svgm.mixture.gaussian_sums import covariances_of, peak
from svgm.rigid import apply, exp
from tests.mixture.full_mixtures import brute_density, brute_product, full_mixture


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_everything_is_the_formula(d: int, rng: np.random.Generator) -> None:
    p, q = full_mixture(rng, 30, d), full_mixture(rng, 20, d, sigma=0.9)
    x = rng.normal(size=(50, d))
    expected = brute_density(p, x)
    assert np.allclose(p.density(x), expected, rtol=1e-9, atol=1e-9 * expected.max())
    assert np.allclose(p.kernel_sum(x) * peak(p.variance, d), p.density(x), rtol=1e-13)
    assert np.allclose(p.decision(x), p.kernel_sum(x) - 0.1, rtol=1e-13)
    assert np.allclose(p.log_density(x), np.log(expected), rtol=1e-9)
    assert p.inner_product(q) == pytest.approx(brute_product(p, q), rel=1e-9)
    assert q.inner_product(p) == pytest.approx(p.inner_product(q), rel=1e-12)
    assert p.norm**2 == pytest.approx(brute_product(p, p), rel=1e-9)
    distance = brute_product(p, p) - 2 * brute_product(p, q) + brute_product(q, q)
    assert p.l2_distance(q) == pytest.approx(distance, rel=1e-8)
    assert p.l2_distance(p) < 1e-12 * p.norm**2


@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_balls_are_the_isotropic_mixture(d: int, rng: np.random.Generator) -> None:
    weights = rng.random(40)
    ball = Mixture(rng.normal(size=(40, d)), 0.3, weights / weights.sum(), 0.2)
    full = Mixture(ball.means, ball.variance, ball.weights, ball.bias, covariances=covariances_of(ball))
    x = rng.normal(size=(30, d))
    for name in ("density", "kernel_sum", "decision", "log_density"):
        assert np.allclose(getattr(full, name)(x), getattr(ball, name)(x), rtol=1e-10, atol=1e-11)
    assert full.norm == pytest.approx(ball.norm, rel=1e-11)
    for one, other in ((full, ball), (ball, full), (full, full)):
        assert one.inner_product(other) == pytest.approx(ball.norm**2, rel=1e-11)
    assert full != ball
    assert ball.covariances is None


@pytest.mark.parametrize("d", [2, 3])
def test_rigid_motion_turns_covariances(d: int, rng: np.random.Generator) -> None:
    p = full_mixture(rng, 25, d)
    T = exp(rng.normal(size=3 if d == 2 else 6))
    moved = p.transformed(T)
    x = rng.normal(size=(40, d))
    assert np.allclose(moved.density(apply(T, x)), p.density(x), rtol=1e-8, atol=1e-10)
    assert moved.norm == pytest.approx(p.norm, rel=1e-11)
    assert np.array_equal(moved.covariances, moved.covariances.swapaxes(1, 2))


def test_unit_of_length(rng: np.random.Generator) -> None:
    p = full_mixture(rng, 25, 3)
    x = rng.normal(size=(40, 3))
    for unit in (1e-90, 0.001, 3.7, 1e90):
        q = Mixture(unit * p.means, unit**2 * p.variance, p.weights, p.bias, covariances=unit**2 * p.covariances)
        assert np.allclose(q.kernel_sum(unit * x), p.kernel_sum(x), rtol=1e-9, atol=1e-12)
        assert q.norm == pytest.approx(p.norm * unit**-1.5, rel=1e-9)


def test_survey_coordinates_keep_their_digits(rng: np.random.Generator) -> None:
    p = full_mixture(rng, 25, 3, sigma=0.03)
    far = np.array([4e5, 5e6, 100.0])
    moved = Mixture(p.means + far, p.variance, p.weights, covariances=p.covariances)
    x = p.means + 0.01 * rng.normal(size=p.means.shape)
    exact = Mixture(moved.means - far, p.variance, p.weights, covariances=p.covariances)
    assert np.allclose(moved.density(x + far), exact.density((x + far) - far), rtol=1e-9)


def test_samples_have_the_covariance(rng: np.random.Generator) -> None:
    covariance = np.array([[2.0, 0.6], [0.6, 0.3]])
    drawn = Mixture([[5.0, -3.0]], 1.0, [1.0], covariances=[covariance]).sample(40000, seed=1)
    assert np.allclose(np.cov(drawn.T), covariance, atol=0.04)
    assert np.allclose(drawn.mean(axis=0), [5.0, -3.0], atol=0.03)
    assert np.array_equal(drawn, Mixture([[5.0, -3.0]], 1.0, [1.0], covariances=[covariance]).sample(40000, seed=1))


def test_signed_mixtures_have_covariances_too(rng: np.random.Generator) -> None:
    p = full_mixture(rng, 3, 2)
    signed = Mixture(p.means, p.variance, [0.4, -0.3, 0.6], covariances=p.covariances)
    x = rng.normal(size=(20, 2))
    assert np.allclose(signed.density(x), brute_density(signed, x), rtol=1e-9, atol=1e-9)
    assert signed.norm**2 == pytest.approx(brute_product(signed, signed), rel=1e-9)
    for method in (signed.log_density, lambda x: signed.sample(3, seed=0)):
        with pytest.raises(InputError, match="negative"):
            method(x)


def test_copies_are_equal_and_frozen(rng: np.random.Generator) -> None:
    p = full_mixture(rng, 4, 3)
    copied = pickle.loads(pickle.dumps(p))
    assert copied == p
    with pytest.raises(ValueError, match="read-only"):
        copied.covariances[0, 0, 0] = 2.0
    assert repr(p) == "Mixture(4 components in 3D, sigma 0.5, full covariances, bias 0.1)"
    other = Mixture(p.means, p.variance, p.weights, p.bias, covariances=1.5 * p.covariances)
    assert p != other
    assert p != Mixture(p.means, p.variance, p.weights, p.bias)


def test_densities_beyond_floats_are_refused() -> None:
    thin = Mixture(np.zeros((1, 2)), 1e-290, [1.0], covariances=[1e-290 * np.diag([1.0, 1e-7])])
    assert thin.kernel_sum([[0.0, 0.0]])[0] == pytest.approx(np.sqrt(1e7))
    flat = Mixture(np.zeros((1, 4)), 1e-150, [1.0], covariances=[1e-150 * np.diag([1.0, 1e-7, 1e-7, 1e-7])])
    with pytest.raises(InputError, match="largest float"):
        flat.density(np.zeros((1, 4)))
    with pytest.raises(InputError, match="largest float"):
        _ = flat.norm
    assert np.isfinite(flat.log_density(np.zeros((1, 4)))).all()


def test_threads_give_the_same_bits(rng: np.random.Generator) -> None:
    p = full_mixture(rng, 500, 3)
    x = rng.normal(size=(700, 3))
    assert np.array_equal(p.density(x, threads=1), p.density(x, threads=4))
    assert p.inner_product(p, threads=1) == p.inner_product(p, threads=4)
