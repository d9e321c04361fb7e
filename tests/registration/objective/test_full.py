"""Eq. (14) of components with covariances of their own: against plain sums, differences and the isotropic objective."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Mixture
from svgm._core import moved, pose_shares
from svgm.registration.objective import Objective
from svgm.rigid import exp
from tests.mixture.full_mixtures import full_mixture, normal_density, random_covariances


def pair(rng: np.random.Generator, d: int, m: int = 25) -> tuple[Mixture, Mixture]:
    return full_mixture(rng, m, d), full_mixture(rng, m + 4, d, sigma=0.7)


def brute(source: Mixture, target: Mixture, T: np.ndarray) -> float:
    """Minus the correlation of the moved source and the target, pair by pair."""

    def overlap(a: Mixture, b: Mixture) -> float:
        covariances = a.full_covariances()[:, None] + b.full_covariances()
        return float(a.weights @ normal_density(a.means[:, None] - b.means, covariances) @ b.weights)

    norms = np.sqrt(overlap(source, source) * overlap(target, target))
    return -overlap(source.transformed(T), target) / norms


def poses(d: int) -> np.ndarray:
    k = d * (d + 1) // 2
    return exp(np.vstack([np.zeros(k), np.random.default_rng(5).normal(size=(3, k)) * 0.5]))


def slopes(function: Objective, T: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Central differences of the value (k,) and of the gradient (k, k), along each step from T."""
    k = len(T) * (len(T) - 1) // 2
    ahead, behind = (function(np.array([moved(T, sign * step * e) for e in np.eye(k)])) for sign in (1, -1))
    return (ahead[0] - behind[0]) / (2 * step), (ahead[1] - behind[1]) / (2 * step)


def with_covariances(mixture: Mixture) -> Mixture:
    """The same mixture, its one variance written as covariances."""
    own = mixture.full_covariances()
    return Mixture(mixture.means, mixture.variance, mixture.weights, covariances=own)


