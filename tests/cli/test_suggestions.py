"""The error of an unknown name suggests the most similar one."""

from __future__ import annotations

import pytest

import svgm
from svgm.cli.suggestions import did_you_mean_file


def test_an_unknown_command_that_is_like_none_lists_all(run):
    outcome = run("zzzzz")
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("svgm: error: no such command 'zzzzz'; the commands are fit, register,")
    assert outcome.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("register", "{}", "b.csv"),
        ("register", "a.csv", "b.csv", "--init", "{}"),
        ("fit", "{}", "-o", "x.npz"),
        ("fit", "a.csv", "-o", "x.npz", "--like", "{}"),
        ("merge", "a.npz", "{}", "-o", "x.npz"),
        ("merge", "a.npz", "b.npz", "-o", "x.npz", "--pose", "{}"),
        ("mesh", "{}", "-o", "x.ply"),
        ("map", "{}", "-o", "x"),
        ("locate", "{}", "b.npz"),
        ("locate", "a.csv", "{}"),
        ("info", "a.csv", "{}"),
    ],
)
def test_a_missing_file_is_told_with_its_nearest_neighbour(fails, out, arguments):
    (out / "scan01.ply").write_text("")
    missing = out / "scan1.ply"
    match = f"{missing}: no such file; did you mean {out / 'scan01.ply'}?\n"
    fails(*(argument.format(missing) for argument in arguments), match=match)


def test_a_scan_of_many_that_is_missing_is_told_likewise(run, out, files):
    pytest.importorskip("gtsam")
    outcome = run("map", "a.csv", "b.csv", "bb.csv", "-o", out / "map")
    assert outcome.exit_code == 0, outcome.output
    assert "left out: bb.csv: no such file; did you mean b.csv?\n" in outcome.stderr


def test_no_neighbour_no_question(tmp_path):
    assert did_you_mean_file(tmp_path / "missing" / "a.ply") == ""
    assert did_you_mean_file(tmp_path / "a.ply") == ""
    (tmp_path / "Scan.PLY").write_text("")
    assert did_you_mean_file(tmp_path / "scan.ply") == f"; did you mean {tmp_path / 'Scan.PLY'}?"


def test_the_library_asks_no_question(files):
    with pytest.raises(svgm.FileError, match=r"bb\.csv: no such file$"):
        svgm.read_points(files / "bb.csv")
