"""NDT distribution to distribution: its derivatives, and moved shapes found again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from benchmarks.methods.ndt_d2d import align, derivatives, gaussians, moved, near_pairs, value
from svgm.datasets import body, butterfly, disturb, occlude, partial_view
from svgm.rigid import apply, degrees_of_freedom, exp, invert, pose_error

CELLS = {2: (0.2, 0.1, 0.05), 3: (0.2, 0.1, 0.05)}


def shape(dimension: int, seed: int) -> np.ndarray:
    return butterfly(800, turns=1, seed=seed) if dimension == 2 else body(2500, seed=seed)[0]


def known_pose(dimension: int, angle: float) -> np.ndarray:
    """A turn by `angle` with a shift of about a tenth of the shape."""
    return exp([angle, 0.4, -0.2] if dimension == 2 else [*(angle * np.array([0.36, -0.48, 0.8])), 0.2, -0.1, 0.2])


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("d2", [0.05, 1.0])
def test_derivatives_are_those_of_finite_differences(dimension: int, d2: float) -> None:
    T = known_pose(dimension, 0.2)
    source, target = (gaussians(shape(dimension, seed), 0.5) for seed in (1, 2))
    i, j = near_pairs(source, cKDTree(target.means), T, 1.0)
    here = derivatives(source, target, i, j, T, d2)
    steps = 1e-5 * np.eye(degrees_of_freedom(dimension))
    sides = [[derivatives(source, target, i, j, moved(T, sign * step), d2) for sign in (1, -1)] for step in steps]
    slopes = np.array([(up.value - down.value) / 2e-5 for up, down in sides])
    curvatures = np.array([(up.gradient - down.gradient) / 2e-5 for up, down in sides])
    assert len(i) > 200
    assert here.value == pytest.approx(value(source, target, i, j, T, d2))
    assert here.gradient == pytest.approx(slopes, abs=1e-5 * np.abs(slopes).max())
    # Turns do not commute: the gradient's change by them has an antisymmetric part that is no second derivative.
    curvatures = (curvatures + curvatures.T) / 2
    assert here.hessian == pytest.approx(curvatures, abs=1e-5 * np.abs(curvatures).max())


def test_a_cell_has_the_mean_and_covariance_of_its_points(rng: np.random.Generator) -> None:
    points = rng.uniform(-1.0, 1.0, (50, 3))
    cells = gaussians(points, 100.0)
    # The offset grid's border passes through the centroid, so that only the first grid holds all points in one cell.
    assert cells.means[0] == pytest.approx(points.mean(axis=0))
    assert cells.covariances[0] == pytest.approx(np.cov(points.T))


def test_a_flat_cell_is_thickened_and_sparse_cells_are_left_out() -> None:
    line = np.c_[np.linspace(-1.0, 1.0, 21), np.zeros(21)]
    cells = gaussians(np.vstack([line, [[50.0, 0.0], [50.0, 1.0], [-50.0, 0.0], [-50.0, -1.0]]]), 10.0)
    assert np.abs(cells.means).max() < 2.0
    assert np.linalg.eigvalsh(cells.covariances).min() > 0


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("degrees", [0.0, 10.0, 25.0])
def test_a_moved_shape_is_found_again(dimension: int, degrees: float) -> None:
    T = known_pose(dimension, np.radians(degrees))
    # Another sample of the same shape, so that no point has an exact partner.
    target, source = shape(dimension, 1), apply(invert(T), shape(dimension, 2))
    unit = float(np.linalg.norm(np.ptp(target, axis=0)))
    found = align(source, target, unit=unit, threads=1, cells=CELLS[dimension])
    angle, distance = pose_error(found, T)
    assert np.degrees(angle) < 1.0
    assert distance < 0.01 * unit


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_shape_is_found_again_with_partial_overlap(dimension: int) -> None:
    T = known_pose(dimension, np.radians(15.0))
    if dimension == 2:
        target, source = (occlude(shape(2, seed), 0.2, place=[side, 0.0]) for seed, side in ((1, 2.0), (2, -2.0)))
    else:
        target, source = (partial_view(shape(3, seed), [6.0, side, 2.0]) for seed, side in ((1, 1.0), (2, -1.0)))
    source = disturb(apply(invert(T), source), noise=0.002)
    unit = float(np.linalg.norm(np.ptp(target, axis=0)))
    angle, distance = pose_error(align(source, target, unit=unit, threads=1, cells=CELLS[dimension]), T)
    assert np.degrees(angle) < 2.0
    assert distance < 0.02 * unit


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("factor", [1e-3, 1e4])
def test_the_unit_of_length_does_not_matter(dimension: int, factor: float) -> None:
    target, source = shape(dimension, 1)[::2], apply(known_pose(dimension, 0.2), shape(dimension, 2)[::2])
    here, there = (
        align(scale * source, scale * target, unit=6.0 * scale, threads=1, cells=(0.15, 0.1)) for scale in (1.0, factor)
    )
    angle, _ = pose_error(here, there)
    assert angle < 1e-6
    assert there[:dimension, -1] / factor == pytest.approx(here[:dimension, -1], abs=1e-6)


def test_sets_too_sparse_for_any_cell_stay_where_they_are() -> None:
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert align(corners, corners + 0.1, unit=1.0, threads=1, cells=(0.1,)) == pytest.approx(np.eye(3))


def test_sets_far_from_each_other_stay_where_they_are() -> None:
    points = shape(2, 1)
    assert align(points, points + 1000.0, unit=6.0, threads=1, cells=(0.2, 0.1)) == pytest.approx(np.eye(3))
