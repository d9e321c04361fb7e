"""`svgm register --search`: what it prints, the candidates it writes, and how it fails."""

from __future__ import annotations

import json

import numpy as np

import svgm
from svgm.rigid import apply, exp, pose_error


def test_global_search_writes_the_answer_and_its_alternatives(run, out, files, truth):
    turned = exp([2.5, 30.0, -10.0])
    svgm.write_points(out / "turned.csv", apply(turned, svgm.read_points(files / "b.csv")))
    arguments = ("register", "a.csv", out / "turned.csv", "--search", "global", "--candidates", out / "c.json")
    outcome = run(*arguments, "--json")
    assert outcome.exit_code == 0, outcome.output
    record, candidates = json.loads(outcome.stdout), json.loads((out / "c.json").read_text())
    assert outcome.stderr == ""
    assert pose_error(np.array(record["transformation"]), turned @ truth["csv"])[0] < np.radians(3)
    assert record["search"] == record["settings"]["search"] == "global"
    assert 0.0 <= record["confidence"] <= 1.0
    assert record["trusted"] == (record["confidence"] >= svgm.TRUSTED)
    assert record["certificate"] is None
    assert candidates[0] == {
        "transformation": record["transformation"],
        "score": 1.0,
        "confidence": record["confidence"],
    }
    assert candidates[1:] == record["alternatives"]
    scores = [candidate["score"] for candidate in candidates[1:]]
    assert scores == sorted(scores, reverse=True)


def test_local_search_has_candidates_too(run, out):
    outcome = run("register", "a.csv", "b.csv", "--search", "local", "--candidates", out / "c.json", "-q")
    assert outcome.exit_code == 0, outcome.output
    assert len(json.loads((out / "c.json").read_text())) >= 1


def test_certified_search_reports_its_proof(run):
    outcome = run("register", "a.csv", "b.csv", "--search", "certified", "--gap", 0.1, "--seconds", 0.5, "--json")
    assert outcome.exit_code == 0, outcome.output
    record = json.loads(outcome.stdout)
    certificate = record["certificate"]
    assert record["search"] == "certified"
    assert certificate["bound"] <= certificate["objective"] < 0
    assert certificate["complete"] == (certificate["gap"] <= certificate["requested"])
    assert (record["settings"]["gap"], record["settings"]["seconds"]) == (0.1, 0.5)


def test_the_summary_says_how_far_it_can_be_believed(run):
    outcome = run("register", "a.csv", "b.csv", "--search", "global")
    assert outcome.exit_code == 0, outcome.output
    assert "confidence" in outcome.stderr
    assert "objective" in outcome.stderr


def test_refused(run, fails, tmp_path):
    for search in ("auto", "certified"):
        fails("register", "a.csv", "b.csv", "--search", search, "--gap", 0, match="gap must be positive")
        fails("register", "a.csv", "b.csv", "--search", search, "--seconds", -1, match="seconds must be positive")
    fails("register", "a.csv", "b.csv", "--candidates", tmp_path / "none" / "c.json", match="none")
    assert run("register", "a.csv", "b.csv", "--search", "everywhere").exit_code == 2
