"""Eq. (14): value, gradient and Hessian against brute force and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Mixture, _core
from svgm._core import moved
from svgm.registration.covariance import jacobian_of
from svgm.registration.objective import Objective
from svgm.rigid import apply, exp, rotation_exp


def pair(rng: np.random.Generator, d: int, variances: tuple[float, float], m: int = 40) -> tuple[Mixture, Mixture]:
    def one(count: int, variance: float) -> Mixture:
        weights = rng.random(count) + 0.1
        return Mixture(rng.normal(size=(count, d)), variance, weights / weights.sum())

    return one(m, variances[0]), one(m + 7, variances[1])


def brute(source: Mixture, target: Mixture, T: np.ndarray) -> float:
    """Minus the correlation of the moved source and the target, pair by pair."""

    def overlap(a: Mixture, b: Mixture, means: np.ndarray) -> float:
        variance = a.variance + b.variance
        squared = ((means[:, None] - b.means) ** 2).sum(axis=2)
        peak = (2 * np.pi * variance) ** (-a.dimension / 2)
        return float(a.weights @ (peak * np.exp(-squared / (2 * variance))) @ b.weights)

    norms = np.sqrt(overlap(source, source, source.means) * overlap(target, target, target.means))
    return -overlap(source, target, apply(T, source.means)) / norms


CASES = [(d, v) for d in (2, 3) for v in ((0.3, 0.3), (0.1, 0.6), (0.02, 0.01))]


def poses(d: int) -> np.ndarray:
    k = d * (d + 1) // 2
    return exp(np.vstack([np.zeros(k), np.random.default_rng(5).normal(size=(5, k)) * 0.7, np.full(k, 2.0)]))


@pytest.mark.parametrize(("d", "variances"), CASES)
def test_value_is_minus_the_correlation(d: int, variances: tuple[float, float], rng: np.random.Generator) -> None:
    source, target = pair(rng, d, variances)
    values, _, _ = Objective(source, target)(poses(d))
    assert np.allclose(values, [brute(source, target, T) for T in poses(d)], rtol=1e-10, atol=1e-11)


def test_equal_mixtures_have_the_value_minus_one(rng: np.random.Generator) -> None:
    source, _ = pair(rng, 3, (0.05, 0.05))
    values, gradients, hessians = Objective(source, source)(np.eye(4)[None])
    assert values[0] == pytest.approx(-1.0, rel=1e-12)
    assert np.abs(gradients[0]).max() < 1e-12
    assert np.linalg.eigvalsh(hessians[0]).min() > 0  # -1 is the least value there is


@pytest.mark.parametrize("variance", [1e-200, 1e200, 1e299])
@pytest.mark.parametrize("d", [2, 3])
def test_variances_whose_product_is_no_float(d: int, variance: float) -> None:
    mixture = Mixture(np.zeros((1, d)), variance, [1.0])
    objective = Objective(mixture, mixture)
    assert objective(np.eye(d + 1)[None])[0] == pytest.approx([-1.0], rel=1e-12)
    for rows in objective.forces(np.eye(d + 1)):
        assert np.isfinite(rows).all()


@pytest.mark.parametrize(("d", "variances"), CASES)
def test_gradient_and_hessian_match_finite_differences(
    d: int, variances: tuple[float, float], rng: np.random.Generator
) -> None:
    source, target = pair(rng, d, variances)
    objective = Objective(source, target)
    k = d * (d + 1) // 2
    step = 1e-4 * np.sqrt(sum(variances))
    _, gradients, hessians = objective(poses(d))
    for T, gradient, hessian in zip(poses(d), gradients, hessians, strict=True):
        ahead = objective(np.array([moved(T, step * e) for e in np.eye(k)]))
        behind = objective(np.array([moved(T, -step * e) for e in np.eye(k)]))
        scale = np.abs(gradients).max()
        assert np.allclose(gradient, (ahead[0] - behind[0]) / (2 * step), rtol=1e-5, atol=1e-6 * scale)
        # The brute force value, not the objective's own, so that a mistake common to both shows.
        numeric = [
            (brute(source, target, moved(T, step * e)) - brute(source, target, moved(T, -step * e))) / (2 * step)
            for e in np.eye(k)
        ]
        assert np.allclose(gradient, numeric, rtol=1e-5, atol=1e-6 * scale)
        assert np.allclose(hessian, hessian.T, atol=1e-12 * np.abs(hessians).max())
        # Second derivatives of the value along xi -> f(moved(T, xi)) at xi = 0.
        for i in range(k):
            for j in range(i + 1):
                a, b = 20 * step * np.eye(k)[i], 20 * step * np.eye(k)[j]
                corners = np.array([moved(T, xi) for xi in (a + b, a - b, b - a, -a - b)])
                v = objective(corners)[0]
                second = (v[0] - v[1] - v[2] + v[3]) / (4 * (20 * step) ** 2)
                assert np.isclose(hessian[i, j], second, rtol=1e-3, atol=1e-4 * np.abs(hessians).max())


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("sigma", [1e-3, 1e-2, 1e-1])
def test_truncation_does_not_show_at_a_small_sigma(d: int, sigma: float, rng: np.random.Generator) -> None:
    source, _ = pair(rng, d, (sigma**2, sigma**2), m=300)
    k = d * (d + 1) // 2
    T = exp(0.3 * sigma * np.ones(k))
    value, gradient, _ = Objective(source, source)(T[None])
    assert value[0] == pytest.approx(brute(source, source, T), abs=1e-11)
    assert value[0] < -0.5
    step = 1e-4 * sigma
    numeric = [
        (brute(source, source, moved(T, step * e)) - brute(source, source, moved(T, -step * e))) / (2 * step)
        for e in np.eye(k)
    ]
    assert np.allclose(gradient[0], numeric, atol=1e-6 * np.abs(gradient).max())


def test_stacks_equal_one_by_one_and_threads_change_nothing(rng: np.random.Generator) -> None:
    source, target = pair(rng, 3, (0.2, 0.1), m=150)
    stack = poses(3)
    together = Objective(source, target, threads=1)(stack)
    for threads in (2, 3, 8):
        again = Objective(source, target, threads=threads)(stack)
        assert all(np.array_equal(a, b) for a, b in zip(together, again, strict=True))
    for index, T in enumerate(stack):
        alone = Objective(source, target)(T[None])
        assert all(np.allclose(a[index], b[0], rtol=1e-13, atol=1e-14) for a, b in zip(together, alone, strict=True))


def test_disjoint_mixtures_have_no_value_and_no_pull(rng: np.random.Generator) -> None:
    source, target = pair(rng, 2, (0.01, 0.01))
    value, gradient, hessian = Objective(source, target)(exp([0.0, 1e3, 0.0])[None])
    assert value[0] == 0
    assert not gradient.any()
    assert not hessian.any()


def test_signed_mixtures(rng: np.random.Generator) -> None:
    source = Mixture(rng.normal(size=(10, 2)), 0.2, np.r_[np.full(5, 0.2), np.full(5, -0.1)])
    T = exp([0.3, 0.1, 0.2])
    assert Objective(source, source)(T[None])[0][0] == pytest.approx(brute(source, source, T), rel=1e-10)


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize(("d", "sigma"), [(2, 0.5), (2, 0.1), (2, 0.01), (3, 0.5), (3, 0.2), (3, 0.02)])
def test_a_search_is_near_the_objective(d: int, sigma: float, far: bool, rng: np.random.Generator) -> None:
    """By the spline at the wide sigmas, by near pairs in single precision at the narrow ones."""
    source, _ = pair(rng, d, (sigma**2, sigma**2), m=400)
    target = Mixture(source.means + 0.5 * sigma * rng.normal(size=source.means.shape), sigma**2, source.weights)
    stack = np.concatenate([np.eye(d + 1)[None], exp(0.5 * sigma * rng.normal(size=(10, d * (d + 1) // 2)))])
    values, gradients, hessians = Objective(source, target, search=True, far=far)(stack)
    exact = Objective(source, target)
    for got, right, share in zip((values, gradients, hessians), exact(stack), (2e-3, 0.03, 0.1), strict=True):
        assert np.abs(got - right).max() < share * np.abs(right).max()
    polished = Objective(source, target, search=True).polishing()(stack)
    for got, right in zip(polished, exact(stack), strict=True):
        assert np.abs(got - right).max() < 1e-5 * np.abs(right).max()


@pytest.mark.parametrize("d", [2, 3])
def test_a_search_is_one_smooth_function(d: int, rng: np.random.Generator) -> None:
    """Its gradient and Hessian are its own, however far it is from the objective: Newton's method relies on it."""
    source, target = pair(rng, d, (0.05, 0.05), m=300)
    search = Objective(source, target, search=True)
    k = d * (d + 1) // 2
    T = exp(0.2 * np.ones(k))
    _, gradient, hessian = (part[0] for part in search(T[None]))
    step = 2e-3  # single precision: shorter steps drown in rounding
    ahead, behind = (search(np.array([moved(T, sign * step * e) for e in np.eye(k)])) for sign in (1, -1))
    assert np.allclose((ahead[0] - behind[0]) / (2 * step), gradient, atol=5e-3 * np.abs(gradient).max())
    slopes = (ahead[1] - behind[1]) / (2 * step)
    translations = slice(k - d, k)  # along these the step's own bend does not enter
    assert np.allclose(slopes[translations], hessian[translations], atol=0.02 * np.abs(hessian).max())


