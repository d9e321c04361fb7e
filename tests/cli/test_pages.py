"""Commands that write something to look at: whole or not at all, and with the line that repeats them."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm.rigid import apply, exp
from svgm.scenes import laser_scan, round_walk, storey
from svgm.shapes import body, butterfly


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
