"""Point-to-point ICP: its error never rises, and moved shapes are found again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

from benchmarks.methods.icp import align, align_from_many_starts, best_motion, descent
from svgm.datasets import body, butterfly, occlude, partial_view
from svgm.rigid import apply, exp, invert, pose_error

SETTING: dict[str, Any] = {"unit": 6.0, "threads": 1, "iterations": 200, "tolerance": 1e-6}


def shape(dimension: int, seed: int) -> np.ndarray:
    return butterfly(600, turns=1, seed=seed) if dimension == 2 else body(1500, seed=seed)[0]


def known_pose(dimension: int, angle: float) -> np.ndarray:
    """A turn by `angle` with a small shift."""
    return exp([angle, 0.1, -0.1] if dimension == 2 else [*(angle * np.array([0.36, -0.48, 0.8])), 0.1, -0.1, 0.1])


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_best_motion_of_pairs_is_theirs(dimension: int) -> None:
    points, T = shape(dimension, 1), known_pose(dimension, 2.5)
    assert best_motion(points, apply(T, points)) == pytest.approx(T)


def test_the_best_motion_is_no_mirror_image() -> None:
    points = shape(3, 1)
    assert np.linalg.det(best_motion(points, points * [1.0, 1.0, -1.0])[:3, :3]) == pytest.approx(1.0)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("reach", [math.inf, 1.0, 0.2])
def test_the_error_never_rises(dimension: int, reach: float) -> None:
    source, target = apply(known_pose(dimension, 0.8), shape(dimension, 1)), shape(dimension, 2)
    steps = descent(source, cKDTree(target), np.eye(dimension + 1), reach, 100, 1e-6)
    errors = np.array([error for _, error in steps])
    assert len(errors) > 5
    assert np.diff(errors).max() <= 1e-12 * errors[0]  # means of some hundred squares: rounding is below
    assert errors[-1] < errors[0]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("degrees", [0.0, 10.0, 20.0])
def test_a_moved_shape_is_found_again(dimension: int, degrees: float) -> None:
    T = known_pose(dimension, np.radians(degrees))
    found = align(apply(invert(T), shape(dimension, 2)), shape(dimension, 1), reach=math.inf, **SETTING)
    angle, distance = pose_error(found, T)
    assert np.degrees(angle) < 1.0
    assert distance < 0.03


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_shape_is_found_again_with_partial_overlap(dimension: int) -> None:
    T = known_pose(dimension, np.radians(10.0))
    if dimension == 2:
        target, source = (occlude(shape(2, seed), 0.2, place=[side, 0.0]) for seed, side in ((1, 2.0), (2, -2.0)))
    else:
        target, source = (partial_view(shape(3, seed), [6.0, side, 2.0]) for seed, side in ((1, 0.5), (2, -0.5)))
    angle, distance = pose_error(align(apply(invert(T), source), target, reach=0.03, **SETTING), T)
    # Points near the edge of the overlap pull what is missing towards what is there.
    assert np.degrees(angle) < 5.0
    assert distance < 0.1


@pytest.mark.parametrize("dimension", [2, 3])
def test_many_starts_find_what_one_does_not(dimension: int) -> None:
    T = known_pose(dimension, np.radians(110.0 if dimension == 2 else 90.0))
    source, target = apply(invert(T), shape(dimension, 2)), shape(dimension, 1)
    alone = align(source, target, reach=math.inf, **SETTING)
    best = align_from_many_starts(source, target, reach=math.inf, trim=0.1, **SETTING)
    assert np.degrees(pose_error(alone, T)[0]) > 10.0
    assert np.degrees(pose_error(best, T)[0]) < 1.0


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("method", [align, align_from_many_starts])
@pytest.mark.parametrize("factor", [1e-3, 1e4])
def test_the_unit_of_length_does_not_matter(dimension: int, method: Any, factor: float) -> None:
    target, source = shape(dimension, 1)[::4], apply(known_pose(dimension, 0.3), shape(dimension, 2)[::4])
    trim = {"trim": 0.2} if method is align_from_many_starts else {}
    here, there = (
        method(scale * source, scale * target, **{**SETTING, "unit": 6.0 * scale}, reach=0.1, **trim)
        for scale in (1.0, factor)
    )
    assert there[:dimension, :dimension] == pytest.approx(here[:dimension, :dimension], abs=1e-6)
    assert there[:dimension, -1] / factor == pytest.approx(here[:dimension, -1], abs=1e-6)


def test_sets_out_of_reach_stay_where_they_are() -> None:
    points = shape(2, 1)
    assert align(points, points + 100.0, reach=0.1, **SETTING) == pytest.approx(np.eye(3))
