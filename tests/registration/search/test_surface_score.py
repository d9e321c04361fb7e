"""The surface score: surfaces that coincide score higher than those that only lie near each other."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.registration.search.surface_score import SurfaceScorer
from svgm.registration.search.surfels import make_surfels
from svgm.registration.search.viewpoint import Viewpoint
from svgm.rigid import apply, exp, pose_error

CELL = 0.1
COARSER = 2.7


def scorer_of(source: np.ndarray, target: np.ndarray, cell: float = CELL, **viewpoints: tuple) -> SurfaceScorer:
    coarse, fine = (tuple(make_surfels(points, size) for points in (source, target)) for size in (COARSER * cell, cell))
    return SurfaceScorer(coarse, fine, **viewpoints)


def room(rng: np.random.Generator, walls: bool = True) -> np.ndarray:
    """A large ground, and two short walls at right angles on it."""
    ground = np.c_[rng.uniform(-4.0, 4.0, size=(12_000, 2)), np.zeros(12_000)]
    if not walls:
        return ground
    along, up = rng.uniform(-2.0, 2.0, size=3000), rng.uniform(0.0, 1.0, size=3000)
    return np.concatenate([ground, np.c_[along, np.full(3000, 1.0), up], np.c_[np.full(3000, -1.5), along, up]])


@pytest.fixture(scope="module", params=["dense_curve", "dense_surface"])
def samplings(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray]:
    """Two samplings of one shape."""
    points = request.getfixturevalue(request.param)
    return points[::2], points[1::2]


def test_the_truth_scores_higher_than_poses_beside_it(samplings: tuple[np.ndarray, np.ndarray]) -> None:
    scorer = scorer_of(*samplings)
    d = samplings[0].shape[1]
    truth = scorer(np.eye(d + 1))
    assert truth.coinciding > 0.8
    assert truth.overlap > 0.95
    directions = np.eye(d * (d + 1) // 2)
    scores = [scorer(exp(size * step)).score for size in (0.1, 0.3, -0.2) for step in directions]
    assert max(scores) < 0.8 * truth.score
    assert scorer(exp(3.0 * directions[0])).score < 0.3 * truth.score


def test_scores_fall_with_the_distance(samplings: tuple[np.ndarray, np.ndarray]) -> None:
    scorer = scorer_of(*samplings)
    d = samplings[0].shape[1]
    shift = np.zeros(d * (d + 1) // 2)
    shift[-d] = 1.0
    scores = [scorer(exp(size * shift)).score for size in (0.0, 0.04, 0.08, 0.16)]
    assert scores == sorted(scores, reverse=True)


def test_shares_are_shares(samplings: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> None:
    scorer = scorer_of(*samplings)
    d = samplings[0].shape[1]
    for pose in exp(rng.normal(size=(30, d * (d + 1) // 2))):
        verdict = scorer(pose)
        assert 0.0 <= verdict.coinciding <= verdict.explained <= 1.0
        assert 0.0 <= verdict.near <= 1.0
        assert 0.0 <= verdict.overlap <= 1.0
        assert verdict.doubt == 0.0
        assert np.isfinite(verdict.score)
        assert verdict.score >= 0.0


def test_nothing_coincides_far_away(samplings: tuple[np.ndarray, np.ndarray]) -> None:
    scorer = scorer_of(*samplings)
    d = samplings[0].shape[1]
    far = np.eye(d + 1)
    far[0, d] = 100.0
    verdict = scorer(far)
    assert (verdict.coinciding, verdict.explained, verdict.near, verdict.overlap, verdict.score) == (0, 0, 0, 0, 0)


def test_settling_finds_the_truth_from_beside_it(samplings: tuple[np.ndarray, np.ndarray]) -> None:
    scorer = scorer_of(*samplings)
    d = samplings[0].shape[1]
    beside = exp(0.06 * np.ones((1, d * (d + 1) // 2)))
    settled = scorer.align_fine(np.concatenate([beside, np.eye(d + 1)[None]]), 1)
    for pose in settled:
        assert max(pose_error(pose, np.eye(d + 1))) < 0.02
    assert scorer(settled[0]).score > scorer(beside[0]).score
    assert np.array_equal(settled, scorer.align_fine(np.concatenate([beside, np.eye(d + 1)[None]]), 3))


def test_ground_on_ground_says_little_where_there_are_walls(rng: np.random.Generator) -> None:
    """Slid along the ground, two thirds of the points still lie on the target, but not what holds them in place."""
    source, target = room(rng), room(rng)
    offset = source.mean(axis=0)
    scorer = scorer_of(source - offset, target - offset)
    truth, slid = scorer(np.eye(4)), scorer(exp([0, 0, 0, 0.7, -0.6, 0]))
    assert slid.overlap > 0.5
    assert slid.coinciding < 0.5 * truth.coinciding
    assert slid.coinciding < 0.75 * slid.overlap
    assert slid.score < 0.3 * truth.score


def test_flat_sets_can_be_scorerd(rng: np.random.Generator) -> None:
    source, target = room(rng, walls=False), room(rng, walls=False)
    scorer = scorer_of(source - source.mean(axis=0), target - source.mean(axis=0))
    truth = scorer(np.eye(4))
    assert truth.coinciding > 0.8
    assert scorer(exp([0, 0, 0, 0, 0, 0.3])).score < 0.1 * truth.score


def test_partial_overlap_is_its_share(dense_surface: np.ndarray) -> None:
    half = dense_surface[dense_surface[:, 0] > 0.0]
    offset = dense_surface.mean(axis=0)
    scorer = scorer_of(dense_surface[::2] - offset, half - offset)
    share = np.mean(dense_surface[:, 0] > 0.0)
    verdict = scorer(np.eye(4))
    assert verdict.overlap == pytest.approx(share, abs=0.15)  # more, by what lies just beyond the edge
    # What is beyond the target does not speak against the pose.
    assert verdict.coinciding > 0.7 * verdict.near


@pytest.mark.parametrize("d", [2, 3])
def test_a_viewpoint_raises_the_truth_over_a_turned_pose(d: int) -> None:
    """An arc seen from inside lies on itself when turned about, but stands where its sensor looked through."""
    rng = np.random.default_rng(2)
    angle = rng.uniform(-1.2, 1.2, size=6000)
    arc = np.c_[2.0 * np.cos(angle), 2.0 * np.sin(angle), rng.uniform(-0.7, 0.7, size=6000)][:, :d]
    middle = np.array([1.3, 0.0, 0.0])[:d]
    arc = arc - middle
    sensor = Viewpoint(-middle, side_known=True)
    halves = arc[::2], arc[1::2]
    flipped = np.eye(d + 1)
    flipped[:2, :2] *= -1.0
    flipped[0, d] = 1.0  # the arcs' backs touch
    blind, seeing = scorer_of(*halves), scorer_of(*halves, viewpoints=(sensor, sensor))
    assert not blind.knows_sensors
    assert seeing.knows_sensors
    assert seeing(np.eye(d + 1)).doubt < 0.5
    assert seeing(flipped).doubt > 4.0
    assert blind(flipped).doubt == 0.0
    assert seeing(flipped).score < 0.1 * blind(flipped).score + 1e-12
    assert seeing(np.eye(d + 1)).score > 0.5 * blind(np.eye(d + 1)).score
    # One known sensor is enough.
    assert scorer_of(*halves, viewpoints=(None, sensor))(flipped).doubt > 2.0
    assert scorer_of(*halves, viewpoints=(sensor, None))(flipped).doubt > 2.0


def test_a_wall_is_not_seen_from_behind(rng: np.random.Generator) -> None:
    """Two sensors on different sides of one wall saw two walls."""
    wall = np.c_[rng.uniform(-2.0, 2.0, 600), 0.01 * rng.normal(size=600)]
    before, behind = (Viewpoint(np.array([0.0, side]), side_known=True) for side in (3.0, -3.0))
    same = scorer_of(wall[::2], wall[1::2], viewpoints=(before, before))(np.eye(3))
    other = scorer_of(wall[::2], wall[1::2], viewpoints=(before, behind))(np.eye(3))
    one_known = scorer_of(wall[::2], wall[1::2], viewpoints=(before, None))(np.eye(3))
    assert same.coinciding == one_known.coinciding > 0.5
    assert other.coinciding < 0.01
    assert other.overlap == same.overlap


@pytest.mark.parametrize("one_known", [False, True])
def test_sensors_on_unknown_sides_stand_where_the_pose_needs_them(rng: np.random.Generator, one_known: bool) -> None:
    """Both saw the wall from above, or both from below: not one from above and the other from below."""
    wall = np.c_[rng.uniform(-2.0, 2.0, 600), 0.01 * rng.normal(size=600)]
    before, behind = (Viewpoint(np.array([0.0, side]), side_known=False) for side in (3.0, -3.0))
    first = Viewpoint(before.place, side_known=one_known)
    same = scorer_of(wall[::2], wall[1::2], viewpoints=(first, before))(np.eye(3))
    other = scorer_of(wall[::2], wall[1::2], viewpoints=(first, behind))(np.eye(3))
    assert other.coinciding == same.coinciding > 0.5
    assert other.doubt == same.doubt == 0.0


def test_doubts_of_many_poses_are_those_of_each(dense_surface: np.ndarray, rng: np.random.Generator) -> None:
    """As many places as the rounds compare, and poses that may be off by nothing."""
    far = Viewpoint(np.array([0.0, 0.0, 50.0]), side_known=True)
    scorer = scorer_of(dense_surface[::2], dense_surface[1::2], 0.2, viewpoints=(far, far))
    poses = exp(0.4 * rng.normal(size=(10, 6)))
    doubts = scorer.doubts(poses, 0.0, 2)
    assert doubts == pytest.approx([scorer(pose).doubt for pose in poses], rel=0.3, abs=0.5)
    assert (scorer.doubts(poses, 0.5, 1) <= doubts).all()


def test_poses_that_move_points_by_a_coarse_cell_are_others(samplings: tuple[np.ndarray, np.ndarray]) -> None:
    assert scorer_of(*samplings).same_pose == pytest.approx(COARSER * CELL)


def test_moving_both_surfaces_changes_nothing(samplings: tuple[np.ndarray, np.ndarray]) -> None:
    source, target = samplings
    d = source.shape[1]
    A = exp(np.r_[np.full(d * (d - 1) // 2, 0.9), np.zeros(d)])
    T = exp(np.full(d * (d + 1) // 2, 0.03))
    here = scorer_of(source, target)(T)
    there = scorer_of(source, apply(A, target))(A @ T)
    assert there.coinciding == pytest.approx(here.coinciding, abs=0.05)
    assert there.near == pytest.approx(here.near, abs=0.02)
