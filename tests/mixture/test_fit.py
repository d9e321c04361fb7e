"""fit and kde: properties of the mixtures that they return."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import OneClassSVM

from svgm import InputError, Mixture, estimate_scale, fit, fit_two_class, kde, merge
from svgm.rigid import apply, exp


def relative_l2(a, b) -> float:
    return a.l2_distance(b) / a.norm**2


@pytest.mark.parametrize("gamma", [0.25, 1.0, 8.0])
@pytest.mark.parametrize("nu", [0.01, 0.2])
@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_fit_is_libsvm_normalised(shape: str, nu: float, gamma: float, request: pytest.FixtureRequest) -> None:
    points = request.getfixturevalue(shape)
    scale = estimate_scale(points)
    mixture = fit(points, nu=nu, gamma=gamma, thinning=0, tolerance=1e-6)
    assert mixture.variance == pytest.approx(scale**2 / gamma)
    assert mixture.gamma == pytest.approx(gamma / (2 * scale**2))
    model = OneClassSVM(nu=nu, gamma=mixture.gamma, tol=1e-6).fit(points)
    total = model.dual_coef_.sum()
    queries = np.vstack([points, 1.3 * points, 0.2 * points])
    expected = model.decision_function(queries) / total
    assert np.allclose(mixture.decision(queries), expected, atol=1e-3 * mixture.bias)


def test_weights_sum_to_one_and_are_positive(surface: np.ndarray) -> None:
    mixture = fit(surface)
    assert np.isclose(mixture.weights.sum(), 1.0, rtol=1e-12)
    assert np.all(mixture.weights > 0)
    assert mixture.bias > 0


def test_decision_separates_inliers(curve: np.ndarray) -> None:
    mixture = fit(curve, gamma=16, nu=0.01)
    assert np.mean(mixture.decision(curve) < -5e-3 * mixture.bias) <= 0.01 + 1 / len(curve)
    assert np.all(mixture.decision([[0.1, 0.1], [5.0, 5.0]]) < 0)


def test_finer_gamma_has_more_components(dense_surface: np.ndarray) -> None:
    counts = [len(fit(dense_surface, gamma=gamma)) for gamma in (0.25, 1.0, 4.0)]
    assert counts == sorted(counts)
    assert counts[0] < 60


def test_weight_zero_removes_a_point(curve: np.ndarray) -> None:
    outlier = np.vstack([curve, [[9.0, 9.0]]])
    weights = np.r_[np.ones(len(curve)), 0.0]
    scale = estimate_scale(curve)
    assert relative_l2(fit(outlier, weights=weights, scale=scale), fit(curve, scale=scale)) < 1e-5
    assert relative_l2(fit(outlier, weights=weights), fit(curve)) < 1e-4


def test_only_ratios_of_weights_matter(curve: np.ndarray, rng: np.random.Generator) -> None:
    weights = rng.random(len(curve))
    one = fit(curve, weights=weights)
    assert relative_l2(one, fit(curve, weights=1e6 * weights)) < 1e-9


def test_weights_move_the_mixture(curve: np.ndarray) -> None:
    weights = np.where(curve[:, 0] > 0, 1.0, 1e-4)
    right = fit(curve, weights=weights, nu=0.2, scale=1.0, gamma=4)
    assert right.weights[right.means[:, 0] > -0.1].sum() > 0.95  # a cell may reach across zero


@settings(max_examples=8)
@given(xi=st.lists(st.floats(-3, 3), min_size=6, max_size=6), shift=st.sampled_from([0.0, 1e3, 1e6]))
def test_a_moved_set_gives_the_moved_mixture(surface: np.ndarray, xi: list[float], shift: float) -> None:
    T = exp(xi)
    T[:3, 3] += shift
    still, moved = fit(surface, gamma=4), fit(apply(T, surface), gamma=4)
    assert moved.variance == pytest.approx(still.variance, rel=1e-6)
    assert relative_l2(still.transformed(T), moved) < 1e-4


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e6])
def test_the_unit_of_length_does_not_matter(curve: np.ndarray, unit: float) -> None:
    one, other = fit(curve, gamma=4), fit(unit * curve, gamma=4)
    assert other.sigma == pytest.approx(unit * one.sigma, rel=1e-9)
    assert other.bias == pytest.approx(one.bias, rel=1e-3)
    assert np.allclose(one.kernel_sum(curve), other.kernel_sum(unit * curve), atol=3e-3 * one.bias)


def test_permutation_and_duplication(surface: np.ndarray, rng: np.random.Generator) -> None:
    one = fit(surface, gamma=4)
    assert relative_l2(one, fit(surface[rng.permutation(len(surface))], gamma=4)) < 1e-5
    scale = estimate_scale(surface)
    assert relative_l2(one, fit(np.repeat(surface, 3, axis=0), gamma=4, scale=scale)) < 1e-4
    assert relative_l2(one, fit(np.vstack([surface, surface]), gamma=4, scale=scale, thinning=0)) < 1e-3


def test_repeats_bit_for_bit(surface: np.ndarray) -> None:
    assert fit(surface, gamma=4) == fit(surface, gamma=4)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7])
def test_any_dimension(d: int, rng: np.random.Generator) -> None:
    points = rng.normal(size=(80, d))
    mixture = fit(points, nu=0.1)
    assert mixture.dimension == d
    assert np.mean(mixture.decision(points) >= -5e-3 * mixture.bias) >= 0.85


def test_paths_are_accepted(curve: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "curve.npy", curve)
    assert fit(tmp_path / "curve.npy") == fit(curve)


def test_one_point_with_a_scale() -> None:
    mixture = fit([[1.0, 2.0]], scale=0.5)
    assert np.array_equal(mixture.means, [[1.0, 2.0]])
    assert mixture.weights == pytest.approx([1.0])
    assert mixture.decision([[1.0, 2.0]]) == pytest.approx([0.0], abs=1e-12)


@pytest.mark.parametrize("function", [fit, kde])
def test_a_sigma_beyond_all_numbers_is_refused(function: Callable[..., Mixture], curve: np.ndarray) -> None:
    with pytest.raises(InputError, match="got inf"):
        function(curve, gamma=1e-300, scale=1e300)


def test_duplicates_with_a_scale() -> None:
    mixture = fit(np.full((30, 3), 1e6), scale=2.0)
    assert np.allclose(mixture.means, 1e6)
    assert mixture.sigma == 2.0


def test_kde_is_one_gaussian_a_point(curve: np.ndarray) -> None:
    mixture = kde(curve, gamma=4)
    assert np.array_equal(mixture.means, curve)
    assert np.allclose(mixture.weights, 1 / len(curve))
    assert mixture.bias is None
    assert mixture.sigma == pytest.approx(estimate_scale(curve) / 2)
    weighted = kde(curve[:3], weights=[0, 1, 3], scale=1.0)
    assert np.allclose(weighted.weights, [0.25, 0.75])


def test_too_large_a_tolerance_is_named(curve: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"^tolerance must"):
        fit(curve, tolerance=10.0)


def test_like_gives_the_sigma_of_another_mixture(curve: np.ndarray) -> None:
    target = fit(curve, gamma=7)
    source = fit(1.3 * curve + 1.0, like=target)
    assert source.variance == target.variance
    assert source == fit(1.3 * curve + 1.0, scale=target.sigma)
    assert len(merge(source, target)) > len(target)
    assert kde(curve[:5], like=target).variance == target.variance
    assert fit_two_class(curve, like=target).variance == target.variance
    assert fit(curve[:1], like=target).means.tolist() == curve[:1].tolist()  # one point has no scale of its own


@pytest.mark.parametrize("other", [{"gamma": 1.0}, {"scale": 1.0}, {"gamma": 1.0, "scale": 1.0}])
@pytest.mark.parametrize("function", [fit, kde, fit_two_class])
def test_like_excludes_gamma_and_scale(function: Callable[..., Mixture], other: dict[str, float]) -> None:
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(InputError, match=r"^like determines sigma: it cannot be combined with gamma or scale$"):
        function(points, like=fit(points), **other)


def test_like_must_have_the_dimension_of_the_points(curve: np.ndarray, surface: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"^like must be a mixture in 2D, as the points are, got 3D"):
        fit(curve, like=fit(surface))


@pytest.fixture
def plate(rng: np.random.Generator) -> np.ndarray:
    """A plane with noise across it, and three single points far from it."""
    points = np.c_[rng.uniform(-2, 2, size=(3000, 2)), 0.01 * rng.normal(size=3000)]
    return np.vstack([points, [[0.0, 0.0, 9.0], [9.0, 0.0, 0.0], [-9.0, 5.0, 5.0]]])


def test_planes_are_flat_and_single_points_are_balls(plate: np.ndarray) -> None:
    mixture = fit(plate, scale=0.4, gamma=1, covariance="full", nu=0.001)
    values, axes = np.linalg.eigh(mixture.covariances / mixture.variance)
    far = np.linalg.norm(mixture.means, axis=1) > 5
    assert far.sum() == 3
    assert np.allclose(values[far], 1.0)
    assert (values[~far, 0] < 0.2**2).all()
    inner = np.abs(mixture.means).max(axis=1) < 1.2
    assert (values[inner, 1] > 0.85**2).all()
    assert values[~far, 1].min() > 0.5**2  # at the rim half of the window is empty
    assert (np.abs(axes[~far, 2, 0]) > 0.99).all()
    assert values.max() <= 1.0 + 1e-9


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_full_covariances_in_any_dimension(d: int, rng: np.random.Generator) -> None:
    points = rng.normal(size=(200, d))
    mixture = fit(points, nu=0.1, gamma=4, covariance="full")
    assert mixture.covariances.shape == (len(mixture), d, d)
    assert mixture.weights.sum() == pytest.approx(1.0, rel=1e-12)
    assert Mixture(mixture.means, mixture.variance, mixture.weights, covariances=mixture.covariances).norm > 0
    assert np.mean(mixture.decision(points) < 0) <= 0.1 + 2 / len(points)


@pytest.mark.parametrize("nu", [0.01, 0.2])
def test_full_inliers_and_outliers(dense_surface: np.ndarray, nu: float) -> None:
    mixture = fit(dense_surface, gamma=4, nu=nu, covariance="full", thinning=0)
    assert np.mean(mixture.decision(dense_surface) < 0) <= nu
    assert (mixture.decision(3.0 * dense_surface[:50] + 1.0) < 0).all()


def test_full_weights_are_those_of_equation_9(surface: np.ndarray) -> None:
    """The density is proportional to sum_i alpha_i exp(-½ dᵀ Σ_i⁻¹ d), where alpha are the duals of the SVM."""
    from svgm.mixture.covariances import local_covariances
    from svgm.mixture.svm import train_one_class

    sigma, weights = 0.3, np.ones(len(surface))
    covariances = local_covariances(surface, weights, surface, sigma)
    svm = train_one_class(surface, weights, 0.5 / sigma**2, 0.05, 1e-3, covariances=covariances)
    mixture = fit(surface, scale=sigma, gamma=1, nu=0.05, covariance="full", thinning=0)
    x = surface + 0.1 * sigma
    d = x[:, None] - surface
    sums = np.exp(-0.5 * (d * np.linalg.solve(covariances, d[..., None])[..., 0]).sum(axis=-1)) @ svm.alpha
    ratio = mixture.kernel_sum(x) / sums
    assert np.allclose(ratio, ratio[0], rtol=1e-9)
    assert mixture.bias <= ratio[0] * svm.rho * (1 + 1e-12)
    assert mixture.bias > 0.7 * ratio[0] * svm.rho


@pytest.mark.parametrize("xi", [(0.3, -0.8, 0.5, 1.0, 2.0, 3.0), (2.0, 0.1, -1.0, 0.0, 0.0, 50.0)])
def test_a_turned_set_gives_the_turned_full_mixture(surface: np.ndarray, xi: tuple[float, ...]) -> None:
    T = exp(xi)
    still = fit(surface, gamma=4, covariance="full")
    moved = fit(apply(T, surface), gamma=4, covariance="full")
    assert relative_l2(still.transformed(T), moved) < 1e-4


def test_the_unit_of_length_scales_covariances(curve: np.ndarray) -> None:
    one = fit(curve, gamma=16, covariance="full")
    for unit in (1e-6, 1e6):
        other = fit(unit * curve, gamma=16, covariance="full")
        assert other.sigma == pytest.approx(unit * one.sigma, rel=1e-9)
        assert np.allclose(one.kernel_sum(curve), other.kernel_sum(unit * curve), atol=1e-2 * one.bias)


def test_full_fits_repeat_bit_for_bit(surface: np.ndarray) -> None:
    assert fit(surface, gamma=4, covariance="full") == fit(surface, gamma=4, covariance="full")


@pytest.mark.parametrize("wrong", ["Full", "", None, 3])
def test_other_kinds_of_covariances_are_refused(curve: np.ndarray, wrong: object) -> None:
    with pytest.raises(InputError, match="covariance must be"):
        fit(curve, covariance=wrong)


def test_isotropic_is_the_default(curve: np.ndarray) -> None:
    assert fit(curve, covariance="isotropic") == fit(curve)
    assert fit(curve).covariances is None
