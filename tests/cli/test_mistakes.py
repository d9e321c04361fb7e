"""What was typed wrong: one line each, with the nearest name, and the exit code that says whose fault it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import svgm
from svgm.cli.mistakes import MOST_NAMES, near_file


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("regster",), "no such command 'regster'; did you mean register?"),
        (("--versoin",), "no such option '--versoin'; did you mean --version?"),
        (("register", "a.csv", "b.csv", "--mtrix", "T"), "no such option '--mtrix'; did you mean --matrix?"),
        (("fit", "a.csv", "-o", "x.npz", "--two-clas"), "no such option '--two-clas'; did you mean --two-class?"),
        (("info", "a.csv", "-x"), "no such option '-x'; see svgm info --help"),
        (
            ("register", "a.csv", "b.csv", "--search", "globl"),
            "invalid value for '--search': 'globl' is none of auto, local, global, certified; did you mean global?",
        ),
        (
            ("map", "a.csv", "-o", "x", "--order", "zzz"),
            "invalid value for '--order': 'zzz' is none of sequence, unordered; see svgm map --help",
        ),
        (("register", "a.csv"), "missing argument 'TARGET'; see svgm register --help"),
        (("fit", "a.csv"), "missing option '-o' / '--output'; see svgm fit --help"),
        (
            ("register", "a.csv", "b.csv", "--gamma", "x"),
            "invalid value for '--gamma': 'x' is not a valid float; see svgm register --help",
        ),
        (("completion",), "missing argument 'SHELL'. Choose from: bash, zsh, fish; see svgm completion --help"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(run, arguments, line):
    outcome = run(*arguments)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.stderr == f"svgm: error: {line}\n"


def test_an_unknown_command_that_is_like_none_lists_all(run):
    outcome = run("zzzzz")
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("svgm: error: no such command 'zzzzz'; there are fit, register,")
    assert outcome.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("register", "{}", "b.csv"),
        ("register", "a.csv", "b.csv", "--init", "{}"),
        ("fit", "{}", "-o", "x.npz"),
        ("fit", "a.csv", "-o", "x.npz", "--like", "{}"),
        ("merge", "a.npz", "{}", "-o", "x.npz"),
        ("merge", "a.npz", "b.npz", "-o", "x.npz", "--transform", "{}"),
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
    assert near_file(tmp_path / "missing" / "a.ply") == ""
    assert near_file(tmp_path / "a.ply") == ""
    (tmp_path / "Scan.PLY").write_text("")
    assert near_file(tmp_path / "scan.ply") == f"; did you mean {tmp_path / 'Scan.PLY'}?"
    assert MOST_NAMES > 1000


def test_names_that_are_no_names(fails):
    fails("info", "x" * 300, match="x")
    fails("info", "a.csv/b.csv", match="a.csv/b.csv")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_full_device_is_one_line(files):
    command = [sys.executable, "-m", "svgm.cli", "info", "a.csv"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=files, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "svgm: error: standard output: No space left on device\n")


def test_the_library_asks_no_question(files):
    with pytest.raises(svgm.FileError, match=r"bb\.csv: no such file$"):
        svgm.read_points(files / "bb.csv")
