"""The levels of the annealing, and the poses that compete on them."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Annealing, InputError
from svgm.registration.annealing import COARSEST, FINEST
from svgm.registration.candidates import (
    JUDGED_FROM,
    KEPT,
    NEAR,
    NEAR_ONLY_FROM,
    PROMISING,
    TIE,
    TURNED_AT,
    TURNS,
    best,
    starts,
    turned_copies,
    winner,
)
from svgm.registration.minimise import Function, Minimum
from svgm.rigid import exp, pose_error


@pytest.mark.parametrize("delta", [1.5, 2.0, 10.0**0.5, 10.0])
@pytest.mark.parametrize("coarsest", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("finest", [1.0, 37.0, 300.0])
def test_levels_rise_by_delta_to_exactly_the_finest(delta: float, coarsest: float, finest: float) -> None:
    levels = Annealing(delta=delta, finest=finest).levels(coarsest, 5.0)
    assert levels[-1] == finest
    assert np.allclose(np.divide(levels[1:], levels[:-1]), delta)
    assert coarsest / delta**0.51 <= levels[0] <= max(coarsest * delta**0.51, finest if len(levels) == 1 else 0)


def test_the_data_or_the_limit_end_it() -> None:
    for resolved, last in ((40.0, 40.0), (1e9, FINEST)):
        levels = Annealing().levels(COARSEST, resolved)
        assert levels[0] == COARSEST
        assert abs(np.log(levels[-1] / last)) <= 0.5 * np.log(Annealing().delta)
    assert len(Annealing().levels(COARSEST, 0.001)) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("delta", bad) for bad in (1.0, 0.5, np.nan, np.inf)] + [("finest", bad) for bad in (0.0, -1.0, np.nan, np.inf)],
)
def test_refused(name: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"^{name} must"):
        Annealing(**{name: value})


@pytest.mark.parametrize("d", [2, 3])
def test_turned_copies_join_where_they_help(d: int) -> None:
    start = exp(np.arange(1.0, 1 + d * (d + 1) // 2) / 10)
    gammas = Annealing().levels(0.1, 300.0)
    counts = np.array([len(starts(start, gamma, gammas, None, 0.0)) for gamma in gammas])
    chosen = {min(gammas, key=lambda level: abs(np.log(level / at))) for at in TURNED_AT[d]}
    assert {gamma for gamma, count in zip(gammas, counts, strict=True) if count > 1} == chosen
    assert set(counts[counts > 1]) == {1 + len(TURNS[d])}
    assert len(starts(start, 1.0, (1.0,), None, 0.0)) == 1
    for copy in turned_copies(start):
        assert np.array_equal(copy[:d, d], start[:d, d])
        assert np.degrees(pose_error(copy, start)[0]) == pytest.approx(60.0) or d == 2


def test_turns_in_3d_are_spread_evenly() -> None:
    axes = TURNS[3] / np.linalg.norm(TURNS[3], axis=1, keepdims=True)
    assert np.allclose(np.linalg.norm(TURNS[3], axis=1), np.radians(60))
    cosines = np.sort(axes @ axes.T, axis=1)
    assert np.allclose(cosines[:, -2], np.cos(np.radians(63.434949)))
    assert np.allclose(axes.sum(axis=0), 0)


def test_at_fine_levels_the_start_joins_if_it_is_as_good_as_the_answers() -> None:
    def before(poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.full(len(poses), -0.5), np.empty(0), np.empty(0)

    gammas = (10.0, NEAR_ONLY_FROM, 2 * NEAR_ONLY_FROM)
    for best_value, joins in ((-0.4, 1), (-0.49 / NEAR, 1), (-0.51 / NEAR, 0)):
        assert len(starts(np.eye(3), gammas[2], gammas, before, best_value)) == joins
        assert len(starts(np.eye(3), gammas[1], gammas, before, best_value)) == 1


def answers(values: list[float], given_up: list[int]) -> Minimum:
    flags = np.isin(np.arange(len(values)), given_up)
    return Minimum(np.empty(0), np.array(values), np.empty(0), np.empty(0), ~flags, flags)


def test_the_best_answers_go_on() -> None:
    many = answers([-0.01 * k for k in range(20)], [])
    assert best(many, 0.1).tolist() == list(range(19, 19 - KEPT, -1))
    assert best(answers([-0.5, -0.9, -0.1, -0.9], [1]), 0.1).tolist() == [3, 0, 2]
    # The levels that judge keep only those near the best.
    close = [-1.01 * PROMISING, -1.0, -0.99 * PROMISING]
    assert best(answers(close, []), JUDGED_FROM).tolist() == [1, 0]
    assert best(answers(close, []), 0.9 * JUDGED_FROM).tolist() == [1, 0, 2]
    assert best(answers([0.0, 0.0], []), JUDGED_FROM).tolist() == [0, 1]


def test_the_fine_levels_choose_the_winner_and_ties_go_to_the_nearest() -> None:
    poses = exp([[0.0, 0, 0], [1.0, 0, 0]])
    start = np.eye(3)

    def level(a: float, b: float) -> Function:
        return lambda _: (np.array([a, b]), np.empty(0), np.empty(0))

    fine, coarse = JUDGED_FROM, 0.01 * JUDGED_FROM
    # Fine levels judge together, coarse ones not at all, unless there is no other.
    assert winner(poses, [level(-0.6, -0.2), level(-0.4, -0.5)], [fine, 2 * fine], start) == 0
    assert winner(poses, [level(-0.6, -0.5), level(-0.1, -0.5)], [fine, 2 * fine], start) == 1
    assert winner(poses, [level(-0.9, -0.2), level(-0.2, -0.4)], [coarse, fine], start) == 1
    assert winner(poses, [level(-0.9, -0.2), level(-0.2, -0.4)], [0.1 * coarse, coarse], start) == 1
    # Nearly equal poses: the way from the start decides.
    tied = [level(-0.3, -0.3 * (1 + 0.5 * TIE))]
    assert winner(poses, tied, [fine], start) == 0
    assert winner(poses, tied, [fine], poses[1]) == 1
    # Nothing overlaps anywhere: stay at the start.
    assert winner(poses, [level(0.0, 0.0)], [fine], poses[1]) == 1
