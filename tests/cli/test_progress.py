"""The progress display: the time left, the time since the start, and when nothing is shown."""

from __future__ import annotations

import re
import time

import pytest

from svgm.cli import progress


@pytest.fixture
def watched(monkeypatch):
    """Show progress, as on a terminal."""
    monkeypatch.setattr(progress, "wanted", lambda quiet: not quiet)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")


def test_bars_tell_the_time_left(watched, capsys):
    with progress.one_bar("working", quiet=False) as say:
        for done in range(4):
            say("any phase", done, 4)
            time.sleep(0.05)
    with progress.bar_per_phase(quiet=False) as say:
        for done in range(4):
            say("linking", done, 4)
            time.sleep(0.05)
    seen = capsys.readouterr().err
    assert len(re.findall(r"\d:\d\d ?left", re.sub(r"\x1b\[[0-9;]*m", "", seen))) >= 2


def test_a_spinner_tells_the_time_since_it_began(watched, capsys):
    with progress.spinner("fitting", quiet=False):
        pass
    assert re.search(r"\d:\d\d:\d\d", capsys.readouterr().err)
    with progress.spinner("fitting", quiet=True):
        pass
    assert capsys.readouterr().err == ""


def test_nothing_is_shown_without_a_terminal(capsys):
    with progress.one_bar("working", quiet=False) as say, progress.bar_per_phase(quiet=False) as phase:
        assert say is None
        assert phase is None
    assert capsys.readouterr().err == ""
