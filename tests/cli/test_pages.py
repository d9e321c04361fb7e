"""Commands that write something to look at: whole or not at all, and with the line that repeats them."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import svgm
from svgm.cli import main
from svgm.cli.view_scene import read_scene
from svgm.datasets import body, butterfly, laser_scan, round_walk, storey
from svgm.rigid import apply, exp


@pytest.fixture
def pair(tmp_path):
    """Two files of points in a folder of their own."""
    folder = tmp_path / "my scans"
    folder.mkdir()
    svgm.write_points(folder / "a.ply", apply(exp([0.2, 0.1, 0.3, 0.5, 0.0, 0.1]), body(1500, seed=1)[0]))
    svgm.write_points(folder / "b.ply", body(1500, seed=2)[0])
    return folder / "a.ply", folder / "b.ply"


def test_a_registration_writes_its_report(run, pair, tmp_path) -> None:
    report = tmp_path / "report.html"
    outcome = run("register", *pair, "--report", report, "--nu", "0.02")
    assert outcome.exit_code == 0
    text = report.read_text(encoding="utf-8")
    assert "a.ply registered to b.ply" in text
    assert f"svgm register &#x27;{pair[0]}&#x27; &#x27;{pair[1]}&#x27; --nu 0.02 --report {report}" in text
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["report.html"]


@pytest.mark.parametrize("command", ["register", "merge", "map"])
def test_a_page_has_the_suffix_of_one(run, pair, tmp_path, command: str) -> None:
    options = {
        "register": ("--report",),
        "merge": ("-o", tmp_path / "m.npz", "--html"),
        "map": ("-o", tmp_path / "map", "--report"),
    }[command]
    outcome = run(command, *pair, *options, tmp_path / "report.pdf")
    assert outcome.exit_code == 1
    assert "must be written to a file ending in .html .htm" in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["my scans"]


def test_outputs_that_collide_are_refused(run, pair, tmp_path) -> None:
    outcome = run("register", *pair, "--matrix", tmp_path / "x.html", "--report", tmp_path / "x.html")
    assert outcome.exit_code == 1
    assert "two outputs must not go to one file" in outcome.stderr


def test_what_merging_kept_is_shown(run, pair, tmp_path) -> None:
    outcome = run("merge", pair[1], pair[1], "-o", tmp_path / "m.npz", "--html", tmp_path / "m.html")
    assert outcome.exit_code == 0
    assert "from the target" in (tmp_path / "m.html").read_text(encoding="utf-8")


def test_a_map_writes_its_report(run, tmp_path) -> None:
    pytest.importorskip("gtsam")
    walls = storey()
    for k, pose in enumerate(round_walk(60)[:4]):
        svgm.write_points(tmp_path / f"{k}.csv", laser_scan(walls, pose, seed=k))
    outcome = run("map", tmp_path, "-o", tmp_path / "map", "--report", tmp_path / "map.html", "-q")
    assert outcome.exit_code == 0
    text = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert "All 4 scans are in the map" in text
    assert "svgm map" in text


def test_a_fit_is_drawn(run, tmp_path) -> None:
    imread = pytest.importorskip("matplotlib.image").imread
    svgm.write_points(tmp_path / "a.csv", butterfly(300, seed=1))
    outcome = run("fit", tmp_path / "a.csv", "-o", tmp_path / "a.npz", "--picture", tmp_path / "a.png")
    assert outcome.exit_code == 0
    assert np.asarray(imread(tmp_path / "a.png"))[..., :3].std() > 0.05
    outcome = run("fit", tmp_path / "a.csv", "-o", tmp_path / "b.npz", "--picture", tmp_path / "b.gif")
    assert outcome.exit_code == 1
    assert not (tmp_path / "b.npz").exists()


def test_files_are_viewed_as_one_page(run, pair, tmp_path) -> None:
    outcome = run("view", *pair, "--html", tmp_path / "both.html")
    assert outcome.exit_code == 0
    assert outcome.stdout == f"{tmp_path / 'both.html'}\n"
    text = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert '"name":"a.ply"' in text
    assert '"name":"b.ply"' in text


def test_a_line_with_names_that_look_like_options(run, pair, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(pair[0].parent)
    pair[0].rename(pair[0].with_name("-a.ply"))
    outcome = CliRunner().invoke(main, ["register", "--report", str(tmp_path / "r.html"), "--", "-a.ply", "b.ply"])
    assert outcome.exit_code == 0
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert f"register --report {tmp_path / 'r.html'} -- -a.ply b.ply" in text


def test_inputs_are_not_written_over_by_something_else(run, pair) -> None:
    before = pair[0].read_bytes()
    outcome = run("register", *pair, "--matrix", pair[0])
    assert outcome.exit_code == 1
    assert "is read, so nothing else is written to it" in outcome.stderr
    assert pair[0].read_bytes() == before


def test_the_report_of_a_map_may_lie_in_its_folder(run, tmp_path) -> None:
    pytest.importorskip("gtsam")
    walls = storey()
    for k, pose in enumerate(round_walk(60)[:3]):
        svgm.write_points(tmp_path / f"{k}.csv", laser_scan(walls, pose, seed=k))
    outcome = run("map", tmp_path, "-o", tmp_path / "map", "--report", tmp_path / "map" / "report.html", "-q")
    assert outcome.exit_code == 0
    assert (tmp_path / "map" / "report.html").is_file()


def test_a_result_begins_where_the_registration_began(run, pair, tmp_path) -> None:
    start = exp([0.3, 0.0, 0.0, 0.0, 0.0, 0.0])
    np.savetxt(tmp_path / "T.txt", start)
    outcome = run("register", *pair, "--init", tmp_path / "T.txt", "--json")
    (tmp_path / "result.json").write_text(outcome.stdout)
    scene, _ = read_scene([], None, tmp_path / "result.json", 1000)
    np.testing.assert_allclose(scene.frames[0].transformation, start)
    assert len(scene.layers[0].places) <= 1000


@pytest.mark.parametrize("text", ["nonsense", "[1, 2]", "[" * 100_000])
def test_results_that_are_none(run, pair, tmp_path, text: str) -> None:
    (tmp_path / "result.json").write_text(text)
    outcome = run("view", *pair, "--result", tmp_path / "result.json", "--html", tmp_path / "v.html")
    assert outcome.exit_code == 1
    assert "must hold" in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    outcome = run("view", *pair, "--result", tmp_path / "nothing.json", "--html", tmp_path / "v.html")
    assert "no such file" in outcome.stderr or "does not exist" in outcome.stderr
