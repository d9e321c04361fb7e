"""The SVM solver against scikit-learn's LIBSVM and against the optimality conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC, OneClassSVM

from svgm.rigid import apply, exp
from svgm.svm import train_one_class, train_two_class


def kernel(a: np.ndarray, b: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-gamma * ((a[:, None] - b) ** 2).sum(axis=2))


def libsvm(points: np.ndarray, gamma: float, nu: float, weights: np.ndarray | None = None) -> tuple[np.ndarray, float]:
    """LIBSVM's duals and bias, scaled to sum 1, at a tolerance far below ours."""
    model = OneClassSVM(gamma=gamma, nu=nu, tol=1e-7).fit(points, sample_weight=weights)
    alpha = np.zeros(len(points))
    alpha[model.support_] = model.dual_coef_[0]
    return alpha / alpha.sum(), float(-model.intercept_[0] / alpha.sum())


def train(*arguments: Any, **options: Any) -> tuple[np.ndarray, float]:
    svm = train_one_class(*arguments, **options)
    return svm.alpha, svm.rho


def blobs(d: int, n: int = 300) -> np.ndarray:
    rng = np.random.default_rng(d)
    return np.vstack([rng.normal(size=(n // 2, d)), 3.0 + 0.5 * rng.normal(size=(n - n // 2, d))])


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("nu", [0.01, 0.1, 0.5, 0.9])
def test_one_class_agrees_with_libsvm(d: int, gamma: float, nu: float) -> None:
    points = blobs(d)
    K = kernel(points, points, gamma)
    reference, reference_rho = libsvm(points, gamma, nu)
    best = reference @ K @ reference
    for tolerance, dual_error in ((1e-3, 1e-4), (1e-6, 1e-7)):
        alpha, rho = train(points, np.ones(len(points)), gamma, nu, tolerance)
        assert alpha @ K @ alpha <= best * (1 + dual_error)
        assert alpha @ K @ alpha >= best * (1 - 1e-6)
        assert np.isclose(rho, reference_rho, rtol=10 * tolerance)
        values = K @ reference - reference_rho
        assert np.allclose(K @ alpha - rho, values, atol=10 * tolerance * reference_rho)
        # Only points on the boundary, within the tolerance, may change sides.
        clear = np.abs(values) > 10 * tolerance * reference_rho
        assert np.array_equal((K @ alpha - rho)[clear] > 0, values[clear] > 0)


def test_nu_of_one_is_a_kernel_density() -> None:
    points, weights = blobs(2, 50), np.arange(1.0, 51.0)
    alpha, rho = train(points, weights, 1.0, 1.0, 1e-6)
    assert np.allclose(alpha, weights / weights.sum())
    assert np.isfinite(rho)


@pytest.mark.parametrize("nu", [0.02, 0.2])
def test_weights_agree_with_libsvm(nu: float, rng: np.random.Generator) -> None:
    points, weights = blobs(2), rng.random(300) + 0.05
    K = kernel(points, points, 1.0)
    # scikit-learn scales each bound by the weight but keeps the sum at nu n: normalise the weights to mean 1.
    reference, reference_rho = libsvm(points, 1.0, nu, weights / weights.mean())
    alpha, rho = train(points, weights, 1.0, nu, 1e-6)
    assert np.isclose(alpha @ K @ alpha, reference @ K @ reference, rtol=1e-6)
    assert np.allclose(K @ alpha - rho, K @ reference - reference_rho, atol=1e-5 * rho)


@pytest.mark.parametrize("nu", [0.02, 0.3])
def test_integer_weights_are_repeated_points(nu: float, rng: np.random.Generator) -> None:
    points, weights = blobs(3, 120), rng.integers(0, 5, size=120)
    alpha, rho = train(points, weights.astype(float), 0.5, nu, 1e-7)
    repeated = np.repeat(points, weights, axis=0)
    beta, rho_repeated = train(repeated, np.ones(len(repeated)), 0.5, nu, 1e-7)
    assert np.isclose(rho, rho_repeated, rtol=1e-5)
    queries = rng.normal(size=(50, 3))
    assert np.allclose(kernel(queries, points, 0.5) @ alpha, kernel(queries, repeated, 0.5) @ beta, atol=1e-5 * rho)
    assert np.all(alpha[weights == 0] == 0)


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 32, 33, 200])
@pytest.mark.parametrize("nu", [0.01, 0.3, 1.0])
def test_duals_are_feasible_and_optimal(n: int, nu: float, rng: np.random.Generator) -> None:
    points, weights = rng.normal(size=(n, 2)), rng.random(n) + 0.01
    tolerance = 1e-4
    alpha, rho = train(points, weights, 1.0, nu, tolerance)
    upper = weights / (nu * weights.sum())
    assert np.isclose(alpha.sum(), 1.0, rtol=1e-12)
    assert np.all(alpha >= 0)
    assert np.all(alpha <= upper * (1 + 1e-12))
    # KKT: f > 0 only without weight, f < 0 only at the bound.
    f = kernel(points, points, 1.0) @ alpha - rho
    slack = 2 * tolerance * np.abs(rho)
    assert np.all(f[alpha < upper * (1 - 1e-9)] >= -slack)
    assert np.all(f[alpha > 0] <= slack)


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.5])
def test_nu_bounds_outliers_and_support_vectors(nu: float) -> None:
    points = blobs(3, 400)
    alpha, rho = train(points, np.ones(400), 1.0, nu, 1e-6)
    f = kernel(points, points, 1.0) @ alpha - rho
    assert np.mean(f < -1e-4 * rho) <= nu + 1e-9
    assert np.mean(alpha > 0) >= nu - 1e-9


