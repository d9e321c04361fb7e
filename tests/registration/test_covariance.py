"""The covariance of a pose: against repeated samplings, units, frames, and shapes that hold a pose badly."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Annealing, Mixture, Status, register
from svgm.registration.covariance import _blocks
from svgm.rigid import adjoint, apply, exp, invert, log


def samples(curve: np.ndarray, rng: np.random.Generator, n: int = 120, noise: float = 0.03) -> np.ndarray:
    return curve[rng.integers(0, len(curve), size=n)] + noise * rng.normal(size=(n, 2))


@pytest.mark.parametrize("dimension", [2, 3])
def test_blocks_lose_nothing(dimension: int, rng: np.random.Generator) -> None:
    """Also where all places of a cell are nearer to the centres of its neighbours."""
    for _ in range(20):
        places, pulls = rng.uniform(0.0, 6.0, (300, dimension)), rng.normal(size=(300, 3))
        centres, sums, products = _blocks(places, pulls, np.einsum("bi,bj->bij", pulls, pulls), 1.0)
        assert len(centres) == len(sums) == len(products)
        assert np.allclose(sums.sum(axis=0), pulls.sum(axis=0))
        assert np.allclose(products.sum(axis=0), pulls.T @ pulls)


@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_symmetric_and_positive(shape: str, request: pytest.FixtureRequest, rng: np.random.Generator) -> None:
    points = request.getfixturevalue(shape)
    result = register(points, points + 0.02 * rng.normal(size=points.shape))
    covariance = result.covariance
    assert covariance.shape == ((3, 3) if points.shape[1] == 2 else (6, 6))
    assert np.array_equal(covariance, covariance.T)
    assert np.linalg.eigvalsh(covariance).min() > 0
    assert np.allclose(result.information, np.linalg.inv(covariance), rtol=1e-4)


def test_predicted_spread_is_the_observed_one(dense_curve: np.ndarray, rng: np.random.Generator) -> None:
    """xi = log(T⁻¹ T_true) over 40 samplings of one shape: its spread is predicted within a factor of 2."""
    T_true = exp([0.15, 0.1, -0.1])
    errors, predicted = [], []
    for _ in range(40):
        result = register(samples(dense_curve, rng), apply(T_true, samples(dense_curve, rng)))
        errors.append(log(invert(result.transformation) @ T_true))
        predicted.append(np.diag(result.covariance))
    observed = np.sqrt(np.mean(np.square(errors), axis=0))
    ratio = np.sqrt(np.median(predicted, axis=0)) / observed
    assert np.all((ratio > 1 / 2) & (ratio < 2)), ratio


def test_more_points_are_surer(dense_curve: np.ndarray, rng: np.random.Generator) -> None:
    spreads = []
    for n in (60, 960):
        result = register(samples(dense_curve, rng, n), samples(dense_curve, rng, n))
        spreads.append(np.sqrt(np.diag(result.covariance)))
    assert np.all(spreads[1] < 0.6 * spreads[0])


def test_a_line_is_loose_along_itself(rng: np.random.Generator) -> None:
    line = np.c_[np.linspace(0.0, 1.0, 200), np.zeros(200)]
    for angle in (0.0, 0.7):
        R = exp([angle, 0.0, 0.0])
        source, target = (apply(R, line) + 0.002 * rng.normal(size=line.shape) for _ in range(2))
        covariance = register(source, target).covariance[1:, 1:]
        along, across = R[:2, 0], R[:2, 1]
        assert along @ covariance @ along > 10 * (across @ covariance @ across)


def test_a_plane_is_loose_in_itself(rng: np.random.Generator) -> None:
    source, target = (np.c_[rng.uniform(-1, 1, size=(400, 2)), 0.01 * rng.normal(size=400)] for _ in range(2))
    spread = np.sqrt(np.diag(register(source, target).covariance))
    assert min(spread[3:5]) > 5 * spread[5]  # slides in the plane, not out of it
    assert spread[2] > 5 * max(spread[:2])  # turns in the plane


def test_a_ring_turns_freely(rng: np.random.Generator) -> None:
    angle = np.linspace(0.0, 2 * np.pi, 200, endpoint=False)
    ring = np.c_[np.cos(angle), np.sin(angle)]
    source, target = (ring + 0.01 * rng.normal(size=ring.shape) for _ in range(2))
    spread = np.sqrt(np.diag(register(source, target).covariance))
    assert spread[0] > 10 * max(spread[1:])


@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_a_change_of_the_sources_frame_is_the_adjoint(shape: str, request: pytest.FixtureRequest) -> None:
    """T_true = T Exp(xi) and a source moved by A: T A⁻¹ Exp(A xi), so the covariance turns by the adjoint of A."""
    points = request.getfixturevalue(shape)
    d = points.shape[1]
    target = points + 0.02 * np.random.default_rng(2).normal(size=points.shape)
    A = np.eye(d + 1)
    A[:d, d] = np.array([3.0, -2.0, 1.0])[:d]  # a shift: the SVMs are the same, so the covariances are too
    one = register(points, target).covariance
    other = register(apply(A, points), target, init=invert(A)).covariance
    assert np.allclose(other, adjoint(A) @ one @ adjoint(A).T, rtol=1e-5, atol=1e-8 * np.abs(other).max())
    turn = exp(np.r_[np.full(len(one) - d, 0.5), np.ones(d)])
    turned = register(apply(turn, points), target, init=invert(turn)).covariance
    expected = adjoint(turn) @ one @ adjoint(turn).T
    assert np.allclose(turned, expected, atol=0.1 * np.abs(expected).max())


def test_a_change_of_the_targets_frame_changes_nothing(curve: np.ndarray) -> None:
    target = curve + 0.02 * np.random.default_rng(2).normal(size=curve.shape)
    A = exp([0.0, 30.0, -20.0])
    one, other = register(curve, target).covariance, register(curve, apply(A, target), init=A).covariance
    assert np.allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize("shape", ["dense_curve", "dense_surface"])
def test_source_and_target_count_alike(shape: str, request: pytest.FixtureRequest, rng: np.random.Generator) -> None:
    """T_true⁻¹ = T⁻¹ Exp(-Ad(T) xi): the other way round, the covariance is that seen through T, few points or many."""
    points = request.getfixturevalue(shape)
    few, many = points[rng.permutation(len(points))[:80]], points[rng.permutation(len(points))[:400]]
    one, other = (register(*both, search="local") for both in ((few, many), (many, few)))
    T = one.transformation
    assert np.allclose(invert(other.transformation), T, atol=1e-4)
    expected = adjoint(T) @ one.covariance @ adjoint(T).T
    assert np.allclose(other.covariance, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


def test_disjoint_sets_hold_nothing(curve: np.ndarray) -> None:
    result = register(curve, curve, init=exp([0.0, 1e5, 0.0]), search="local")
    assert result.status is Status.DISJOINT
    assert np.diag(result.covariance).min() > 1.0


def test_a_line_in_3d_turns_freely_about_itself(rng: np.random.Generator) -> None:
    line = np.c_[np.linspace(0.0, 1.0, 100), np.zeros((100, 2))]
    spread = np.sqrt(np.diag(register(line, line).covariance))
    assert spread[0] > 10 * max(spread[1:3])


@pytest.mark.parametrize("seed", range(20, 32))
def test_never_negative_where_hardly_anything_holds_the_pose(seed: int) -> None:
    rng = np.random.default_rng(seed)
    source, direction = rng.normal(size=(3, 2)), rng.normal(size=2)
    target = Mixture(np.outer(rng.normal(size=3), direction), 1e-6, np.full(3, 1 / 3))
    result = register(source, target, init=exp(rng.normal(size=3)), annealing=Annealing(2.0, 4.0))
    covariance = result.central_covariance
    assert np.linalg.eigvalsh(covariance).min() >= -1e-12 * np.abs(covariance).max()
