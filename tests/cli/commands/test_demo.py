"""`svgm demo`: the files it writes, and the errors of its poses."""

from __future__ import annotations

import json
import sys

import svgm

FILES = [
    "body-aligned.ply",
    "body-merged.npz",
    "body-report.html",
    "body.png",
    "butterfly-aligned.ply",
    "butterfly-merged.npz",
    "butterfly-report.html",
    "butterfly.png",
]


def test_demo_writes_all_files_and_finds_the_truth(run, tmp_path):
    outcome = run("demo", "--output", tmp_path / "new" / "demo", "--json")
    assert outcome.exit_code == 0, outcome.output
    record = json.loads(outcome.stdout)
    assert sorted(path.name for path in (tmp_path / "new" / "demo").iterdir()) == FILES
    assert [shape["shape"] for shape in record["shapes"]] == ["butterfly", "body"]
    for shape in record["shapes"]:
        assert shape["rotation_error"] < 1.0
        assert shape["translation_error"] < 0.01
        assert shape["merged"] < sum(shape["components"])
        merged = svgm.Mixture.load(tmp_path / "new" / "demo" / f"{shape['shape']}-merged.npz")
        assert len(merged) == shape["merged"]
        aligned = svgm.read_points(tmp_path / "new" / "demo" / f"{shape['shape']}-aligned.ply")
        assert len(aligned) == shape["points"][0]


def test_demo_without_matplotlib_leaves_the_pictures_out(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    outcome = run("demo", "--output", tmp_path)
    assert outcome.exit_code == 0, outcome.output
    assert "butterfly" in outcome.stdout
    assert "body" in outcome.stdout
    assert 'pip install "svgm[view]"' in outcome.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [name for name in FILES if not name.endswith("png")]


def test_demo_into_a_file_is_one_line(fails, tmp_path):
    (tmp_path / "file").write_text("")
    fails("demo", "--output", tmp_path / "file", match="cannot be made")
