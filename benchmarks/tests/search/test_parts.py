"""The parts of the search benchmarks with a registration that is made up: what they count, and what they say."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.methods.method import Method
from benchmarks.methods.registry import METHODS
from benchmarks.paper.problems import Pair
from benchmarks.search import pairs, peers, shapes
from benchmarks.search.pairs import turn
from benchmarks.speed.findings import Findings
from svgm.rigid import exp


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, curve: np.ndarray) -> None:
    """A data folder with the 2D sets alone, all of them one curve."""
    (tmp_path / "shapes_2d").mkdir()
    for name in shapes.NAMES:
        np.savetxt(tmp_path / "shapes_2d" / f"{name}.txt", curve)
    monkeypatch.setenv("SVGM_DATA", str(tmp_path))


@pytest.mark.usefixtures("sets")
def test_turns_undone_by_an_alternative_count_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def still(source: Any, target: Any, **options: Any) -> SimpleNamespace:
        # The identity undoes the turn by 0 alone; half a turn is as good, a turn by 1 is not.
        others = [SimpleNamespace(transformation=exp([a, 0.0, 0.0]), score=s) for a, s in ((3.14, 0.96), (1.0, 0.5))]
        return SimpleNamespace(transformation=np.eye(3), confidence=0.5, overlap=1.0, alternatives=tuple(others))

    monkeypatch.setattr(pairs, "register", still)
    findings = Findings()
    shapes.run(findings, 157)  # -3.14, -1.57, 0, 1.57, 3.14
    found = findings.details["shapes, road, global"]
    assert (found["turns"], found["by_answer"], found["by_alternative"]) == (5, 1, 2)
    assert found["failed"] == pytest.approx([-1.57, 1.57])
    assert "road, global: turns undone of 5: 3 (bar >= 5) NOT MET" in capsys.readouterr().out


def test_a_peer_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(METHODS["S4P"].binary or "", raising=False)
    assert peers.present(["nobody", "S4P"]) == []
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["nobody", "S4P"]


def test_the_setting_most_often_right_is_chosen_and_beside_it_the_fastest(
    monkeypatch: pytest.MonkeyPatch, surface: np.ndarray
) -> None:
    pair = turn(Pair(surface, surface, np.eye(4), 1.0), exp([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]))

    def align(*sets: np.ndarray, unit: float, threads: int, good: bool) -> np.ndarray:
        if not good:
            raise RuntimeError("gives up at once, and so is the fastest")
        return sum(np.linalg.matrix_power(sets[0].T @ sets[0], 2)[0, 0] * 0.0 for _ in range(300)) + pair.truth

    monkeypatch.setattr(pairs, "register", lambda *sets, **options: None)
    method = Method("peer", "", align, {"dragon": ({"good": True}, {"good": False})})
    problems: list[Any] = [SimpleNamespace(load=lambda: pair)] * 2
    taken, trials = peers.chosen(method, problems)
    assert [(peer.name, peer.setting["good"]) for peer in taken] == [("peer", True), ("peer, fastest", False)]
    assert [(trial.right, trial.pairs) for trial in trials] == [(2, 2), (0, 2)]
    assert [peer.setting["good"] for peer in peers.chosen(method, [])[0]] == [True]
