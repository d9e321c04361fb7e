"""The objective of a similarity and of an affine map: against brute force, finite differences and its limits."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Mixture
from svgm.registration.linear.objective import LinearObjective
from svgm.registration.objective import Objective
from svgm.rigid import exp


def flat(rng: np.random.Generator, count: int, d: int, spread: float = 1.0) -> Mixture:
    """A mixture with covariances of its own."""
    weights = rng.random(count) + 0.1
    roots = 0.25 * rng.normal(size=(count, d, d))
    own = roots @ np.swapaxes(roots, 1, 2) + 0.02 * np.eye(d)
    return Mixture(spread * rng.normal(size=(count, d)), 0.1, weights / weights.sum(), covariances=own)


def maps(rng: np.random.Generator, d: int, count: int = 4) -> np.ndarray:
    """Affine maps near the identity."""
    stack = np.tile(np.eye(d + 1), (count, 1, 1))
    stack[:, :d] += 0.3 * rng.normal(size=(count, d, d + 1))
    return stack


def similarities(rng: np.random.Generator, d: int, count: int = 4) -> np.ndarray:
    stack = exp(0.4 * rng.normal(size=(count, d * (d + 1) // 2)))
    stack[:, :d, :d] *= np.exp(0.4 * rng.normal(size=(count, 1, 1)))
    return stack


def overlap(a: Mixture, b: Mixture) -> float:
    """⟨a, b⟩, pair by pair."""
    c = a.covariances[:, None] + b.covariances
    e = a.means[:, None] - b.means
    squared = np.einsum("ijk,ijkl,ijl->ij", e, np.linalg.inv(c), e)
    peak = np.linalg.det(2 * np.pi * c) ** -0.5
    return float(a.weights @ (peak * np.exp(-0.5 * squared)) @ b.weights)


def moved(mixture: Mixture, T: np.ndarray) -> Mixture:
    A, t = T[:-1, :-1], T[:-1, -1]
    return Mixture(mixture.means @ A.T + t, 0.1, mixture.weights, covariances=A @ mixture.covariances @ A.T)


@pytest.mark.parametrize("d", [2, 3])
def test_value_is_minus_the_correlation_of_the_moved_source(d: int, rng: np.random.Generator) -> None:
    source, target = flat(rng, 20, d), flat(rng, 27, d)
    stack = maps(rng, d)
    values, _, _ = LinearObjective(source, target, affine=True)(stack)
    for value, T in zip(values, stack, strict=True):
        p = moved(source, T)
        assert value == pytest.approx(-overlap(p, target) / np.sqrt(overlap(p, p) * overlap(target, target)), rel=1e-9)


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("d", [2, 3])
def test_gradient_against_finite_differences(d: int, affine: bool, rng: np.random.Generator) -> None:
    function = LinearObjective(flat(rng, 20, d), flat(rng, 27, d), affine=affine)
    for T in maps(rng, d) if affine else similarities(rng, d):
        gradient = function(T[None])[1][0]
        steps = 1e-5 * np.eye(len(gradient))
        ahead = function(np.array([function.taken(T, step) for step in steps]))[0]
        behind = function(np.array([function.taken(T, -step) for step in steps]))[0]
        assert gradient == pytest.approx((ahead - behind) / 2e-5, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("d", [2, 3])
def test_hessian_of_small_components_against_finite_differences(d: int, rng: np.random.Generator) -> None:
    """The Hessian leaves out what goes with a component's size over its distance from the centre."""
    source, target = flat(rng, 20, d), flat(rng, 27, d)
    source = Mixture(source.means, 1e-4, source.weights, covariances=1e-6 * source.covariances)
    for affine in (False, True):
        function = LinearObjective(source, target, affine=affine)
        T = maps(rng, d)[0] if affine else similarities(rng, d)[0]
        hessian = function(T[None])[2][0]
        k = len(hessian)

        def at(step: np.ndarray, function: LinearObjective = function, T: np.ndarray = T) -> float:
            return float(function(function.taken(T, step)[None])[0][0])

        unit, h = np.eye(k), 1e-4
        for i in range(k):
            for j in range(i + 1):
                a, b = h * unit[i], h * unit[j]
                second = (at(a + b) - at(a - b) - at(b - a) + at(-a - b)) / (4 * h * h)
                assert hessian[i, j] == pytest.approx(second, rel=2e-3, abs=2e-3 * np.abs(hessian).max()), (
                    affine,
                    i,
                    j,
                )


@pytest.mark.parametrize("d", [2, 3])
def test_a_similarity_of_scale_one_is_a_rigid_motion(d: int, rng: np.random.Generator) -> None:
    source, target = flat(rng, 20, d), flat(rng, 27, d)
    k, turns = d * (d + 1) // 2, d * (d - 1) // 2
    poses = exp(0.4 * rng.normal(size=(4, k)))
    values, gradients, hessians = LinearObjective(source, target, affine=False)(poses)
    own, slopes, bends = Objective(source, target)(poses)
    rigid = np.r_[:turns, turns + 1 : k + 1]
    assert values == pytest.approx(own, rel=1e-10)
    assert gradients[:, rigid] == pytest.approx(slopes, rel=1e-8, abs=1e-10)
    assert hessians[:, turns + 1 :, turns + 1 :] == pytest.approx(bends[:, turns:, turns:], rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("d", [2, 3])
def test_scale_is_not_won_by_shrinking_or_growing(d: int, rng: np.random.Generator) -> None:
    """The same set at another scale is exactly as good; a point or an endless cloud is worth nothing."""
    source = flat(rng, 30, d)
    scales = np.array([1e-4, 0.05, 0.5, 0.9, 1.0, 1.1, 2.0, 20.0, 1e4])
    for true in (0.05, 1.0, 20.0):
        T = np.eye(d + 1)
        T[:d, :d] *= true
        stack = np.tile(np.eye(d + 1), (len(scales), 1, 1))
        stack[:, :d, :d] *= true * scales[:, None, None]
        values, gradients, _ = LinearObjective(source, moved(source, T), affine=True)(stack)
        assert values[4] == pytest.approx(-1.0, rel=1e-10)
        assert np.abs(gradients[4]).max() < 1e-9 / true
        assert np.argmin(values) == 4
        assert (np.diff(values[:5]) < 0).all()
        assert (np.diff(values[4:]) > 0).all()
        assert values[0] > -0.01
        assert values[-1] > -0.01


def test_a_search_is_the_same_in_single_precision(rng: np.random.Generator) -> None:
    source, target = flat(rng, 200, 3), flat(rng, 210, 3)
    stack = maps(rng, 3)
    exact, slopes, _ = LinearObjective(source, target, affine=True)(stack)
    quick, roughly, _ = LinearObjective(source, target, affine=True, search=True)(stack)
    assert quick == pytest.approx(exact, abs=2e-3)
    assert roughly == pytest.approx(slopes, abs=2e-2)
