"""Errors are one line on stderr, with the right exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


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


def test_names_that_are_no_names(fails):
    fails("info", "x" * 300, match="x")
    fails("info", "a.csv/b.csv", match="a.csv/b.csv")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_full_device_is_one_line(files):
    command = [sys.executable, "-m", "svgm.cli", "info", "a.csv"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=files, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "svgm: error: standard output: No space left on device\n")