def test_duplicates_do_not_stall_the_solver() -> None:
    points = np.repeat(blobs(2, 20), 50, axis=0)
    alpha, rho = train(points, np.ones(len(points)), 1.0, 0.1, 1e-6)
    single, rho_single = train(blobs(2, 20), np.ones(20), 1.0, 0.1, 1e-6)
    assert np.isclose(rho, rho_single, rtol=1e-5)
    assert np.allclose(alpha.reshape(20, 50).sum(axis=1), single, atol=1e-4)


def test_far_offsets_lose_no_digits(rng: np.random.Generator) -> None:
    points = rng.normal(size=(100, 3))
    near, rho = train(points, np.ones(100), 1.0, 0.05, 1e-6)
    far, rho_far = train(points + 1e6, np.ones(100), 1.0, 0.05, 1e-6)
    assert np.isclose(rho, rho_far, rtol=1e-6)
    assert np.allclose(near, far, atol=1e-5)


def test_moved_points_have_the_same_machine(rng: np.random.Generator) -> None:
    points = rng.normal(size=(150, 3))
    alpha, rho = train(points, np.ones(150), 2.0, 0.05, 1e-7)
    moved, rho_moved = train(apply(exp([0.3, 1.0, -2.0, 4, 5, 6]), points), np.ones(150), 2.0, 0.05, 1e-7)
    assert np.isclose(rho, rho_moved, rtol=1e-6)
    assert np.allclose(alpha, moved, atol=1e-5)


@pytest.mark.parametrize("cost", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("gamma", [0.3, 3.0])
@pytest.mark.parametrize("d", [2, 3])
def test_two_class_agrees_with_libsvm(d: int, gamma: float, cost: float, rng: np.random.Generator) -> None:
    points, labels = blobs(d, 200), np.r_[np.ones(100), -np.ones(100)]
    labels[::17] *= -1  # some on the wrong side
    reference = SVC(C=cost, gamma=gamma, tol=1e-6).fit(points, labels)
    beta, rho = train_two_class(points, labels, gamma, cost, 1e-6)
    assert np.isclose(beta.sum(), 0.0, atol=1e-9 * cost)
    assert np.all((beta * labels >= 0) & (np.abs(beta) <= cost * (1 + 1e-12)))
    queries = np.vstack([points, rng.normal(size=(50, d)) * 3])
    values = kernel(queries, points, gamma) @ beta - rho
    assert np.allclose(values, reference.decision_function(queries), atol=1e-3)
