"""Candidate poses: where they start, which go on, which one wins."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Annealing
from svgm.registration.candidates import kept_answers, starts, turned_copies, winner
from svgm.registration.minimise import Function, Minimum
from svgm.registration.tuning import TUNING
from svgm.rigid import exp, pose_error, rotation_log


@pytest.mark.parametrize("d", [2, 3])
def test_turned_copies_join_where_they_help(d: int) -> None:
    start = exp(np.arange(1.0, 1 + d * (d + 1) // 2) / 10)
    gammas = Annealing().levels(0.1, 300.0)
    counts = np.array([len(starts(start, gamma, gammas, None, 0.0, (60.0,))) for gamma in gammas])
    chosen = {min(gammas, key=lambda level: abs(np.log(level / at))) for at in TUNING.turned_at[d]}
    assert {gamma for gamma, count in zip(gammas, counts, strict=True) if count > 1} == chosen
    assert set(counts[counts > 1]) == {1 + len(turned_copies(start, 60.0))}
    assert len(starts(start, 1.0, (1.0,), None, 0.0, (60.0,))) == 1
    copies = turned_copies(start, 60.0)
    assert np.array_equal(copies[:, :d, d], np.tile(start[:d, d], (len(copies), 1)))
    angles = [np.degrees(pose_error(copy, start)[0]) for copy in copies]
    assert angles == pytest.approx([60.0, 60.0, 120.0, 120.0, 180.0] if d == 2 else [60.0] * 12)
    assert len(np.unique(copies.round(9), axis=0)) == len(copies)


def test_turns_in_3d_are_spread_evenly() -> None:
    turns = rotation_log(turned_copies(np.eye(4), TUNING.turn_degrees)[:, :3, :3])
    axes = turns / np.linalg.norm(turns, axis=1, keepdims=True)
    assert np.allclose(np.linalg.norm(turns, axis=1), np.radians(TUNING.turn_degrees))
    cosines = np.sort(axes @ axes.T, axis=1)
    assert np.allclose(cosines[:, -2], np.cos(np.radians(63.434949)))
    assert np.allclose(axes.sum(axis=0), 0)


def test_at_fine_levels_the_start_joins_if_it_is_as_good_as_the_answers() -> None:
    def before(poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.full(len(poses), -0.5), np.empty(0), np.empty(0)

    gammas = (10.0, TUNING.restart_until, 2 * TUNING.restart_until)
    for best_value, joins in (
        (-0.4, 1),
        (-0.49 / TUNING.restart_correlation, 1),
        (-0.51 / TUNING.restart_correlation, 0),
    ):
        assert len(starts(np.eye(3), gammas[2], gammas, before, best_value, (60.0,))) == joins
        assert len(starts(np.eye(3), gammas[1], gammas, before, best_value, (60.0,))) == 1


def answers(values: list[float], given_up: list[int]) -> Minimum:
    flags = np.isin(np.arange(len(values)), given_up)
    return Minimum(np.empty(0), np.array(values), np.empty(0), np.empty(0), ~flags, flags)


def test_the_best_answers_go_on() -> None:
    many = answers([-0.01 * k for k in range(20)], [])
    assert kept_answers(many, 0.1).tolist() == list(range(19, 19 - TUNING.kept_candidates, -1))
    assert kept_answers(answers([-0.5, -0.9, -0.1, -0.9], [1]), 0.1).tolist() == [3, 0, 2]
    # The levels that judge keep only those near the best.
    close = [-1.01 * TUNING.kept_correlation, -1.0, -0.99 * TUNING.kept_correlation]
    assert kept_answers(answers(close, []), TUNING.compared_from).tolist() == [1, 0]
    assert kept_answers(answers(close, []), 0.9 * TUNING.compared_from).tolist() == [1, 0, 2]
    assert kept_answers(answers([0.0, 0.0], []), TUNING.compared_from).tolist() == [0, 1]


def test_levels_of_full_covariances_keep_more() -> None:
    many = answers([-1.0 - 0.001 * k for k in range(2 * TUNING.full_candidates)], [])
    kept = len(kept_answers(many, TUNING.full_from, full=True, turned=True))
    assert kept == TUNING.full_candidates > TUNING.full_survivors > TUNING.kept_candidates
    assert len(kept_answers(many, TUNING.full_from, full=True)) == TUNING.full_survivors
    close = [-1.01 * TUNING.full_correlation, -1.0, -0.99 * TUNING.full_correlation]
    assert kept_answers(answers(close, []), TUNING.full_from, full=True).tolist() == [1, 0]


def test_copies_may_be_turned_by_several_angles() -> None:
    degrees = TUNING.full_turns[3]
    found = starts(np.eye(4), 10.0, (1.0, 10.0), None, 0.0, degrees)
    angles = [np.degrees(pose_error(T, np.eye(4))[0]) for T in found]
    assert angles == pytest.approx([0.0, *np.repeat(degrees, 12)], abs=1e-9)
    assert len(starts(np.eye(4), 10.0, (1.0, 10.0), None, 0.0, ())) == 1


def test_the_fine_levels_choose_the_winner_and_ties_go_to_the_nearest() -> None:
    poses = exp([[0.0, 0, 0], [1.0, 0, 0]])
    start = np.eye(3)

    def level(a: float, b: float) -> Function:
        return lambda _: (np.array([a, b]), np.empty(0), np.empty(0))

    fine, coarse = TUNING.compared_from, 0.01 * TUNING.compared_from
    # Fine levels judge together, coarse ones not at all, unless there is no other.
    assert winner(poses, [level(-0.6, -0.2), level(-0.4, -0.5)], [fine, 2 * fine], start) == 0
    assert winner(poses, [level(-0.6, -0.5), level(-0.1, -0.5)], [fine, 2 * fine], start) == 1
    assert winner(poses, [level(-0.9, -0.2), level(-0.2, -0.4)], [coarse, fine], start) == 1
    assert winner(poses, [level(-0.9, -0.2), level(-0.2, -0.4)], [0.1 * coarse, coarse], start) == 1
    # Nearly equal poses: the way from the start decides.
    tied = [level(-0.3, -0.3 * (1 + 0.5 * TUNING.tie))]
    assert winner(poses, tied, [fine], start) == 0
    assert winner(poses, tied, [fine], poses[1]) == 1
    # Nothing overlaps anywhere: stay at the start.
    assert winner(poses, [level(0.0, 0.0)], [fine], poses[1]) == 1
