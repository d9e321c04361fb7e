"""The parts by which full covariances are judged: which pairs, who is left out, which bar."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.covariances import checkouts, race, strips
from benchmarks.covariances.__main__ import main
from benchmarks.covariances.body import SOURCES, TARGET, Body
from benchmarks.covariances.contestants import CALL, ISOTROPIC_CALL, Contestant, calls
from benchmarks.covariances.parts import PARTS, SEEN, UNSEEN, Part, median_error
from benchmarks.paper.problems import Shape
from benchmarks.paper.store import Run, Store
from benchmarks.tests.paper import fake_methods


@pytest.fixture
def road(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, curve: np.ndarray) -> None:
    """A data folder with one 2D set."""
    folder = tmp_path / "data"
    (folder / "shapes_2d").mkdir(parents=True)
    np.savetxt(folder / "shapes_2d" / "road.txt", curve)
    monkeypatch.setenv("SVGM_DATA", str(folder))


def _part(*contestants: Contestant, limit: float | str) -> Part:
    problems = {"turned": [Shape("road", angle) for angle in (0.5, 0.5001, 2.0)]}
    return Part("turns", lambda: problems, contestants, median_error, "°", {"turned": limit})


def test_every_group_has_pairs_and_a_bar() -> None:
    for name, part in PARTS.items():
        groups = part.groups()
        assert set(groups) == set(part.limits), name
        assert all(groups.values()), name
        assert len({contestant.name for contestant in part.contestants}) == len(part.contestants)
    assert [len(PARTS["dragon"].groups()[f"96°, {seeds}"]) for seeds in (SEEN, UNSEEN)] == [90, 60]
    assert [len(pairs) for pairs in PARTS["streets"].groups().values()] == [299, 60, 59]
    assert len(PARTS["shapes"].groups()["occlusion 0.4"]) == 4 * 50


@pytest.mark.parametrize("angle", SOURCES)
def test_views_are_as_far_apart_as_they_say(angle: int) -> None:
    a, b = np.array(TARGET), np.array(SOURCES[angle])
    assert np.degrees(np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))) == pytest.approx(angle, abs=0.5)
    pair = Body(angle, 2).load()
    assert 1500 < len(pair.source) < 3000
    assert 1500 < len(pair.target) < 3000


def test_isotropic_is_the_same_call_with_one_option_more() -> None:
    plain, isotropic = calls("global", search="global")
    assert (plain.method, isotropic.method) == (CALL, ISOTROPIC_CALL)
    assert {**plain.setting, "covariance": "isotropic"} == isotropic.setting


@pytest.mark.usefixtures("road")
def test_rows_are_kept_and_one_that_cannot_run_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, other = (fake_methods.method(name, fake_methods.right) for name in ("right", "other"))
    absent = replace(other, name="absent", option="no_such_parameter")
    entrants = [Contestant("a", right, {}), Contestant("b", other, {"angle": 0.51}), Contestant("c", absent, {})]
    store = Store(tmp_path / "out", [right, other, absent])
    bars = race.run(_part(*entrants, limit="b"), store, 0, 60.0)
    text = capsys.readouterr().out
    assert "c: left out: svgm.register has no parameter no_such_parameter" in text
    assert "turned: a: 2 of 3 right" in text
    assert [(bar.what, bar.met) for bar in bars] == [("turned, a (°), best other: b", True)]
    assert len(store) == 6
    # Once more: nothing is left to do, and fewer pairs are among those that were done.
    assert race.run(_part(*entrants, limit=0.1), Store(tmp_path / "out", [right, other, absent]), 2, 60.0)[0].met


def test_the_best_of_the_others_is_the_bar_and_without_them_there_is_none() -> None:
    part = replace(_part(limit="RANSAC"), at_least=True)
    figures = {"default": 80.0, "RANSAC, 1": 70.0, "RANSAC, 2": 90.0}
    assert race.bar(part, "turned", "default", figures)[0].limit == 90.0
    assert race.bar(part, "turned", "default", {"default": 80.0}) == []


def test_pairs_are_evenly_spaced() -> None:
    problems = [Shape("road", float(k)) for k in range(10)]
    assert [problem.angle for problem in race.spread(problems, 4)] == [0.0, 3.0, 6.0, 9.0]
    assert race.spread(problems, 0) == problems
    assert race.spread(problems, 99) == problems


def test_errors_of_wrong_answers_are_left_out_of_the_median() -> None:
    runs = [Run("p", "m", "{}", "ok", 0.1, np.radians(error), 0.0) for error in (0.1, 0.3, 90.0)]
    assert median_error(runs) == pytest.approx(0.2)
    assert median_error(runs[2:]) == np.inf


EXAMPLE = """
import sys
import numpy as np
from svgm.datasets import body
print("said by the example, not by the benchmark", sys.argv[1])
source, _ = body(300, seed=1)
target, _ = body(300, seed=2)
truth, middle = np.eye(4), np.eye(4)
"""


def test_strips_are_those_of_the_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "strips.py"
    script.write_text(EXAMPLE)
    monkeypatch.setattr(strips, "EXAMPLE", script)
    bars = strips.run()
    text = capsys.readouterr().out
    assert "said by" not in text
    assert "default: " in text
    assert [bar.met for bar in bars] == [True]
    names = checkouts.HERE / "examples" / "strips.py"
    assert all(f"{name} = " in names.read_text() for name in ("source", "truth", "middle"))


OLDER = """
import numpy as np
def register(source, target, *, threads):
    class Result:
        transformation = np.eye(4)
    return Result
"""


def test_another_checkout_registers_with_its_own_svgm(tmp_path: Path) -> None:
    package = tmp_path / "src" / "svgm"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(OLDER)
    file = tmp_path / "pair.npz"
    np.savez(file, source=np.ones((5, 3)), target=np.zeros((5, 3)))
    older = checkouts.Checkout(tmp_path)
    seconds, T = older.register(file)
    older.end()
    assert seconds < 1.0
    assert (np.eye(4) == T).all()


def test_a_checkout_that_cannot_register_ends_the_benchmark(tmp_path: Path) -> None:
    (tmp_path / "src" / "svgm").mkdir(parents=True)
    (tmp_path / "src" / "svgm" / "__init__.py").write_text("raise SystemExit(1)")
    broken = checkouts.Checkout(tmp_path)
    with pytest.raises(SystemExit, match="its core must be built"):
        broken.register(tmp_path / "none.npz")
    broken.end()


def test_lines_of_the_rooms_that_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("a.py", "1\n2\n"), ("io/b.py", "1\n"), ("_core/c.cpp", "1\n"), ("_core/d.txt", "1\n")):
        path = tmp_path / "src" / "svgm" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert checkouts.count(tmp_path / "src" / "svgm") == {".py": 2, ".cpp": 1, ".hpp": 0}
    assert not checkouts.lines(tmp_path)[0].met
    assert "3 (.py 2, .cpp 1, .hpp 0)" in capsys.readouterr().out


@pytest.mark.usefixtures("road")
def test_time_without_another_checkout_is_left_out(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["time", "lines", "--output", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert "time: left out: --against names no other checkout" in result.output
    assert "0 of 0 bars met" in result.output


def test_another_checkout_must_be_one(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["lines", "--against", str(tmp_path)])
    assert result.exit_code == 1
    assert "--against must be a checkout of this project" in result.output