@pytest.mark.parametrize("d", [2, 3])
def test_value_is_minus_the_correlation(d: int, rng: np.random.Generator) -> None:
    source, target = pair(rng, d)
    values, _, _ = Objective(source, target)(poses(d))
    assert np.allclose(values, [brute(source, target, T) for T in poses(d)], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("d", [2, 3])
def test_a_round_and_a_flat_mixture(d: int, rng: np.random.Generator) -> None:
    flat = full_mixture(rng, 20, d)
    plain = Mixture(rng.normal(size=(15, d)), 0.2, np.full(15, 1 / 15))
    for source, target in ((flat, plain), (plain, flat)):
        values, _, _ = Objective(source, target)(poses(d))
        assert np.allclose(values, [brute(source, target, T) for T in poses(d)], rtol=1e-10, atol=1e-12)


def test_equal_mixtures_have_the_value_minus_one(rng: np.random.Generator) -> None:
    source = full_mixture(rng, 300, 3, sigma=0.2)
    values, gradients, hessians = Objective(source, source)(np.eye(4)[None])
    assert values[0] == pytest.approx(-1.0, rel=1e-12)
    assert np.abs(gradients[0]).max() < 1e-12
    assert np.linalg.eigvalsh(hessians[0]).min() > 0
    assert Objective(source, source, search=True).polishing()(np.eye(4)[None])[0] == pytest.approx([-1.0], abs=1e-6)


@pytest.mark.parametrize("d", [2, 3])
def test_gradient_is_that_of_the_value(d: int, rng: np.random.Generator) -> None:
    source, target = pair(rng, d)
    objective = Objective(source, target)
    _, gradients, _ = objective(poses(d))
    for T, gradient in zip(poses(d), gradients, strict=True):
        numeric, _ = slopes(objective, T, 1e-5)
        assert np.allclose(gradient, numeric, rtol=1e-6, atol=1e-6 * np.abs(gradients).max())


@pytest.mark.parametrize("d", [2, 3])
def test_hessian_is_exact_along_translations(d: int, rng: np.random.Generator) -> None:
    source, target = pair(rng, d)
    objective = Objective(source, target)
    _, _, hessians = objective(poses(d))
    along = slice(-d, None)
    for T, hessian in zip(poses(d), hessians, strict=True):
        assert np.allclose(hessian, hessian.T, rtol=0, atol=1e-14 * np.abs(hessian).max())
        _, numeric = slopes(objective, T, 1e-5)
        assert np.allclose(hessian[along, along], numeric[along, along], atol=1e-6 * np.abs(hessians).max())


@pytest.mark.parametrize("d", [2, 3])
def test_hessian_is_near_the_exact_one_for_components_far_from_the_centre(d: int, rng: np.random.Generator) -> None:
    """What it leaves out, the turning of the covariances, is small as a component is against its lever."""
    directions = rng.normal(size=(200, d))
    means = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    own = 0.05**2 * random_covariances(rng, 200, d, flatness=0.3)
    source = Mixture(means, 0.05**2, np.full(200, 1 / 200), covariances=own)
    T = exp(0.01 * np.ones(d * (d + 1) // 2))
    objective = Objective(source, source)
    hessian = objective(T[None])[2][0]
    numeric = slopes(objective, T, 1e-5)[1]
    assert np.allclose(hessian, 0.5 * (numeric + numeric.T), atol=0.05 * np.abs(numeric).max())


@pytest.mark.parametrize("d", [2, 3])
def test_round_covariances_are_the_isotropic_objective(d: int, rng: np.random.Generator) -> None:
    """The turning of a round covariance changes nothing: so value, gradient and the whole Hessian are equal."""
    plain = [Mixture(rng.normal(size=(n, d)), 0.1 * n / 30, np.full(n, 1 / n)) for n in (30, 40)]
    expected = Objective(*plain)(poses(d))
    got = Objective(*map(with_covariances, plain))(poses(d))
    for one, other in zip(got, expected, strict=True):
        assert np.allclose(one, other, rtol=1e-10, atol=1e-12 * np.abs(other).max())


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("sigma", [0.01, 0.1])
def test_far_pairs_are_left_out_below_their_bound(d: int, sigma: float, rng: np.random.Generator) -> None:
    """Several blocks of components, of which most are too far from each other to be summed."""
    source = full_mixture(rng, 250, d, sigma=sigma)
    T = exp(0.3 * sigma * np.ones(d * (d + 1) // 2))
    value, gradient, hessian = (part[0] for part in Objective(source, source)(T[None]))
    assert value == pytest.approx(brute(source, source, T), abs=1e-11)
    assert value < -0.05
    polished = Objective(source, source, search=True).polishing()(T[None])
    for got, right in zip(polished, (value, gradient, hessian), strict=True):
        assert np.abs(got[0] - right).max() < 1e-5 * np.abs(right).max()


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize(("d", "sigma"), [(2, 0.3), (2, 0.03), (3, 0.3), (3, 0.05)])
def test_a_search_is_near_the_objective(d: int, sigma: float, far: bool, rng: np.random.Generator) -> None:
    source, target = full_mixture(rng, 300, d, sigma=sigma), full_mixture(rng, 300, d, sigma=sigma)
    target = Mixture(source.means + 0.2 * sigma, sigma**2, source.weights, covariances=target.covariances)
    stack = exp(0.3 * sigma * rng.normal(size=(5, d * (d + 1) // 2)))
    exact, search = (Objective(source, target, search=search, far=far)(stack) for search in (False, True))
    for got, right, share in zip(search, exact, (2e-3, 0.02, 0.05), strict=True):
        assert np.abs(got - right).max() < share * np.abs(right).max()


@pytest.mark.parametrize("search", [False, True])
def test_stacks_equal_one_by_one_and_threads_change_nothing(search: bool, rng: np.random.Generator) -> None:
    source, target = full_mixture(rng, 400, 3), full_mixture(rng, 300, 3)
    stack = poses(3)
    together = Objective(source, target, search=search)(stack)
    for threads in (2, 3, 8):
        again = Objective(source, target, search=search, threads=threads)(stack)
        assert all(np.array_equal(a, b) for a, b in zip(together, again, strict=True))
    for index, T in enumerate(stack):
        alone = Objective(source, target, search=search)(T[None])
        assert all(np.allclose(a[index], b[0], rtol=1e-13, atol=1e-14) for a, b in zip(together, alone, strict=True))


def test_disjoint_mixtures_have_no_value_and_no_pull(rng: np.random.Generator) -> None:
    source, target = pair(rng, 2)
    value, gradient, hessian = Objective(source, target)(exp([0.0, 1e3, 0.0])[None])
    assert value[0] == 0
    assert not gradient.any()
    assert not hessian.any()


@pytest.mark.parametrize("d", [2, 3])
def test_forces_add_up_to_the_gradient(d: int, rng: np.random.Generator) -> None:
    """Of each component the pull on its mean and the torque about it; on the target's side the same, opposite."""
    source, target = pair(rng, d)
    T = exp(0.3 * np.ones(d * (d + 1) // 2))
    objective = Objective(source, target)
    on_source, on_target = objective.forces(T)
    assert len(on_source) == len(source)
    assert len(on_target) == len(target)
    _, gradient, hessian = objective(T[None])
    turn, scale = np.ascontiguousarray(T[:d, :d]), np.abs(gradient).max()
    moving, _ = pose_shares(on_source, np.eye(d), source.means @ turn.T)
    fixed, _ = pose_shares(on_target, turn, target.means - T[:d, d])
    assert np.allclose(moving.sum(axis=0), gradient[0], atol=1e-2 * scale)
    assert np.allclose(-fixed.sum(axis=0), gradient[0], atol=1e-2 * scale)
    upper = np.triu_indices(d)
    for rows, turned in ((on_source, np.eye(d)), (on_target, turn)):  # the second derivatives, in the target's axes
        expected = turned.T @ hessian[0][-d:, -d:] @ turned
        assert np.allclose(rows[:, -len(upper[0]) :].sum(axis=0), expected[upper], atol=2e-2 * np.abs(expected).max())
