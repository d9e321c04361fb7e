"""The pieces of the search benchmarks: the area by ranks, rows that go on, sources turned away and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.paper.problems import Pair
from benchmarks.search.pairs import anywhere, on_the_ground, outcome, turn
from benchmarks.search.roc import accept, area, curve
from benchmarks.search.rows import Row, Rows
from svgm.rigid import apply, exp, pose_error

ROW = Row("dragon", 3, 4, 1, True, True, 0.01, 0.5, 0.97, 0.8, -0.7, 1.25)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40))
def test_the_area_is_the_share_of_pairs_in_order_and_that_under_the_curve(answers: list[tuple[int, bool]]) -> None:
    scores, right = np.array([a for a, _ in answers]), np.array([b for _, b in answers])
    if right.all() or not right.any():
        assert np.isnan(area(scores, right))
        return
    differences = scores[right][:, None] - scores[~right]
    expected = ((differences > 0) + 0.5 * (differences == 0)).mean()
    wrong, good = curve(scores, right)
    assert area(scores, right) == pytest.approx(expected)
    assert np.sum(np.diff(wrong) * (good[1:] + good[:-1]) / 2) == pytest.approx(expected)


def test_the_threshold_itself_is_accepted_and_nothing_accepted_is_nothing_wrong() -> None:
    accepted = accept([0.5, 0.4], [False, True], 0.5)
    assert (accepted.count, accepted.wrong, accepted.rejected, accepted.share_wrong) == (1, 1, 1, 1.0)
    assert accept([0.1], [True], 0.5).share_wrong == 0.0


def test_rows_go_on_after_an_interruption_in_the_middle_of_a_line(tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "rows.csv"
    rows = Rows(file, "code 1")
    other = replace(ROW, source=5, correct=False)
    rows.add(ROW)
    rows.add(other)
    file.write_text(file.read_text()[:-9])
    again = Rows(file, "code 1")
    assert again.find(ROW.key) == ROW
    assert again.find(other.key) is None
    again.add(other)
    assert Rows(file, "code 1").find(other.key) == other
    assert len(file.read_text().splitlines()) == 3


@pytest.mark.parametrize(("stamp", "fresh"), [("code 2", False), ("code 1", True)])
def test_rows_of_other_code_and_before_a_fresh_start_are_gone(tmp_path: Path, stamp: str, fresh: bool) -> None:
    file = tmp_path / "rows.csv"
    Rows(file, "code 1").add(ROW)
    assert len(Rows(file, stamp, fresh=fresh)) == 0
    assert len(file.read_text().splitlines()) == 1


def test_a_file_of_another_kind_is_begun_anew(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("x,code\n1,code 1\n")
    assert len(Rows(file, "code 1")) == 0


def test_the_truth_of_a_turned_pair_moves_it_back(surface: np.ndarray, rng: np.random.Generator) -> None:
    truth = exp([0.3, -0.2, 0.4, 0.5, -0.2, 0.1])
    pair = Pair(surface, apply(truth, surface), truth, 1.0)
    turned = turn(pair, anywhere(rng, 5.0))
    assert np.allclose(apply(turned.truth, turned.source), pair.target)
    assert turned.errors(turned.truth) == pytest.approx((0.0, 0.0), abs=1e-7)
    # An error in the target's frame is the same however the source was turned.
    answer = exp([0.0, 0.1, 0.0, 0.0, 0.0, 0.2]) @ truth
    assert turned.errors(answer @ np.linalg.inv(turned.motion)) == pytest.approx(pose_error(answer, truth))


def test_motions_are_rigid_within_reach_and_reach_all_around(rng: np.random.Generator) -> None:
    free = np.array([anywhere(rng, 2.0) for _ in range(500)])
    ground = np.array([on_the_ground(rng, 10.0, 3) for _ in range(500)])
    assert np.allclose(free[:, :3, :3] @ free[:, :3, :3].transpose(0, 2, 1), np.eye(3))
    assert np.abs(free[:, :3, :3].mean(axis=0)).max() < 0.1
    assert np.abs(free[:, :3, 3]).max() <= 2.0
    assert np.linalg.norm(ground[:, :3, 3], axis=1).max() <= 10.0
    assert np.allclose(ground[:, 2], [0, 0, 1, 0])
    assert np.abs(ground[:, :2, :2].mean(axis=0)).max() < 0.15
    assert on_the_ground(rng, 1.0, 2).shape == (3, 3)


@dataclass(frozen=True)
class Other:
    """An alternative."""

    transformation: np.ndarray
    score: float


def test_the_outcome_of_a_wrong_answer_says_where_the_truth_was() -> None:
    far, near = exp([2.0, 0.0, 0.0]), exp([0.05, 0.0, 0.0])
    result = SimpleNamespace(
        transformation=far, confidence=0.4, overlap=0.7, alternatives=(Other(far, 0.99), Other(near, 0.9))
    )
    found = outcome(result, lambda T: pose_error(T, np.eye(3)), lambda rotation, _: rotation < 0.1)
    assert (found.right, found.place, found.score, found.confidence) == (False, 2, 0.9, 0.4)
    alone = outcome(
        SimpleNamespace(transformation=near, confidence=1.0, overlap=1.0, alternatives=()),
        lambda T: pose_error(T, np.eye(3)),
        lambda rotation, _: rotation < 0.1,
    )
    assert (alone.right, alone.place, alone.score) == (True, 0, 0.0)
