"""GMMerge: which components it keeps and adds, and that units and order do not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svgm import InputError, Mixture, estimate_scale, fit, fit_two_class, merge, merge_naive
from svgm.rigid import exp


@pytest.fixture(scope="module")
def views(dense_curve: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two views of one curve that overlap by a half."""
    return dense_curve[:1800], dense_curve[900:2700]


def fitted(*sets: np.ndarray, gamma: float = 16.0) -> tuple[Mixture, ...]:
    scale = estimate_scale(np.vstack(sets))
    return tuple(fit(points, gamma=gamma, scale=scale) for points in sets)


def brute_force(source: Mixture, target: Mixture, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 2 as it is written, component by component, for mixtures without a bias."""
    peak = (2 * np.pi * source.variance) ** (-source.dimension / 2)
    unit = peak * np.mean(source.weights)
    means, weights = list(target.means), list(target.weights)
    for mean, weight in zip(source.means, source.weights, strict=True):
        squared = ((mean - target.means) ** 2).sum(axis=1)
        delta = weight * peak - peak * target.weights @ np.exp(-squared / (2 * target.variance))
        kept = weight * max(0.0, min(1.0, t * delta / unit))
        if kept > 0:
            means.append(mean)
            weights.append(kept)
    return np.array(means), np.array(weights) / np.sum(weights)


def plain(rng: np.random.Generator, m: int, d: int = 2, variance: float = 0.02) -> Mixture:
    weights = rng.random(m) + 0.1
    return Mixture(rng.normal(size=(m, d)), variance, weights / weights.sum())


@pytest.mark.parametrize("t", [0.0, 0.5, 1.0, 3.0, 1e6])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_it_is_algorithm_2(t: float, d: int, rng: np.random.Generator) -> None:
    source, target = plain(rng, 40, d), plain(rng, 50, d)
    merged = merge(source, target, t=t)
    means, weights = brute_force(source, target, t)
    assert np.array_equal(merged.means, means)
    assert np.allclose(merged.weights, weights, rtol=1e-9, atol=1e-12)


def test_equal_biases_change_nothing(rng: np.random.Generator) -> None:
    source, target = plain(rng, 40), plain(rng, 50)
    with_bias = [Mixture(m.means, m.variance, m.weights, bias=0.3) for m in (source, target)]
    for t in (1.0, np.inf):
        assert np.allclose(merge(*with_bias, t=t).weights, merge(source, target, t=t).weights)


def test_t_of_zero_gives_the_target(views: tuple[np.ndarray, np.ndarray]) -> None:
    source, target = fitted(*views)
    merged = merge(source, target, t=0)
    assert np.array_equal(merged.means, target.means)
    assert np.allclose(merged.weights, target.weights)
    assert merged.bias == pytest.approx(target.bias)
    assert merged.l2_distance(target) <= 1e-12 * target.norm**2


def test_t_of_infinity_adds_exactly_what_the_target_lacks(views: tuple[np.ndarray, np.ndarray]) -> None:
    source, target = fitted(*views)
    merged = merge(source, target)
    lacking = source.weights / source.bias - target.kernel_sum(source.means) / target.bias > 0
    assert 0 < lacking.sum() < len(source)
    assert np.array_equal(merged.means, np.vstack([target.means, source.means[lacking]]))
    ratio = merged.weights[len(target) :] / source.weights[lacking]
    assert np.allclose(ratio, ratio[0])
    assert np.allclose(merge(source, target, t=1e9).weights, merged.weights, atol=1e-6)


def test_more_t_adds_more(views: tuple[np.ndarray, np.ndarray]) -> None:
    source, target = fitted(*views)
    added = [merge(source, target, t=t).weights[len(target) :].sum() for t in (0, 0.1, 0.5, 1, 3, 10, np.inf)]
    assert added[0] == 0
    assert np.all(np.diff(added) >= 0)
    assert added[-1] > added[2] > 0


@given(exponent=st.integers(-6, 6), t=st.sampled_from([0.3, 1.0, np.inf]), d=st.sampled_from([1, 2, 3]))
def test_the_unit_of_length_does_not_matter(exponent: int, t: float, d: int) -> None:
    generator, unit = np.random.default_rng(d), 10.0**exponent
    pair = [plain(generator, 30, d) for _ in range(2)]
    scaled = [Mixture(unit * m.means, unit**2 * m.variance, m.weights) for m in pair]
    assert np.allclose(merge(*scaled, t=t).weights, merge(*pair, t=t).weights, rtol=1e-9)


@given(seed=st.integers(0, 1000), t=st.floats(0, 20))
def test_weights_sum_to_one(seed: int, t: float) -> None:
    generator = np.random.default_rng(seed)
    merged = merge(plain(generator, 20), plain(generator, 20), t=t)
    assert merged.weights.sum() == pytest.approx(1.0)
    assert np.all(merged.weights > 0)


def test_disjoint_mixtures_keep_everything(views: tuple[np.ndarray, np.ndarray]) -> None:
    source, target = fitted(*views)
    away = source.transformed(exp([0.0, 100.0, 0.0]))
    merged = merge(away, target)
    assert len(merged) == len(source) + len(target)
    # Each surface keeps its level: f is as near zero on both as it was on each.
    for mixture, surface in ((target, target.means), (away, away.means)):
        before = mixture.kernel_sum(surface) / mixture.bias
        assert np.allclose(merged.kernel_sum(surface) / merged.bias, before, rtol=1e-9)
    plain_merge = merge(
        Mixture(away.means, away.variance, away.weights), Mixture(target.means, target.variance, target.weights)
    )
    assert len(plain_merge) == len(merged)


def test_merging_into_itself_adds_nothing(views: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> None:
    for mixture in (*fitted(*views), plain(rng, 30), plain(rng, 30, variance=1e-8)):
        again = merge(mixture, mixture)
        assert again.weights[len(mixture) :].sum() < 1e-9
        assert again.l2_distance(mixture) <= 1e-12 * mixture.norm**2


def test_two_views_give_nearly_the_whole(views: tuple[np.ndarray, np.ndarray]) -> None:
    source, target = fitted(*views)
    union = fit(np.vstack(views), gamma=16, scale=estimate_scale(np.vstack(views)))
    merged, naive = merge(source, target), merge_naive(source, target)
    assert merged.l2_distance(union) < 0.7 * naive.l2_distance(union)
    assert len(merged) < len(naive)


def test_the_decision_stays_near_zero_on_both_surfaces(views: tuple[np.ndarray, np.ndarray]) -> None:
    source, target = fitted(*views)
    merged = merge(source, target)
    for view in views:
        # Where the views meet, components overlap a little: no part is missing, and no part is counted twice.
        level = merged.decision(view) / merged.bias
        assert level.min() > -0.45
        assert np.median(np.abs(level)) < 0.05
        assert level.max() < 0.8


def test_twenty_views_do_not_fade(dense_curve: np.ndarray) -> None:
    """One region is seen once, in the first of twenty views; the rest twenty times."""
    scale = estimate_scale(dense_curve)
    rare = dense_curve[:400]
    often = dense_curve[500:2900]
    first = fit(dense_curve, gamma=16, scale=scale)
    merged = naive = first
    for k in range(20):
        view = fit(often[k % 3 :: 3], gamma=16, scale=scale)
        merged = merge(view, merged)
        naive = merge_naive(view, naive)
    middle = rare[100:300]
    before = first.density(middle).mean()
    assert naive.density(middle).mean() < 1e-2 * before  # the naive sum fades
    assert merged.density(middle).mean() > 0.7 * before
    assert merged.kernel_sum(middle).min() / merged.bias > 0.9
    assert merged.weights.sum() == pytest.approx(1.0)
    assert len(merged) < 4 * len(first)


def test_a_growing_map_keeps_all_regions(dense_curve: np.ndarray) -> None:
    scale = estimate_scale(dense_curve)
    views = [np.roll(dense_curve, -150 * k, axis=0)[:700] for k in range(20)]
    merged = fit(views[0], gamma=16, scale=scale)
    for view in views[1:]:
        merged = merge(fit(view, gamma=16, scale=scale), merged)
    level = merged.kernel_sum(dense_curve) / merged.bias
    assert level.min() > 0.5
    assert level.max() < 4.0
    union = fit(dense_curve, gamma=16, scale=scale)
    assert merged.l2_distance(union) < 0.25 * union.norm**2


def test_naive_is_the_average(rng: np.random.Generator) -> None:
    source, target = plain(rng, 5), plain(rng, 7)
    x = rng.normal(size=(30, 2))
    merged = merge_naive(source, target)
    assert np.allclose(merged.density(x), 0.5 * (source.density(x) + target.density(x)))
    assert merged.bias is None


def test_mixtures_that_do_not_fit_together(rng: np.random.Generator) -> None:
    for function in (merge, merge_naive):
        with pytest.raises(InputError, match="must have one variance"):
            function(plain(rng, 3, variance=0.1), plain(rng, 3, variance=0.2))
        with pytest.raises(InputError, match="must have the same dimension, got 2 and 3"):
            function(plain(rng, 3, 2), plain(rng, 3, 3))
    for t in (-1.0, np.nan):
        with pytest.raises(InputError, match=r"^t must"):
            merge(plain(rng, 3), plain(rng, 3), t=t)


def test_one_bias_missing(rng: np.random.Generator) -> None:
    with_bias = Mixture([[0.0, 0.0]], 0.02, [1.0], bias=0.5)
    without = plain(rng, 5)
    assert merge(with_bias, without).bias is None
    assert len(merge(without, with_bias)) >= 1


def test_components_without_weight(rng: np.random.Generator) -> None:
    target = Mixture([[0.0, 0.0], [5.0, 0.0]], 0.1, [0.0, 1.0], bias=0.5)
    source = Mixture([[0.0, 0.0], [9.0, 0.0]], 0.1, [1.0, 0.0], bias=0.5)
    merged = merge(source, target)
    assert merged.density([[0.0, 0.0]])[0] > 0
    assert merged.weights[0] == 0


def test_a_bias_of_zero() -> None:
    zero = Mixture([[0.0, 0.0]], 0.1, [1.0], bias=0.0)
    assert len(merge(zero, zero.transformed(exp([0.0, 5.0, 0.0])))) == 2


def test_signed_mixtures_merge(views: tuple[np.ndarray, np.ndarray]) -> None:
    scale = estimate_scale(np.vstack(views))
    source, target = (fit_two_class(view[::6], gamma=100, scale=scale) for view in views)
    assert np.allclose(merge(source, target, t=0).weights, target.weights, rtol=1e-12, atol=0)
    assert merge(source, target, t=0).bias == pytest.approx(target.bias)
    merged = merge(source, target)
    assert merged.signed
    assert merged.weights[merged.weights > 0].sum() == pytest.approx(1.0)
    assert len(target) < len(merged) < len(source) + len(target)
    x = views[0][:900:25]  # points that only the source has
    assert merged.kernel_sum(x).min() > 0


def test_free_space_gives_way_to_surface() -> None:
    # A wall seen from above.  Another scan saw a step on it, where the first scan inferred free space.
    x = np.linspace(0.0, 10.0, 101)
    wall = fit_two_class(np.c_[x, 0 * x], scale=0.5, gamma=1, viewpoint=[5.0, 50.0])
    step = fit_two_class(np.c_[x[40:61], 0 * x[40:61] + 1.0], scale=0.5, gamma=1, viewpoint=[5.0, 50.0])
    for merged in (merge(step, wall), merge(wall, step)):
        assert merged.decision([[5.0, 1.0]])[0] > 0
        near = np.linalg.norm(merged.means - [5.0, 1.0], axis=1) < 0.5
        assert np.all(merged.weights[near] > 0)
    assert np.allclose(merge(step, wall, t=0).weights, wall.weights, rtol=1e-12, atol=0)


def test_threads_change_nothing(dense_curve: np.ndarray) -> None:
    target = fit(dense_curve[:2000], gamma=16)
    source = fit(dense_curve[1000:], like=target)
    assert merge(source, target, threads=1) == merge(source, target, threads=3) == merge(source, target)


def plates(*centres: tuple[float, float]) -> Mixture:
    """Plates along x, of equal weight."""
    m = len(centres)
    flat = np.tile(np.diag([0.04, 0.0004]), (m, 1, 1))
    return Mixture(centres, 0.04, np.full(m, 1.0 / m), bias=10.0 / m, covariances=flat)


def test_full_covariances_keep_what_the_target_lacks() -> None:
    merged = merge(plates((0, 0), (1, 0)), plates((1, 0), (2, 0)))
    assert merged.means.tolist() == [[1, 0], [2, 0], [0, 0]]
    assert np.allclose(merged.covariances, np.diag([0.04, 0.0004]))
    assert merged.bias == pytest.approx(10.0 / 3)
    # A plate five deviations beside another is not redundant, though the isotropic component would be.
    beside = merge(plates((0.0, 0.1)), plates((0.0, 0.0)))
    assert len(beside) == 2
    round_one = merge(Mixture([[0.0, 0.1]], 0.04, [1.0]), Mixture([[0.0, 0.0]], 0.04, [1.0]), t=1.0)
    assert round_one.weights[1] < 0.2


def test_merge_with_balls_is_the_isotropic_merge(rng: np.random.Generator) -> None:
    def ball(mixture: Mixture) -> Mixture:
        shapes = mixture.full_covariances()
        return Mixture(mixture.means, mixture.variance, mixture.weights, mixture.bias, covariances=shapes)

    source, target = (Mixture(rng.random((30, 2)), 0.01, np.full(30, 1 / 30), bias=0.1) for _ in range(2))
    for t in (0.0, 0.5, np.inf):
        expected = merge(source, target, t=t)
        for pair in ((ball(source), ball(target)), (source, ball(target)), (ball(source), target)):
            merged = merge(*pair, t=t)
            assert np.array_equal(merged.means, expected.means)
            assert np.allclose(merged.weights, expected.weights, rtol=1e-9)
            assert merged.bias == pytest.approx(expected.bias, rel=1e-9)
            assert np.allclose(merged.covariances, 0.01 * np.eye(2))


def test_the_naive_sum_keeps_covariances() -> None:
    flat, ball = plates((0, 0)), Mixture([[1.0, 0.0]], 0.04, [1.0])
    both = merge_naive(flat, ball)
    assert np.allclose(both.covariances, [0.04 * np.eye(2), np.diag([0.04, 0.0004])])
    x = np.random.default_rng(0).random((20, 2))
    assert np.allclose(both.density(x), 0.5 * (flat.density(x) + ball.density(x)), rtol=1e-9)
    assert merge_naive(ball, ball).covariances is None


def test_merged_full_fits_count_surface_once(surface: np.ndarray) -> None:
    whole = fit(surface, gamma=16, covariance="full")
    again = merge(whole, whole)
    assert len(again) < 1.35 * len(whole)
    left, right = (
        fit(surface[side], like=whole, covariance="full") for side in (surface[:, 0] < 0.2, surface[:, 0] > -0.2)
    )
    merged = merge(left, right)
    assert merged.l2_distance(whole) < 0.2 * whole.norm**2
