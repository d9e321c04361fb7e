"""correlate: the translations of the highest correlation for each rotation, as a direct sum over all pairs has it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.fft

from svgm import Mixture, fit
from svgm.geometry.scale import principal_axes
from svgm.registration.search.correlation import _cells, correlate, grid_is_small
from svgm.registration.search.rotations import even_rotations
from svgm.registration.tuning import TUNING
from svgm.rigid import apply, pose, rotation_exp


def centred(points: np.ndarray, gamma: float) -> Mixture:
    mixture = fit(points - points.mean(axis=0), gamma=gamma)
    return Mixture(mixture.means - mixture.weights @ mixture.means, mixture.variance, mixture.weights)


def step_of(source: Mixture, target: Mixture) -> float:
    return TUNING.grid_step * float(np.sqrt(source.variance + target.variance))


def direct(source: Mixture, target: Mixture, poses: np.ndarray) -> np.ndarray:
    """The correlation of the mixtures' Laplacians under each pose, pair by pair, in units of the kernel at 0.

    The transform of width⁴ Δ² exp(-½ |r|²/width²) is that of the Gaussian times |k|⁴ width⁴.
    """
    d = source.dimension
    sums = []
    for T in poses:
        apart = apply(T, source.means)[:, None] - target.means[None]
        u = np.einsum("ijk,ijk->ij", apart, apart) / (source.variance + target.variance)
        kernel = (u**2 - 2.0 * (d + 2) * u + d * (d + 2)) * np.exp(-0.5 * u)
        sums.append(source.weights @ kernel @ target.weights / (d * (d + 2)))
    return np.array(sums)


@pytest.fixture(scope="module", params=["curve", "surface"])
def problem(request: pytest.FixtureRequest) -> tuple[Mixture, Mixture, np.ndarray]:
    """A mixture, the same turned by a lot, and the motion between them."""
    points = request.getfixturevalue(request.param)
    d = points.shape[1]
    source = centred(points, 10.0 if d == 2 else 4.0)
    omega, shift = ([2.3], [0.31, -0.17]) if d == 2 else ([1.5, -1.0, 0.8], [0.31, -0.17, 0.23])
    T = pose(rotation_exp(np.array(omega), d), np.array(shift))
    return source, source.transformed(T), T


def test_the_right_rotation_has_its_peak_at_the_true_translation(problem: tuple[Mixture, Mixture, np.ndarray]) -> None:
    source, target, truth = problem
    d = source.dimension
    poses, values = correlate(source, target, truth[None, :d, :d], most=3, threads=1)
    best = poses[values.argmax()]
    assert np.array_equal(best[:d, :d], truth[:d, :d])
    # The grid point nearest to the truth is half a step away in each direction, at most.
    assert np.linalg.norm(best[:d, d] - truth[:d, d]) <= 0.55 * np.sqrt(d) * step_of(source, target)
    assert np.all(np.diff(values) <= 0)


def test_the_right_rotation_wins(problem: tuple[Mixture, Mixture, np.ndarray]) -> None:
    source, target, truth = problem
    d = source.dimension
    rotations = np.concatenate([even_rotations(60, d), truth[None, :d, :d]])
    poses, values = correlate(source, target, rotations, most=1, threads=1)
    assert len(poses) == len(values) == 61
    if d == 2:  # neighbours are 6 degrees apart: the best of them may be as near
        turn = truth[:2, :2].T @ poses[values.argmax(), :2, :2]
        assert abs(np.arctan2(turn[1, 0], turn[0, 0])) < np.radians(6.0)
    else:
        assert values.argmax() == 60


def test_values_are_those_of_the_direct_sum(problem: tuple[Mixture, Mixture, np.ndarray]) -> None:
    """On a grid of 1.3 deviations to some tenths: good enough to rank poses."""
    source, target, truth = problem
    d = source.dimension
    rotations = np.concatenate([even_rotations(25, d), truth[None, :d, :d]])
    poses, values = correlate(source, target, rotations, most=4, threads=1)
    expected = direct(source, target, poses)
    assert np.corrcoef(values, expected)[0, 1] > 0.85
    # The peaks are high for the direct sum too: at the right rotation none of 300 other places does better.
    rng = np.random.default_rng(3)
    others = np.tile(np.eye(d + 1), (300, 1, 1))
    others[:, :d, :d] = truth[:d, :d]
    others[:, :d, d] = rng.uniform(-1.0, 1.0, size=(300, d)) * np.ptp(target.means, axis=0)
    assert expected[-4:].max() > 0.6 * direct(source, target, others).max()


@pytest.mark.parametrize("d", [2, 3])
def test_on_the_grid_the_values_are_exact(d: int) -> None:
    """Components on grid points lose nothing when they are laid on the grid: every value is a kernel, whose spectrum is
    |k|⁴ times the Gaussian's up to the grid's highest frequency, summed over pairs; the first is the highest of all."""
    rng = np.random.default_rng(5)
    variance = 0.02
    step = TUNING.grid_step * np.sqrt(2.0 * variance)
    corners = step * np.array(list(product((0.0, 5.0), (0.0, 3.0), (0.0, 2.0))))[:: 1 if d == 3 else 2, :d]
    target = Mixture(corners, variance, np.full(len(corners), 1.0 / len(corners)))
    weights = rng.uniform(0.5, 1.0, size=6)
    source = Mixture(step * rng.integers(-2, 3, size=(6, d)), variance, weights / weights.sum())
    poses, values = correlate(source, target, np.eye(d)[None], most=5, threads=1)

    _, _, axes = principal_axes(target.means, target.weights)
    cells = _cells(source, target, np.ptp(corners @ axes, axis=0))
    sizes = np.array([scipy.fft.next_fast_len(n, real=True) for n in cells])
    grid = np.array(list(product(*map(range, sizes))))
    waves = np.array(list(product(*(2.0 * np.pi * np.fft.fftfreq(n) for n in sizes))))
    squared = np.einsum("ij,ij->i", waves, waves) / TUNING.grid_step**2
    kernel = np.cos(grid @ waves.T) @ (squared**2 * np.exp(-0.5 * squared)) / len(grid)

    def summed(shift: np.ndarray) -> float:
        apart = ((source.means + shift)[:, None] - target.means[None]) @ axes / step
        index = np.ravel_multi_index(
            tuple(np.round(apart).astype(int).transpose(2, 0, 1) % sizes[:, None, None]), sizes
        )
        return float(source.weights @ kernel[index] @ target.weights)

    assert values == pytest.approx([summed(T[:d, d]) for T in poses], rel=1e-4)
    assert values[0] == pytest.approx(max(summed(step * place @ axes.T) for place in grid), rel=1e-4)


@pytest.mark.parametrize("end", [-1.0, 1.0])
@pytest.mark.parametrize("d", [2, 3])
def test_images_one_period_on_are_resolved(d: int, end: float) -> None:
    """A piece of the far end of a long shape belongs there, not one period away."""
    s = np.linspace(-1.0, 1.0, 240)
    line = np.c_[6.0 * s, np.sin(9.0 * s + 2.0 * s**2), 0.7 * np.cos(5.0 * s) * s][:, :d]
    piece = line[s * end > 0.45]
    target = Mixture(line - line.mean(axis=0), 0.02, np.full(240, 1.0 / 240))
    source = Mixture(piece - piece.mean(axis=0), 0.02, np.full(len(piece), 1.0 / len(piece)))
    poses, values = correlate(source, target, np.eye(d)[None], most=4, threads=1)
    truth = piece.mean(axis=0) - line.mean(axis=0)
    assert np.linalg.norm(poses[values.argmax(), :d, d] - truth) < step_of(source, target)


@pytest.mark.parametrize(("fine", "coarse"), [(0.01, 0.04), (0.04, 0.01)])
def test_mixtures_of_unequal_variance(curve: np.ndarray, fine: float, coarse: float) -> None:
    """As when a ready mixture meets points: the grid holds the target either way."""
    means = curve - curve.mean(axis=0)
    weights = np.full(len(means), 1.0 / len(means))
    truth = pose(rotation_exp(np.array([1.0]), 2), np.array([0.9, -1.2]))
    source, target = Mixture(means, fine, weights), Mixture(apply(truth, means), coarse, weights)
    poses, values = correlate(source, target, truth[None, :2, :2], most=4, threads=1)
    assert np.linalg.norm(poses[values.argmax(), :2, 2] - truth[:2, 2]) < step_of(source, target)


def test_any_number_of_threads_and_of_rotations_at_once(problem: tuple[Mixture, Mixture, np.ndarray]) -> None:
    source, target, _ = problem
    rotations = even_rotations(150, source.dimension)
    poses, values = correlate(source, target, rotations, most=2, threads=1)
    others, other_values = correlate(source, target, rotations, most=2, threads=3)
    assert np.array_equal(poses, others)
    assert np.array_equal(values, other_values)
    few, few_values = correlate(source, target, rotations[:7], most=2, threads=2)
    assert np.allclose(few, poses[: len(few)])
    assert np.allclose(few_values, values[: len(few)], rtol=1e-4)


def test_moving_the_target_moves_the_answer(problem: tuple[Mixture, Mixture, np.ndarray]) -> None:
    """The grid lies along the target's principal axes."""
    source, target, truth = problem
    d = source.dimension
    A = pose(rotation_exp(np.full(d * (d - 1) // 2, 0.7), d), np.zeros(d))
    poses, values = correlate(source, target, truth[None, :d, :d], most=1, threads=1)
    moved, moved_values = correlate(source, target.transformed(A), (A @ truth)[None, :d, :d], most=1, threads=1)
    assert np.allclose(moved, A @ poses, atol=1e-6)
    assert np.allclose(moved_values, values, rtol=1e-3)


def test_small_grids_are_grid_is_small_and_large_ones_are_not(surface: np.ndarray) -> None:
    coarse, fine = centred(surface, 2.0), centred(surface, 10.0)
    assert grid_is_small(coarse, coarse)
    assert grid_is_small(fine, fine)
    # With 2^22 cells along an axis and more, the number of cells exceeds 64 bits.
    for variance in 10.0 ** -np.arange(6.0, 60.0):
        tiny = Mixture(fine.means, variance, fine.weights)
        assert not grid_is_small(tiny, tiny)
