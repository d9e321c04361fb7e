"""register: it finds the motion, whatever the frame, the unit, the order and the number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svgm import Annealing, InputError, Mixture, Status, fit, fit_two_class, kde, prepare, register
from svgm.mixture.multiscale import Multiscale
from svgm.rigid import apply, exp, invert, pose_error

MOTION = {2: exp([0.4, 0.3, -0.2]), 3: exp([0.3, -0.2, 0.25, 0.2, 0.1, -0.3])}

#: How far answers may differ when only the frame does: the grid that thins the points turns with their principal axes,
#: but the SVM that is trained on it is only good to its tolerance.
FRAME = {2: (1e-3, 1e-3), 3: (5e-3, 3e-3)}


def noisy_pair(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    d = points.shape[1]
    noise = 0.02 * np.random.default_rng(11).normal(size=points.shape)
    return points, apply(MOTION[d], points) + noise


@pytest.fixture(scope="module", params=["curve", "surface"])
def pair(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray]:
    """A shape and its moved copy with noise."""
    return noisy_pair(request.getfixturevalue(request.param))


@pytest.fixture(scope="module")
def answer(pair: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    return register(*pair).transformation


def close(T: np.ndarray, reference: np.ndarray, rotation: float, translation: float) -> bool:
    errors = pose_error(T, reference)
    return errors[0] <= rotation and errors[1] <= translation


# It finds the motion


@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_an_exact_copy(shape: str, request: pytest.FixtureRequest) -> None:
    points = request.getfixturevalue(shape)
    T = MOTION[points.shape[1]]
    result = register(points, apply(T, points))
    assert result.converged
    assert close(result.transformation, T, 1e-3, 1e-3)
    assert result.objective < -0.99


@pytest.mark.parametrize("angle", [-1.4, -0.7, 1.0, 1.5])
def test_large_turns_in_2d(curve: np.ndarray, angle: float) -> None:
    T = exp([angle, 0.5, -0.5])
    assert close(register(curve, apply(T, curve)).transformation, T, 1e-3, 2e-3)


@pytest.mark.parametrize("axis", np.eye(3).tolist())
def test_large_turns_in_3d(surface: np.ndarray, axis: list[float]) -> None:
    T = exp(np.r_[0.8 * np.array(axis), 0.3, 0.0, -0.3])
    assert close(register(surface, apply(T, surface)).transformation, T, 2e-3, 2e-3)


def test_noise(pair: tuple[np.ndarray, np.ndarray], answer: np.ndarray) -> None:
    assert close(answer, MOTION[pair[0].shape[1]], 0.03, 0.03)


def test_outliers(pair: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> None:
    source, target = pair
    d = source.shape[1]
    junk = rng.uniform(-2.5, 2.5, size=(len(target) // 5, d))
    result = register(source, np.vstack([target, junk]))
    assert close(result.transformation, MOTION[d], 0.06, 0.06)


def test_occlusion(dense_curve: np.ndarray) -> None:
    source = dense_curve[::15]
    target = apply(MOTION[2], source)
    seen = target[target[:, 0] < np.quantile(target[:, 0], 0.75)]
    assert close(register(source, seen).transformation, MOTION[2], 0.03, 0.03)


def test_different_samplings(dense_surface: np.ndarray, rng: np.random.Generator) -> None:
    one, other = (dense_surface[rng.permutation(6000)[:600]] for _ in range(2))
    assert close(register(one, apply(MOTION[3], other)).transformation, MOTION[3], 0.04, 0.03)


def test_itself(pair: tuple[np.ndarray, np.ndarray]) -> None:
    for points in pair:
        result = register(points, points)
        assert close(result.transformation, np.eye(points.shape[1] + 1), 1e-7, 1e-7)
        assert result.objective == pytest.approx(-1.0, abs=1e-6)


def test_the_other_way_round_is_the_inverse(pair: tuple[np.ndarray, np.ndarray], answer: np.ndarray) -> None:
    back = register(pair[1], pair[0]).transformation
    assert close(back @ answer, np.eye(len(answer)), 1e-4, 1e-4)


# Invariances


@settings(max_examples=6)
@given(
    turn=st.lists(st.floats(-3, 3), min_size=3, max_size=3), shift=st.lists(st.floats(-50, 50), min_size=3, max_size=3)
)
@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_moving_both_sets(shape: str, request: pytest.FixtureRequest, turn: list[float], shift: list[float]) -> None:
    source, target = noisy_pair(request.getfixturevalue(shape))
    d = source.shape[1]
    A = exp(np.r_[turn[: d * (d - 1) // 2], shift[:d]])
    T = register(source, target).transformation
    moved = register(apply(A, source), apply(A, target)).transformation
    assert close(invert(A) @ moved @ A, T, *FRAME[d])


@settings(max_examples=6)
@given(exponent=st.integers(-6, 6))
@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_the_unit_of_length(shape: str, request: pytest.FixtureRequest, exponent: int) -> None:
    source, target = noisy_pair(request.getfixturevalue(shape))
    d, unit = source.shape[1], 10.0**exponent
    one, other = register(source, target), register(unit * source, unit * target)
    assert np.allclose(other.rotation, one.rotation, atol=1e-9)
    assert np.allclose(other.translation, unit * one.translation, atol=1e-9 * unit)
    assert other.objective == pytest.approx(one.objective, rel=1e-9)
    lengths = np.r_[np.ones(len(one.covariance) - d), np.full(d, unit)]
    assert np.allclose(other.covariance, one.covariance * np.outer(lengths, lengths), rtol=1e-6, atol=0)
    assert [stage.sigma for stage in other.stages] == pytest.approx([unit * stage.sigma for stage in one.stages])


@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_far_from_the_origin(pair: tuple[np.ndarray, np.ndarray], answer: np.ndarray, offset: float) -> None:
    source, target = pair
    d = source.shape[1]
    A = np.eye(d + 1)
    A[:d, d] = offset * np.array([1.0, -1.0, 0.5])[:d]
    moved = register(apply(A, source), apply(A, target)).transformation
    assert close(invert(A) @ moved @ A, answer, 1e-8, 1e-7)


def test_sets_that_start_far_apart(pair: tuple[np.ndarray, np.ndarray], answer: np.ndarray) -> None:
    """Without an overlap at identity, an init that brings them together is needed, and is enough."""
    source, target = pair
    d = source.shape[1]
    A = np.eye(d + 1)
    A[:d, d] = 1e6
    moved = register(source, apply(A, target), init=A).transformation
    assert close(invert(A) @ moved, answer, *FRAME[d])


@settings(max_examples=4)
@given(seed=st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("shape", ["curve", "surface"])
def test_the_order_of_points(shape: str, request: pytest.FixtureRequest, seed: int) -> None:
    source, target = noisy_pair(request.getfixturevalue(shape))
    generator = np.random.default_rng(seed)
    shuffled = register(generator.permutation(source), generator.permutation(target)).transformation
    assert close(shuffled, register(source, target).transformation, 1e-6, 1e-6)


@pytest.mark.parametrize("copies", [2, 5])
def test_duplicated_points(pair: tuple[np.ndarray, np.ndarray], answer: np.ndarray, copies: int) -> None:
    source, target = pair
    both = register(np.repeat(source, copies, axis=0), np.tile(target, (copies, 1))).transformation
    # sigma-hat of eq. (3) divides by n - 1, so copies make it a little smaller.
    assert close(both, answer, *FRAME[source.shape[1]])
    one = register(source, np.tile(target, (copies, 1))).transformation
    assert close(one, answer, *FRAME[source.shape[1]])


def test_init_is_moving_the_source_first(pair: tuple[np.ndarray, np.ndarray]) -> None:
    source, target = pair
    d = source.shape[1]
    A = exp(np.r_[np.full(d * (d - 1) // 2, 0.2), np.full(d, 0.3)])
    given_init = register(source, target, init=A).transformation
    moved_first = register(apply(A, source), target).transformation @ A
    assert close(given_init, moved_first, *FRAME[d])


def test_init_near_the_truth(pair: tuple[np.ndarray, np.ndarray], answer: np.ndarray) -> None:
    d = pair[0].shape[1]
    near = MOTION[d] @ exp(np.full(d * (d + 1) // 2, 0.02))
    for annealing in (Annealing(), None):
        result = register(*pair, init=near.tolist(), gamma=10.0, annealing=annealing)
        assert close(result.transformation, MOTION[d], 0.05, 0.05)
    assert close(register(*pair, init=near).transformation, answer, 1e-4, 1e-4)


# Mixtures, files and other representations


def test_mixtures_and_files(pair: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    source, target = pair
    truth = MOTION[source.shape[1]]
    mixtures = fit(source, gamma=16), fit(target, gamma=16)
    result = register(*mixtures)
    assert close(result.transformation, truth, 0.05, 0.05)
    mixtures[0].save(tmp_path / "source.npz")
    np.save(tmp_path / "target.npy", target)
    again = register(tmp_path / "source.npz", mixtures[1])
    assert np.array_equal(again.transformation, result.transformation)
    mixed = register(str(tmp_path / "source.npz"), tmp_path / "target.npy")
    assert np.array_equal(mixed.transformation, register(mixtures[0], target).transformation)
    assert close(mixed.transformation, truth, 0.05, 0.05)


def test_a_ready_mixture_is_trained_anew_where_it_is_too_fine(curve: np.ndarray) -> None:
    mixture = fit(curve, gamma=30)
    stages = register(mixture, mixture, covariance="isotropic").stages
    assert stages[0].components[0] < 0.5 * len(mixture)
    assert stages[-1].components == (len(mixture), len(mixture))
    assert stages[-1].sigma == pytest.approx(mixture.sigma, rel=0.34)  # levels are half a decade of gamma apart


def test_kde_and_signed_mixtures(curve: np.ndarray) -> None:
    target = apply(MOTION[2], curve)
    assert close(register(kde(curve, gamma=16), kde(target, gamma=16)).transformation, MOTION[2], 0.01, 0.01)
    signed = fit_two_class(curve, gamma=30), fit_two_class(target, gamma=30)
    assert close(register(*signed).transformation, MOTION[2], 0.02, 0.02)


def _counted(train: Callable[..., Mixture], trained: list[float]) -> Callable[..., Mixture]:
    def counted(self: Multiscale, sigma: float, *rest: float) -> Mixture:
        trained.append(sigma)
        return train(self, sigma, *rest)

    return counted


def test_a_prepared_set_is_trained_once(pair: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = pair
    fresh = register(source, prepare(target), search="local")
    prepared = prepare(target)
    assert close(register(source, prepared).transformation, MOTION[source.shape[1]], 0.03, 0.03)
    trained: list[float] = []
    for name in ("fit", "fit_full"):
        monkeypatch.setattr(Multiscale, name, _counted(getattr(Multiscale, name), trained))
    again = register(source, prepared, search="local")
    finer = 1 if source.shape[1] == 2 else 0  # in 2D one level beyond the points' spacing is tried
    assert len(trained) == len(again.stages) + finer  # the source's alone
    assert np.array_equal(again.transformation, fresh.transformation)
    # Another source, another scale: the target is still met at the same sigmas.
    again = register(source, prepared, search="local", covariance="isotropic")
    trained.clear()
    other = register(1.1 * source, prepared, search="local", covariance="isotropic")
    assert [stage.sigma for stage in other.stages] == [stage.sigma for stage in again.stages]
    assert len(trained) == len(other.stages)


def test_a_prepared_set_may_be_both(surface: np.ndarray) -> None:
    prepared = prepare(surface)
    assert close(register(prepared, prepared).transformation, np.eye(4), 1e-7, 1e-7)
    with pytest.raises(InputError, match=r"^nu must"):
        prepare(surface, nu=2.0)


# Bit for bit


def test_two_runs_and_any_number_of_threads(dense_surface: np.ndarray) -> None:
    source = dense_surface[::6]
    target = apply(MOTION[3], dense_surface[1::6])
    results = [register(source, target, threads=threads) for threads in (1, 1, 2, 3, None)]
    for result in results[1:]:
        assert np.array_equal(result.transformation, results[0].transformation)
        assert np.array_equal(result.covariance, results[0].covariance)
        assert result.objective == results[0].objective
        assert result.iterations == results[0].iterations


SCRIPT = """
import sys, numpy as np, svgm
source, target = np.load(sys.argv[1]), np.load(sys.argv[2])
result = svgm.register(source, target)
sys.stdout.write((result.transformation.tobytes() + result.covariance.tobytes()).hex())
"""


def test_other_processes(surface: np.ndarray, tmp_path: Path) -> None:
    source, target = noisy_pair(surface)
    np.save(tmp_path / "source.npy", source)
    np.save(tmp_path / "target.npy", target)
    here = register(source, target)
    expected = (here.transformation.tobytes() + here.covariance.tobytes()).hex()
    for seed in ("0", "1", "12345"):
        command = [sys.executable, "-c", SCRIPT, str(tmp_path / "source.npy"), str(tmp_path / "target.npy")]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        assert subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout == expected


def test_the_input_is_not_changed(pair: tuple[np.ndarray, np.ndarray]) -> None:
    source, target = (points.copy() for points in pair)
    register(source, target)
    assert np.array_equal(source, pair[0])
    assert np.array_equal(target, pair[1])


# The result


def test_the_record(pair: tuple[np.ndarray, np.ndarray]) -> None:
    calls: list[tuple[int, int]] = []
    result = register(*pair, progress=lambda phase, *call: calls.append(call))
    d = pair[0].shape[1]
    levels = len(result.stages)
    assert calls == [(level, levels) for level in range(levels + 1)]
    assert result.dimension == d
    assert np.array_equal(result.transformation[d], np.eye(d + 1)[d])
    assert np.allclose(result.rotation @ result.rotation.T, np.eye(d), atol=1e-12)
    assert np.array_equal(result.translation, result.transformation[:d, d])
    assert result.status is Status.CONVERGED
    assert np.allclose(result.information @ result.covariance, np.eye(len(result.covariance)), atol=1e-6)
    assert result.iterations >= sum(stage.iterations for stage in result.stages)
    gammas = [stage.gamma for stage in result.stages]
    assert gammas == sorted(gammas)
    sigmas = np.array([stage.sigma for stage in result.stages])
    assert np.allclose(sigmas**2 * gammas, sigmas[0] ** 2 * gammas[0])
    assert all(min(stage.components) >= 1 and stage.candidates >= 1 for stage in result.stages)
    record = result.as_dict()
    assert record["status"] == "converged"
    assert np.array_equal(record["transformation"], result.transformation)
    assert len(record["stages"]) == levels


def test_levels_follow_the_arguments(curve: np.ndarray) -> None:
    one = register(curve, curve, gamma=2.0, annealing=None)
    assert [stage.gamma for stage in one.stages] == [2.0]
    assert [stage.gamma for stage in register(curve, curve, annealing=None).stages] == [1.0]
    four = register(curve, curve, gamma=0.01, annealing=Annealing(delta=10, finest=10), covariance="isotropic")
    assert [stage.gamma for stage in four.stages] == pytest.approx([0.01, 0.1, 1.0, 10.0])


def test_disjoint_sets_say_so(curve: np.ndarray) -> None:
    result = register(curve, curve, init=exp([0.0, 1e5, 0.0]), search="local")
    assert result.status is Status.DISJOINT
    assert not result.converged
    assert np.allclose(result.transformation, exp([0.0, 1e5, 0.0]))
    assert np.abs(result.information).max() < 0.1  # ten radians or radii


def test_iterations_used_up_say_so(surface: np.ndarray) -> None:
    result = register(surface, apply(exp([0, 0, 0.3, 0, 0, 0]), surface), max_iterations=1, annealing=None)
    assert result.status is Status.MAX_ITERATIONS
    assert "iterations" in result.status.value


def test_the_record_is_frozen(curve: np.ndarray) -> None:
    result = register(curve, curve)
    for array in (result.transformation, result.central_covariance, result.stages[0].transformation):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 7.0


def test_results_can_be_compared(curve: np.ndarray) -> None:
    one, again, moved = register(curve, curve), register(curve, curve), register(curve, curve + 1e-6)
    assert one is not again
    assert one == again
    assert one != moved
    for change in ({"confidence": 0.5}, {"status": Status.DISJOINT}, {"stages": one.stages[1:]}, {"strays": (1, 0)}):
        assert replace(one, **change) != one
    assert one != one.as_dict()


# Refused


def test_refused(curve: np.ndarray, surface: np.ndarray, rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match=r"^source and target must have the same dimension, got 2 and 3"):
        register(curve, surface)
    for d in (1, 4):
        with pytest.raises(InputError, match=rf"^source must have 2 or 3 coordinates a point, got shape \(20, {d}\)$"):
            register(rng.normal(size=(20, d)), rng.normal(size=(20, d)))
    with pytest.raises(InputError, match=r"^target must be finite"):
        register(curve, [[np.nan, 0.0]])
    with pytest.raises(InputError, match=r"^source must be finite"):
        register([[np.nan, 0.0]], curve)
    with pytest.raises(InputError, match=r"^init must"):
        register(curve, curve, init=np.eye(4))
    with pytest.raises(InputError, match=r"^source must not be a single place"):
        register(Mixture([[0.0, 0.0]], 1.0, [1.0]), curve)
