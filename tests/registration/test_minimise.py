"""The trust-region step against brute force, and Newton's method on poses."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from svgm import fit
from svgm._core import moved, trust_region_step
from svgm.registration.minimise import minimise
from svgm.registration.objective import Objective
from svgm.rigid import exp, log, pose_error, rotation_exp, rotation_log


def model(g: np.ndarray, H: np.ndarray, s: np.ndarray) -> np.ndarray:
    return s @ g + 0.5 * np.einsum("...i,ij,...j->...", s, H, s)


def brute_minimum(g: np.ndarray, H: np.ndarray, radius: float) -> float:
    """The least value of the model in the ball, by bisection on the multiplier, far finer than the code under test."""
    eigenvalues, vectors = np.linalg.eigh(H)
    c = vectors.T @ g
    if eigenvalues[0] > 0 and np.linalg.norm(c / eigenvalues) <= radius:
        return float(-0.5 * (c**2 / eigenvalues).sum())
    low, high = max(0.0, -eigenvalues[0]), max(0.0, -eigenvalues[0]) + np.linalg.norm(g) / radius + 1.0
    floor = low
    for _ in range(300):
        middle = 0.5 * (low + high)
        with np.errstate(divide="ignore", invalid="ignore"):
            length = np.linalg.norm(np.where(c != 0, c / (eigenvalues + middle), 0.0))
        low, high = (middle, high) if length > radius else (low, middle)
    shifted = eigenvalues + high
    step = np.where(c != 0, -c / np.where(shifted > 0, shifted, 1.0), 0.0)
    if high - floor < 1e-14 * max(1.0, floor):  # the hard case: fill up along the lowest direction
        step[0] = 0.0
        step[0] = np.sqrt(max(0.0, radius**2 - step @ step))
    return float(c @ step + 0.5 * eigenvalues @ step**2)


@pytest.mark.parametrize("k", [3, 6])
@pytest.mark.parametrize("kind", ["convex", "indefinite", "concave"])
@pytest.mark.parametrize("radius", [1e-3, 0.1, 1.0, 100.0])
def test_step_is_the_minimiser_in_the_ball(k: int, kind: str, radius: float, rng: np.random.Generator) -> None:
    for _ in range(10):
        V = np.linalg.qr(rng.normal(size=(k, k)))[0]
        sign = {"convex": 1.0, "concave": -1.0, "indefinite": np.sign(rng.normal(size=k))}[kind]
        H = V @ np.diag(sign * 10.0 ** rng.uniform(-2, 2, size=k)) @ V.T
        g = rng.normal(size=k) * 10.0 ** rng.uniform(-2, 2)
        step, predicted = trust_region_step(g, H, radius)
        assert np.linalg.norm(step) <= radius * 1.02
        assert predicted == pytest.approx(-model(g, H, step), rel=1e-9, abs=1e-12)
        assert predicted >= -0.98 * brute_minimum(g, H, radius)
        ball = rng.normal(size=(2000, k))
        ball *= (radius * rng.random(2000) ** (1 / k) / np.linalg.norm(ball, axis=1))[:, None]
        assert predicted >= -0.98 * model(g, H, ball).min()


@pytest.mark.parametrize("part", [0.0, 1e-14, 1e-9])
def test_hard_case(part: float) -> None:
    """No gradient along the negative direction: the step must still go along it."""
    g, H = np.array([part, 0.3, 0.0]), np.diag([-2.0, 1.0, 3.0])
    step, predicted = trust_region_step(g, H, 1.0)
    assert np.linalg.norm(step) == pytest.approx(1.0, rel=0.05)
    assert abs(step[0]) > 0.9
    assert predicted >= -0.95 * brute_minimum(g, H, 1.0)


def test_hard_case_with_a_long_first_part() -> None:
    g, H = np.array([0.0, 2.4, 0.0]), np.diag([-2.0, 1.0, 3.0])  # (H + 2)^-1 g is 0.8 long
    _, predicted = trust_region_step(g, H, 1.0)
    assert predicted >= -0.95 * brute_minimum(g, H, 1.0)


def test_no_gradient_at_all() -> None:
    zero = np.zeros(3)
    step, predicted = trust_region_step(zero, np.diag([-1.0, 2.0, 3.0]), 0.5)
    assert np.allclose(np.abs(step), [0.5, 0, 0])
    assert predicted == pytest.approx(0.125)
    for hessian in (np.zeros((3, 3)), np.eye(3)):
        step, predicted = trust_region_step(zero, hessian, 0.5)
        assert not step.any()
        assert predicted == 0


def test_flat_directions_are_bounded() -> None:
    step, _ = trust_region_step(np.array([1.0, 0.0, 0.0]), np.diag([0.0, 1.0, 2.0]), 0.25)
    assert np.allclose(step, [-0.25, 0, 0], rtol=0.02)


def test_starts_that_meet_become_one(surface: np.ndarray) -> None:
    starts = np.concatenate([exp(0.05 * np.eye(6)), exp([[0.0, 0, 0, 50.0, 0, 0]])])
    answer = minimise(objective(surface), starts, **SETTINGS, same=0.01)
    assert answer.given_up.sum() == 5
    left = answer.poses[~answer.given_up]
    assert np.linalg.norm(log(left), axis=1).min() < 1e-6  # the minimum is still there
    assert not minimise(objective(surface), starts, **SETTINGS).given_up.any()


def test_any_function_will_do() -> None:
    """A callable of Python's: the squared distance from a pose, whose step is known."""
    goal = exp([0.3, -0.2, 0.1, 1.0, 2.0, 3.0])

    def function(poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        shift = poses[:, :3, 3] - goal[:3, 3]
        gradients = np.concatenate([np.zeros_like(shift), shift], axis=1)
        return 0.5 * (shift**2).sum(axis=1), gradients, np.tile(np.diag([1.0] * 6), (len(poses), 1, 1))

    answer = minimise(function, np.eye(4)[None], **{**SETTINGS, "max_radius": 10.0})
    assert np.allclose(answer.poses[0, :3, 3], goal[:3, 3])
    with pytest.raises(ValueError, match="wrong number"):
        minimise(lambda poses: (np.zeros(7),) * 3, np.eye(4)[None], **SETTINGS)


def objective(points: np.ndarray) -> Objective:
    mixture = fit(points, gamma=4)
    return Objective(mixture, mixture)


SETTINGS = {"radius": 0.2, "max_radius": 0.4, "step_tolerance": 1e-9, "max_iterations": 100}


@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_batch_equals_one_by_one(shape: str, request: pytest.FixtureRequest, rng: np.random.Generator) -> None:
    points = request.getfixturevalue(shape)
    d = points.shape[1]
    starts = exp(0.3 * rng.normal(size=(6, d * (d + 1) // 2)))
    together = minimise(objective(points), starts, **SETTINGS)
    assert together.converged.all()
    for i, start in enumerate(starts):
        alone = minimise(objective(points), start[None], **SETTINGS)
        assert np.allclose(alone.poses[0], together.poses[i], atol=1e-9)
        assert alone.values[0] == pytest.approx(together.values[i], rel=1e-12)
        assert np.allclose(alone.hessians[0], together.hessians[i], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_convergence_is_quadratic(shape: str, request: pytest.FixtureRequest) -> None:
    points = request.getfixturevalue(shape)
    d = points.shape[1]
    start = exp(np.full(d * (d + 1) // 2, 0.03))[None]
    errors = []
    for iterations in range(1, 6):
        answer = minimise(objective(points), start, **{**SETTINGS, "max_iterations": iterations})
        errors.append(np.linalg.norm(log(answer.poses[0])))
    # Newton: every step squares the error, up to a constant, until rounding.
    for before, after in itertools.pairwise(errors):
        assert after < max(20 * before**2, 1e-9)
    assert errors[3] < 1e-8


def test_the_start_is_not_changed_and_values_go_down(surface: np.ndarray) -> None:
    starts = exp(np.full((1, 6), 0.2))
    kept = starts.copy()
    function = objective(surface)
    answer = minimise(function, starts, **SETTINGS)
    assert np.array_equal(starts, kept)
    assert answer.values[0] < function(starts)[0][0]
    assert np.allclose(answer.values, function(answer.poses)[0])


@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_no_step_goes_up_and_none_is_longer_than_allowed(shape: str, request: pytest.FixtureRequest) -> None:
    points = request.getfixturevalue(shape)
    d = points.shape[1]
    mixture = fit(points, gamma=16)
    function = Objective(mixture, mixture)
    # A first radius far beyond the basin: many first trials go up and must be refused.
    starts = exp(0.5 * np.random.default_rng(8).normal(size=(20, d * (d + 1) // 2)))
    for radius, max_radius in ((2.0, 2.0), (0.01, 0.05)):
        poses, values = starts, function(starts)[0]
        for iterations in range(1, 15):
            answer = minimise(
                function, starts, radius=radius, max_radius=max_radius, step_tolerance=1e-9, max_iterations=iterations
            )
            assert np.all(answer.values <= values + 1e-13)  # sums of all pairs, about 1: rounding is below
            turns = np.linalg.norm(rotation_log(answer.poses[:, :d, :d] @ np.swapaxes(poses[:, :d, :d], 1, 2)), axis=1)
            shifts = np.linalg.norm(answer.poses[:, :d, d] - poses[:, :d, d], axis=1)
            assert np.hypot(turns, shifts).max() <= 1.02 * max_radius
            poses, values = answer.poses, answer.values


def test_iterations_are_bounded(surface: np.ndarray) -> None:
    answer = minimise(objective(surface), exp(np.full((1, 6), 0.3)), **{**SETTINGS, "max_iterations": 2})
    assert not answer.converged[0]
    assert answer.iterations[0] == 2


@pytest.mark.parametrize("d", [2, 3])
def test_a_rotation_stays_one_after_many_steps(d: int, rng: np.random.Generator) -> None:
    T = np.eye(d + 1)
    for _ in range(5000):
        T = moved(T, rng.normal(size=d * (d + 1) // 2))
    R = T[:d, :d]
    assert np.abs(R @ R.T - np.eye(d)).max() < 1e-12


def test_moved_turns_on_the_left_and_adds(rng: np.random.Generator) -> None:
    T, step = exp(rng.normal(size=6)), rng.normal(size=6)
    T2 = moved(T, step)
    assert np.allclose(T2[:3, :3], rotation_exp(step[:3], 3) @ T[:3, :3])
    assert np.allclose(T2[:3, 3], T[:3, 3] + step[3:])
    assert pose_error(T2, T)[0] == pytest.approx(np.linalg.norm(rotation_log(rotation_exp(step[:3], 3))))
