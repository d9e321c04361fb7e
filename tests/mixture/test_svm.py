"""The SVM solver against scikit-learn's LIBSVM and against the optimality conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC, OneClassSVM

from svgm.mixture.covariances import local_covariances
from svgm.mixture.svm import train_one_class, train_two_class
from svgm.rigid import apply, exp
from tests.mixture.full_mixtures import normal_density, random_covariances

#: LIBSVM keeps kernel values in single precision, so its function, a mean of values up to 1, is good to this.
SINGLE = float(np.finfo(np.float32).eps)


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
        slack = 10 * tolerance * reference_rho + SINGLE
        assert np.isclose(rho, reference_rho, rtol=0, atol=slack)
        values = K @ reference - reference_rho
        assert np.allclose(K @ alpha - rho, values, rtol=0, atol=slack)
        # Only points on the boundary, within the tolerance, may change sides.
        clear = np.abs(values) > slack
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
    assert np.allclose(K @ alpha - rho, K @ reference - reference_rho, atol=1e-5 * rho + SINGLE)


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


def test_moved_points_have_the_same_svm(rng: np.random.Generator) -> None:
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


def duality_gap(K: np.ndarray, alpha: np.ndarray, upper: np.ndarray) -> float:
    """αᵀKα less the smallest sᵀKα of any feasible s, relative: bounds how far the objective is above its minimum."""
    gradient = K @ alpha
    order = np.argsort(gradient)
    best = np.diff(np.minimum(np.cumsum(upper[order]), 1.0), prepend=0.0)
    return float((alpha @ gradient - best @ gradient[order]) / (alpha @ gradient))


@pytest.mark.parametrize("tolerance", [0.03, 0.01, 0.003])
@pytest.mark.parametrize("gamma", [0.5, 5.0, 50.0])
@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_the_gap_is_below_the_tolerance(
    shape: str, gamma: float, tolerance: float, request: pytest.FixtureRequest
) -> None:
    """With all kernel values: those beyond the cutoff that training left out do not show."""
    points = request.getfixturevalue(shape)
    alpha, _ = train(points, np.ones(len(points)), gamma, 0.02, tolerance, everywhere=False)
    upper = np.full(len(points), 1 / (0.02 * len(points)))
    assert np.isclose(alpha.sum(), 1.0, rtol=1e-12)
    assert np.all((alpha >= 0) & (alpha <= upper * (1 + 1e-12)))
    assert duality_gap(kernel(points, points, gamma), alpha, upper) <= 1.5 * tolerance


@pytest.mark.parametrize("nu", [0.005, 0.05])
def test_working_sets_reach_the_same_optimum(dense_surface: np.ndarray, nu: float) -> None:
    """A dense set: a sample is trained first, then the other points are checked; a row has many kernel values."""
    gamma, points = 2.0, dense_surface[::2]
    reference, _ = libsvm(points, gamma, nu)
    K = kernel(points, points, gamma)
    best = reference @ K @ reference
    alpha, rho = train(points, np.ones(len(points)), gamma, nu, 1e-3)
    assert best * (1 - 1e-7) <= alpha @ K @ alpha <= best * (1 + 2e-4)
    upper = np.full(len(alpha), 1 / (nu * len(alpha)))
    f = (K @ alpha - rho) / rho
    assert f[alpha < upper * (1 - 1e-9)].min() > -2e-3
    assert duality_gap(K, alpha, upper) < 1e-3


@pytest.mark.parametrize("everywhere", [False, True])
def test_rows_beyond_the_memory_limit_are_computed_again(dense_surface: np.ndarray, everywhere: bool) -> None:
    points, weights = dense_surface[::3], np.ones(2000)
    kept = train_one_class(points, weights, 5.0, 0.01, 1e-2, everywhere=everywhere)
    for row_bytes in (0, 100_000):
        anew = train_one_class(points, weights, 5.0, 0.01, 1e-2, everywhere=everywhere, row_bytes=row_bytes)
        assert np.array_equal(anew.alpha, kept.alpha)
        assert anew.rho == kept.rho
        assert anew.work["kernel_evaluations"] > kept.work["kernel_evaluations"]


@pytest.mark.parametrize("factor", [1.0, 1.2, 2.0])
def test_a_warm_start_gives_what_a_cold_one_gives(surface: np.ndarray, factor: float) -> None:
    weights = np.ones(len(surface))
    cold = train_one_class(surface, weights, 8.0, 0.05, 1e-5)
    start = train_one_class(surface, weights, 8.0 / factor, 0.05, 1e-3).alpha
    warm = train_one_class(surface, weights, 8.0, 0.05, 1e-5, start=17.0 * start)
    K = kernel(surface, surface, 8.0)
    assert warm.rho == pytest.approx(cold.rho, rel=1e-4)
    assert np.allclose(K @ warm.alpha, K @ cold.alpha, atol=1e-4 * cold.rho)
    if factor == 1.0:
        assert warm.work["row_updates"] < cold.work["row_updates"]


def test_training_repeats_bit_for_bit(dense_surface: np.ndarray) -> None:
    weights = np.ones(len(dense_surface))
    for options in ({"everywhere": True}, {"everywhere": False}, {"everywhere": False, "in_order": True}):
        one, two = (train_one_class(dense_surface, weights, 3.0, 0.01, 1e-2, **options) for _ in range(2))
        assert np.array_equal(one.alpha, two.alpha)
        assert one.work == two.work


def test_points_in_order_need_no_sort(surface: np.ndarray) -> None:
    sorted_here = train_one_class(surface, np.ones(250), 4.0, 0.02, 1e-6)
    as_given = train_one_class(surface, np.ones(250), 4.0, 0.02, 1e-6, in_order=True)
    # Near points share their weight in many ways: the function is determined, the duals are not.
    K = kernel(surface, surface, 4.0)
    assert np.allclose(K @ sorted_here.alpha, K @ as_given.alpha, atol=1e-5 * as_given.rho)
    assert as_given.rho == pytest.approx(sorted_here.rho, rel=1e-5)


@pytest.mark.parametrize(("everywhere", "evaluations", "updates"), [(False, 400_000, 6_000), (True, 6_000_000, 60_000)])
def test_counted_work(dense_surface: np.ndarray, everywhere: bool, evaluations: int, updates: int) -> None:
    """Seconds depend on the machine, counts do not: about twice what this set took when it was written."""
    svm = train_one_class(dense_surface[::2], np.ones(3000), 10.0, 0.01, 1e-2, everywhere=everywhere)
    assert 0 < svm.work["kernel_evaluations"] < evaluations
    assert 0 < svm.work["row_updates"] < updates
    assert svm.work["pair_steps"] < 1000


def product_kernel(points: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    """<g_i, g_j> / |g_i| |g_j| of Gaussians g_i = N(x_i, S_i / 2) in L2, by the identity (13)."""
    differences = points[:, None] - points
    products = normal_density(differences, 0.5 * (covariances[:, None] + covariances))
    norms = np.sqrt(np.diag(products))
    return products / norms[:, None] / norms


def flat_set(d: int, n: int = 300) -> tuple[np.ndarray, np.ndarray, float]:
    """Two thirds of the points in a plane, some noise, and the covariances of all at sigma 0.6."""
    points = np.random.default_rng(d).normal(size=(n, d))
    points[: 2 * n // 3, -1] *= 0.02
    return points, local_covariances(points, np.ones(n), points, 0.6), 0.5 / 0.6**2


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("nu", [0.01, 0.1, 0.5])
def test_full_covariances_agree_with_libsvm(d: int, nu: float) -> None:
    points, covariances, gamma = flat_set(d)
    K = product_kernel(points, covariances)
    assert np.linalg.eigvalsh(K).min() > -1e-12
    assert np.allclose(np.diag(K), 1.0)
    model = OneClassSVM(kernel="precomputed", nu=nu, tol=1e-9).fit(K)
    reference = np.zeros(len(points))
    reference[model.support_] = model.dual_coef_[0] / model.dual_coef_.sum()
    rho = -model.intercept_[0] / model.dual_coef_.sum()
    best = reference @ K @ reference
    for tolerance, dual_error in ((1e-3, 1e-4), (1e-6, 1e-6)):
        svm = train_one_class(points, np.ones(len(points)), gamma, nu, tolerance, covariances=covariances)
        alpha = svm.alpha
        assert svm.converged
        assert alpha.sum() == pytest.approx(1.0, rel=1e-9)
        assert alpha.min() >= 0
        assert alpha.max() <= (1 + 1e-9) / (nu * len(points))
        assert alpha @ K @ alpha <= best * (1 + dual_error)
        assert alpha @ K @ alpha >= best * (1 - 1e-6)
        assert svm.rho == pytest.approx(rho, rel=10 * tolerance + 1e-6)
        assert np.allclose(K @ alpha, K @ reference, rtol=0, atol=40 * tolerance * rho + SINGLE)


@pytest.mark.parametrize("d", [2, 3, 4])
@pytest.mark.parametrize("everywhere", [True, False])
def test_balls_give_the_isotropic_svm(d: int, everywhere: bool) -> None:
    points, gamma = blobs(d), 1.0
    balls = np.tile(0.5 / gamma * np.eye(d), (len(points), 1, 1))
    options = {"everywhere": everywhere}
    alpha, rho = train(points, np.ones(len(points)), gamma, 0.1, 1e-5, **options)
    same, same_rho = train(points, np.ones(len(points)), gamma, 0.1, 1e-5, covariances=balls, **options)
    K = kernel(points, points, gamma)
    assert same_rho == pytest.approx(rho, rel=1e-3)
    assert np.allclose(K @ same, K @ alpha, rtol=0, atol=1e-3 * rho)


@pytest.mark.parametrize("everywhere", [True, False])
def test_a_dense_set_with_covariances_meets_the_conditions(dense_surface: np.ndarray, everywhere: bool) -> None:
    """So large that only a working set of the points is solved for, and in single precision if the gap alone counts."""
    points, sigma, nu = dense_surface[::2], 0.3, 0.05
    n = len(points)
    covariances = local_covariances(points, np.ones(n), points, sigma)
    svm = train_one_class(points, np.ones(n), 0.5 / sigma**2, nu, 1e-2, everywhere=everywhere, covariances=covariances)
    used = svm.alpha > 0
    quarter = np.linalg.det(covariances) ** 0.25
    means = 0.5 * (covariances[:, None] + covariances[used])
    kernels = normal_density(points[:, None] - points[used], means) * quarter[:, None] * quarter[used]
    sums = (2 * np.pi) ** 1.5 * kernels @ svm.alpha[used]
    energy = svm.alpha @ sums
    gap = energy - svm.rho + np.maximum(0.0, svm.rho - sums).sum() / (nu * n)
    assert gap <= 2e-2 * energy
    if everywhere:
        free = used & (svm.alpha < 0.999 / (nu * n))
        assert np.abs(sums[free] - svm.rho).max() <= 2e-2 * svm.rho
        assert sums[~used].min() >= (1 - 2e-2) * svm.rho


def test_rows_of_covariances_that_are_not_kept(rng: np.random.Generator) -> None:
    points = rng.normal(size=(400, 3))
    arguments = points, np.ones(400), 2.0, 0.05, 1e-3
    covariances = 0.25 * random_covariances(rng, 400, 3)
    kept = train_one_class(*arguments, covariances=covariances)
    anew = train_one_class(*arguments, covariances=covariances, row_bytes=0)
    assert np.array_equal(kept.alpha, anew.alpha)
    assert kept.rho == anew.rho


def test_covariances_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="covariances: sizes"):
        train_one_class(np.zeros((3, 2)), np.ones(3), 1.0, 0.1, 1e-3, covariances=np.tile(np.eye(2), (2, 1, 1)))
