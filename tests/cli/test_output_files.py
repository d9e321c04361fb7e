"""Output files are checked before the work begins."""

from __future__ import annotations

import pytest


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
    assert "two outputs must not be written to one file" in outcome.stderr


def test_inputs_are_not_written_over_by_something_else(run, pair) -> None:
    before = pair[0].read_bytes()
    outcome = run("register", *pair, "--matrix", pair[0])
    assert outcome.exit_code == 1
    assert "is an input file, so this output must go to another file" in outcome.stderr
    assert pair[0].read_bytes() == before
