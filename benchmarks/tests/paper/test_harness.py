"""The harness of the paper's experiments: failing methods are rows, interrupted runs go on, training stays apart."""

from __future__ import annotations

import json
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.methods.registry import METHODS
from benchmarks.paper import figure5, figure7, page, table1, table2, table4
from benchmarks.paper.__main__ import EXPERIMENTS, main
from benchmarks.paper.data import differing, digests
from benchmarks.paper.experiment import choose, thinned
from benchmarks.paper.perturb import minimum_circle, with_noise, with_outliers
from benchmarks.paper.problems import Shape
from benchmarks.paper.store import Run, Store, code_of, spelled
from benchmarks.paper.workers import Job, solve_all
from benchmarks.tests.paper import fake_methods
from svgm import estimate_scale
from tests.waiting import PATIENCE


@pytest.fixture
def shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, curve: np.ndarray) -> Path:
    """A data folder with the 2D sets alone, all of them one curve."""
    folder = tmp_path / "data"
    (folder / "shapes_2d").mkdir(parents=True)
    for name in ("road", "contour", "fish", "glyph", *table1.TRAINING):
        np.savetxt(folder / "shapes_2d" / f"{name}.txt", curve)
    monkeypatch.setenv("SVGM_DATA", str(folder))
    return folder


def test_a_method_that_fails_dies_or_hangs_is_a_row_and_the_others_go_on(shapes: Path) -> None:
    aligns = {
        "right": fake_methods.right,
        "raises": fake_methods.raises,
        "wrong": fake_methods.wrong_shape,
        "dies": fake_methods.dies,
        "hangs": fake_methods.hangs,
        "right again": fake_methods.right,
    }
    problem = Shape("road", 0.5)
    jobs = [Job(problem, fake_methods.method(name, align), {}) for name, align in aligns.items()]
    runs = {job.method.name: run for job, run in solve_all(jobs, workers=2, limit=PATIENCE)}
    assert {name: run.status for name, run in runs.items()} == {
        "right": "ok",
        "raises": "failed",
        "wrong": "failed",
        "dies": "died",
        "hangs": "limit",
        "right again": "ok",
    }
    assert runs["right"].rotation == pytest.approx(0.0, abs=1e-9)
    assert runs["raises"].message == "RuntimeError: no features"
    assert "exit code 7" in runs["dies"].message
    # Without an answer the source stays where it was.
    assert runs["hangs"].rotation == pytest.approx(0.5)


def test_runs_are_kept_and_a_torn_line_is_run_again(shapes: Path, tmp_path: Path) -> None:
    store = Store(tmp_path, METHODS.values())
    store.add(Run("problem 1", "svgm", spelled({}), "ok", 0.1, 0.2, 0.3))
    store.add(Run("problem 2", "svgm", spelled({"nu": 0.1}), "ok", 0.1, 0.2, 0.3))
    file = tmp_path / "runs.jsonl"
    file.write_text(file.read_text()[:-9])
    again = Store(tmp_path, METHODS.values())
    assert again.find("problem 1", "svgm", {}) is not None
    assert again.find("problem 2", "svgm", {"nu": 0.1}) is None
    again.add(Run("problem 2", "svgm", spelled({"nu": 0.1}), "ok", 0.1, 0.2, 0.3))
    assert len(Store(tmp_path, METHODS.values())) == 2


def test_results_of_other_code_do_not_count(shapes: Path, tmp_path: Path) -> None:
    store = Store(tmp_path, METHODS.values())
    for method in ("svgm", "NDD"):
        store.add(Run("problem", method, spelled({}), "ok", 0.1, 0.2, 0.3))
    file = tmp_path / "runs.jsonl"
    file.write_text(file.read_text().replace(code_of(METHODS["svgm"]), "older"))
    again = Store(tmp_path, METHODS.values())
    assert again.outdated == 1
    assert again.find("problem", "svgm", {}) is None
    assert again.find("problem", "NDD", {}) is not None


def test_the_code_of_a_method_is_its_own_and_what_it_uses() -> None:
    codes = {name: code_of(method) for name, method in METHODS.items()}
    assert codes["SVR"] == codes["svgm"]
    assert len({codes[name] for name in ("svgm", "NDD", "ICP", "CPD", "VGICP", "KISS")}) == 6


def test_results_of_other_data_are_refused_or_discarded(shapes: Path, tmp_path: Path) -> None:
    Store(tmp_path, METHODS.values()).add(Run("problem", "svgm", spelled({}), "ok", 0.1, 0.2, 0.3))
    np.savetxt(shapes / "shapes_2d" / "road.txt", np.eye(2))
    with pytest.raises(click.ClickException, match="results of other data"):
        Store(tmp_path, METHODS.values())
    assert len(Store(tmp_path, METHODS.values(), fresh=True)) == 0


def test_the_command_resumes_and_leaves_all_its_files(
    shapes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table1, "ANGLES", (0.0, 0.5))
    output = tmp_path / "out"
    words = ["table1", "--methods", "svgm;ICP", "--output", str(output), "--workers", "1"]
    first = CliRunner().invoke(main, words)
    assert first.exit_code == 0, first.output
    assert "svgm on road" in first.output
    assert "shapes_2d: not the data of the figures in the docs" in first.output
    lines = (output / "runs.jsonl").read_text().splitlines()
    (output / "runs.jsonl").write_text("\n".join(lines[:-3]) + "\n")
    again = CliRunner().invoke(main, words)
    assert again.exit_code == 0, again.output
    assert len((output / "runs.jsonl").read_text().splitlines()) == len(lines)
    record = json.loads((output / "table1.json").read_text())
    assert record["origin"]["svgm"]
    assert set(record["settings"]) == {"svgm", "ICP"}
    assert (output / "table1.csv").read_text().startswith("set,turned about,method,")
    assert (output / "table1.png").stat().st_size > 1000
    assert "| svgm |" in (output / "table1.md").read_text()


