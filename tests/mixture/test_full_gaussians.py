"""Covariances of components: which are refused, and sums in the core against plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import InputError, Mixture, _core
from svgm.mixture.full_gaussians import CONDITION, as_covariances, binary_unit, kernel_sums, log_heights, overlap_sums
from tests.mixture.full_mixtures import brute_density, brute_product, full_mixture, normal_density, random_covariances

EYE = np.eye(2)


@pytest.mark.parametrize(
    ("covariances", "message"),
    [
        ([EYE], r"shape \(2, 2, 2\), one a component, got shape \(1, 2, 2\)"),
        ([EYE, [[1.0, np.nan], [np.nan, 1.0]]], r"finite.*1 of 2 are not, the first is number 1"),
        ([EYE, np.zeros((2, 2))], "largest entries from"),
        ([[[1.0, 0.5], [0.4, 1.0]], EYE], "symmetric.*the first is number 0"),
        ([EYE, [[1.0, 2.0], [2.0, 1.0]]], "positive definite, their eigenvalues within a factor 1e"),
        ([EYE, [[1.0, 1.0], [1.0, 1.0]]], "positive definite"),
        ([EYE, np.diag([1.0, 0.5 / CONDITION])], "positive definite"),
        ([EYE, 1e-160 * EYE], "fit the variance"),
        ([[["a", "b"], ["c", "d"]]] * 2, "real numbers"),
        (3.0, "shape"),
    ],
)
def test_wrong_covariances_are_refused(covariances: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Mixture(np.zeros((2, 2)), 1.0, [0.5, 0.5], covariances=covariances)


def test_covariances_are_symmetric_to_the_last_bit(rng: np.random.Generator) -> None:
    covariances = random_covariances(rng, 20, 3) * (1.0 + 1e-12 * rng.normal(size=(20, 3, 3)))
    checked = as_covariances(covariances, np.zeros((20, 3)), 1.0)
    assert np.array_equal(checked, checked.swapaxes(1, 2))
    assert np.allclose(checked, covariances, rtol=1e-9, atol=1e-12)


def test_heights_are_those_of_the_determinant(rng: np.random.Generator) -> None:
    covariances = random_covariances(rng, 9, 4)
    assert np.allclose(log_heights(covariances, 0.3), np.log(0.3**2 / np.sqrt(np.linalg.det(covariances))), rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("m", [1, 16, 17, 150])
def test_sums_are_the_formulas(d: int, m: int, rng: np.random.Generator) -> None:
    p, q = full_mixture(rng, m, d), full_mixture(rng, 40, d, sigma=0.8)
    x = rng.normal(size=(60, d))
    peak = (2 * np.pi * p.variance) ** (-d / 2)
    arguments = p.means, p.covariances, p.weights, p.variance
    sums = kernel_sums(*arguments, x, 27.6, 1)
    heights = np.exp(log_heights(p.full_covariances(), p.variance)).max()
    assert np.allclose(sums * peak, brute_density(p, x), rtol=1e-10, atol=2e-12 * heights * peak)
    assert np.array_equal(sums, kernel_sums(*arguments, x, 27.6, 4))
    overlaps = overlap_sums((p.means, p.covariances), (q.means, q.covariances), p.weights, 1.0, 27.6, 1)
    product = (2 * np.pi) ** (-d / 2) * q.weights @ overlaps
    assert product == pytest.approx(brute_product(p, q), rel=1e-9)
    again = overlap_sums((p.means, p.covariances), (q.means, q.covariances), p.weights, 1.0, 27.6, 4)
    assert np.array_equal(overlaps, again)


def test_far_pairs_are_left_out_below_their_bound(rng: np.random.Generator) -> None:
    """Of many thin plates most are far from a query.  What they add is below exp(-cutoff) of their peak."""
    m, cutoff = 3000, 9.0
    covariances = 1e-3 * random_covariances(rng, m, 3, 0.03)
    means, x, weights = rng.random((m, 3)), rng.random((200, 3)), np.full(m, 1.0 / m)
    sums = _core.full_transform(means, covariances, weights, x, None, cutoff, 1)
    kernels = np.stack([normal_density(x - mean, c) for mean, c in zip(means, covariances, strict=True)], axis=1)
    peaks = np.linalg.det(2 * np.pi * covariances) ** -0.5
    exact, near = kernels @ weights, np.where(kernels >= np.exp(-cutoff) * peaks, kernels, 0.0) @ weights
    assert np.allclose((2 * np.pi) ** -1.5 * sums, near, rtol=1e-9, atol=1e-12 * exact.max())
    assert (near < exact).any()


def test_the_unit_of_sums_changes_no_digit() -> None:
    for variance in (1e-300, 0.3, 1.0, 7e200):
        unit = binary_unit(variance)
        assert 0.7 < np.sqrt(variance) / unit < 1.42
        assert np.frexp(unit)[0] == 0.5


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="sizes"):
        _core.full_transform(np.zeros((2, 2)), np.zeros((1, 2, 2)), np.ones(2), np.zeros((1, 2)), None, 9.0, 1)
    with pytest.raises(ValueError, match="sizes"):
        _core.full_transform(np.zeros((1, 2)), np.eye(2)[None], np.ones(1), np.zeros((2, 2)), np.eye(2)[None], 9.0, 1)
    assert not len(_core.full_transform(np.zeros((1, 2)), np.eye(2)[None], np.ones(1), np.zeros((0, 2)), None, 9.0, 2))