@pytest.mark.parametrize("d", [2, 3])
def test_forces_are_the_derivatives_in_the_means(d: int, rng: np.random.Generator) -> None:
    source, target = pair(rng, d, (0.3, 0.2))
    T = exp(0.3 * np.ones(d * (d + 1) // 2))
    objective = Objective(source, target)
    on_source, on_target = objective.forces(T)
    turn, k = np.ascontiguousarray(T[:d, :d]), d * (d + 1) // 2
    forces = on_source[:, :d]
    assert np.allclose(forces.sum(axis=0), -turn @ on_target[:, :d].sum(axis=0), atol=1e-2 * np.abs(forces).max())
    # The sums of the forces, and of their torques, are the gradient by pose.
    _, gradient, hessian = objective(T[None])
    gradients, _ = _core.pose_shares(on_source, np.eye(d), source.means @ turn.T)
    assert np.allclose(gradients.sum(axis=0), gradient[0], atol=1e-2 * np.abs(gradient).max())
    for rows, turned in ((on_source, np.eye(d)), (on_target, turn)):  # the second derivatives, in the target's axes
        expected = (turned.T @ hessian[0][-d:, -d:] @ turned)[np.triu_indices(d)]
        assert np.allclose(rows[:, k:].sum(axis=0), expected, atol=1e-2 * np.abs(hessian).max())


@pytest.mark.parametrize("d", [2, 3])
def test_shares_by_pose_are_those_of_the_jacobian(d: int, rng: np.random.Generator) -> None:
    k, upper = d * (d + 1) // 2, np.triu_indices(d)
    rows, levers = rng.normal(size=(7, 2 * k)), rng.normal(size=(7, d))
    turn = rotation_exp(rng.normal(size=k - d), d)
    curvature = np.empty((7, d, d))
    curvature[:, upper[0], upper[1]] = curvature[:, upper[1], upper[0]] = rows[:, k:]
    jacobian = jacobian_of(levers)
    gradients, hessians = _core.pose_shares(rows, turn, levers)
    expected = np.einsum("nd,ndk->nk", rows[:, :d] @ turn.T, jacobian)
    expected[:, : k - d] += rows[:, d:k] @ turn.T if d == 3 else rows[:, d:k]
    assert np.allclose(gradients, expected)
    full = np.swapaxes(jacobian, 1, 2) @ (turn @ curvature @ turn.T) @ jacobian
    rows_of, columns_of = np.triu_indices(k)
    assert np.allclose(hessians, full[:, rows_of, columns_of])