def test_an_unknown_method_and_bad_seeds_are_one_line() -> None:
    for words, message in ((["--methods", "XYZ"], "no method 'XYZ'"), (["--seeds", "a"], "--seeds must be")):
        result = CliRunner().invoke(main, ["table1", *words])
        assert result.exit_code == 1
        assert message in result.output
        assert len(result.output.splitlines()) == 1


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=list(EXPERIMENTS))
def test_no_problem_is_scored_with_parameters_chosen_on_it(experiment) -> None:
    scored = experiment.problems([0])
    assert scored
    for fold, training in experiment.training.items():
        judged = [problem for _, problem in scored if experiment.fold(problem) == fold]
        # Not the same pair of sets either, whatever the random points are.
        assert not {_sets(problem) for problem in judged} & {_sets(problem) for problem in training}
    assert {experiment.fold(problem) for _, problem in scored} <= {*experiment.training, "all"}


def _sets(problem) -> tuple:
    """What is registered to what."""
    return (problem.name,) if isinstance(problem, Shape) else (problem.target, getattr(problem, "source", None))


def test_every_experiment_takes_methods_that_exist_and_know_its_data() -> None:
    for experiment in EXPERIMENTS.values():
        family = experiment.family
        for name in experiment.methods:
            assert METHODS[name].settings[family], name
            assert METHODS[name].seconds[family] > 0, name


def test_the_setting_with_the_fewest_failures_is_chosen(shapes: Path, tmp_path: Path) -> None:
    store = Store(tmp_path, METHODS.values())
    method = METHODS["svgm, chosen"]
    for problem in (*table1.EXPERIMENT.training["mean"], *table1.EXPERIMENT.training["origin"]):
        for setting in method.settings["shapes_2d"]:
            error = 0.0 if setting == {"nu": 0.3, "finest": 100.0} else 1.0
            store.add(Run(problem.key, method.name, spelled(setting), "ok", 0.1, error, 0.0))
    assert choose(table1.EXPERIMENT, method, store) == {
        fold: {"nu": 0.3, "finest": 100.0} for fold in ("mean", "origin")
    }


def test_the_experiments_are_those_of_the_paper() -> None:
    assert len(table1.problems([0])) == 2 * 4 * 2 * 315
    assert len(table2.problems([0])) == 4 * 30
    assert len(figure7.problems([0])) == 2 * len(figure7.FRACTIONS) * 30
    groups = [group for group, _ in figure5.problems([0])]
    assert groups.count("outliers 0.5") == 4 * 50
    assert [group for group, _ in table4.problems([0])].count("1") == 299


def test_a_quick_look_takes_some_pairs_of_every_group_and_never_fills_a_page() -> None:
    few = thinned(table4.EXPERIMENT, 20)
    groups = [group for group, _ in few.problems([0])]
    assert [groups.count(gap) for gap in ("1", "2", "3", "5")] == [15, 3, 3, 3]
    assert {len(pairs) for pairs in few.training.values()} == {2}
    assert thinned(table2.EXPERIMENT, 1).problems([0]) == table2.problems([0])
    result = CliRunner().invoke(main, ["table2", "page", "--every", "2"])
    assert result.exit_code == 1
    assert "a page shows all pairs" in result.output


def test_outliers_are_a_share_of_all_points_inside_the_smallest_circle(
    curve: np.ndarray, rng: np.random.Generator
) -> None:
    centre, radius = minimum_circle(curve)
    distances = np.linalg.norm(curve - centre, axis=1)
    assert distances.max() == pytest.approx(radius)
    # It touches at least two points, and no circle around a nearby centre is smaller.
    assert (distances > radius * (1 - 1e-9)).sum() >= 2
    for step in 1e-3 * radius * rng.standard_normal((50, 2)):
        assert np.linalg.norm(curve - centre - step, axis=1).max() > radius
    full = with_outliers(curve, 0.5, rng)
    assert len(full) == 2 * len(curve)
    assert np.linalg.norm(full - centre, axis=1).max() <= radius * (1 + 1e-9)
    noisy = with_noise(curve, 0.5, rng)
    assert (noisy - curve).std() == pytest.approx(0.5 * estimate_scale(curve), rel=0.2)


def test_the_page_is_filled_between_its_marks_or_left_alone(tmp_path: Path) -> None:
    docs = tmp_path / "results.md"
    docs.write_text("before\n<!-- table1 -->\nold\n<!-- /table1 -->\nafter\n")
    with pytest.raises(click.ClickException, match="paper table1` first"):
        page.fill(docs, tmp_path)
    assert "old" in docs.read_text()
    (tmp_path / "table1.md").write_text("| new | \\1 |\n")
    (tmp_path / "table1.png").write_bytes(b"png")
    page.fill(docs, tmp_path)
    page.fill(docs, tmp_path)
    text = docs.read_text()
    assert "old" not in text
    assert text.count("| new | \\1 |") == 1
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert (tmp_path / "images" / "paper" / "table1.png").read_bytes() == b"png"
    page.fill(docs, tmp_path, only=["table2"])
    assert docs.read_text() == text


def test_the_data_are_those_of_the_figures_in_the_docs(data: Path) -> None:
    assert differing(digests(data)) == []
