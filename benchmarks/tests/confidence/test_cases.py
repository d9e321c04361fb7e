"""The pairs on which the confidence is judged, and the tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.confidence.__main__ import farthest_bin, report
from benchmarks.confidence.case import Case, Sets
from benchmarks.confidence.cases import all_cases
from benchmarks.confidence.observe import Answer, Observation, observe, read
from svgm.registration.confidence import Evidence
from svgm.rigid import apply, exp

#: Families of generated sets, which need no data.
GENERATED = {"body", "blob", "room", "terrain", "trees", "storey", "repeated", "sliding", "noise", "outline"}


def cases(data: Path) -> list[Case]:
    return [case for case in all_cases(0.04) if case.family in GENERATED]


def test_generated_pairs_are_pairs(data: Path) -> None:
    found = cases(data)
    assert {case.family for case in found} == GENERATED
    for case in found:
        sets, again = case.load(), case.load()
        assert np.array_equal(sets.source, again.source)
        assert min(len(sets.source), len(sets.target)) >= 20
        assert (sets.truth is None) == (case.kind == "unrelated")
        if sets.truth is not None:
            assert case.right(sets.truth, sets)


def test_what_is_right() -> None:
    source = np.random.default_rng(0).uniform(-1.0, 1.0, (100, 3))
    truth = exp([0.3, 0.0, 0.0, 5.0, 0.0, 0.0])
    sets = Sets(source, apply(truth, source), truth)
    case = Case("body", "one", "overlap", lambda: sets)
    assert case.right(truth @ exp([0.0, 0.01, 0.0, 0.0, 0.01, 0.0]), sets)
    assert not case.right(truth @ exp([0.0, 0.5, 0.0, 0.0, 0.0, 0.0]), sets)
    assert not case.right(truth @ exp([0.0, 0.0, 0.0, 0.0, 0.5, 0.0]), sets)
    assert not case.right(truth, Sets(source, source, None))


def test_an_observation_comes_back_from_its_file(tmp_path: Path, data: Path) -> None:
    seen = observe(next(case for case in cases(data) if case.family == "outline"))
    (tmp_path / "seen.jsonl").write_text(seen.line() + "\n")
    assert read(tmp_path / "seen.jsonl") == {(seen.family, seen.name): seen}
    assert read(tmp_path / "none.jsonl") == {}


def test_the_tables(capsys: pytest.CaptureFixture[str]) -> None:

    def seen(
        family: str, name: str, kind: str, *, right: bool, confidence: float, doubtful: bool = False
    ) -> Observation:
        evidence = Evidence(0.0, 0.0, 0.0, 0.0, confidence - 0.5, 0.0)
        trusted = confidence > 0.9 and not doubtful
        answers = (Answer(right, evidence),)
        return Observation(family, name, kind, 3, right, trusted, doubtful, confidence, answers)

    found = [seen("body", f"{k}", "overlap", right=k > 1, confidence=0.95) for k in range(20)]
    found += [seen("noise", f"{k}", "unrelated", right=False, confidence=0.1 + 0.85 * (k == 0)) for k in range(10)]
    found += [seen("sliding", f"plane {k}", "slides", right=False, confidence=0.95, doubtful=True) for k in range(5)]
    report(found)
    said = capsys.readouterr().out
    assert "20 pairs,   18 right" in said
    assert "together: 21 trusted, 3 of them wrong" in said
    assert "trusted of 10 unrelated pairs: 1 (bar <= 0) NOT MET" in said
    assert "share trusted and wrong of 5 that slide: 0 (bar <= 0.01) met" in said
    assert "each left out of the fit" in said


def test_bins_with_few_pairs_do_not_count() -> None:
    assert farthest_bin(np.full(9, 0.95), np.zeros(9, bool)) == 0.0
