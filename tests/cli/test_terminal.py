"""What a person at a terminal sees, and what a pipe, `--quiet` and `--json` see instead."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from svgm.cli import progress
from svgm.cli.table import Marked, show
from tests.waiting import PATIENCE

#: Each command that has a summary, with what it needs; {out} is a new folder.
SUMMARIES = {
    "fit": ("fit", "b.csv", "-o", "{out}/m.npz"),
    "register": ("register", "a.csv", "b.csv", "--search", "local"),
    "merge": ("merge", "a.npz", "b.npz", "-o", "{out}/m.npz"),
    "mesh": ("mesh", "b.npz", "-o", "{out}/m.ply"),
    "map": ("map", "a.csv", "b.csv", "-o", "{out}/map"),
    "locate": ("locate", "b.csv", "b.npz", "--init", "identity.txt"),
}
NEEDS = {"mesh": "skimage", "map": "gtsam"}
COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9](;[0-9;]*)?m")


def given(name: str, out) -> list[str]:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    return [argument.format(out=out) for argument in SUMMARIES[name]]


@pytest.mark.parametrize("name", SUMMARIES)
def test_quiet_json_and_plain_mean_the_same_everywhere(run, out, name):
    arguments = given(name, out)
    plain = run(*arguments)
    assert plain.exit_code == 0, plain.output
    assert plain.stderr
    assert "\x1b" not in plain.output
    quiet = run(*arguments, "-q")
    assert (quiet.exit_code, quiet.stderr) == (0, "")
    assert quiet.stdout == plain.stdout
    machine = run(*arguments, "--json")
    assert (machine.exit_code, machine.stderr) == (0, "")
    assert json.loads(machine.stdout)["version"]
    assert run(*arguments, "--json", "--quiet").stderr == ""


def test_info_answers_on_stdout_and_quiet_leaves_the_answer(run):
    plain = run("info", "b.csv", "b.npz")
    assert plain.stderr == ""
    assert plain.stdout.splitlines()[:2] == ["b.csv", "  kind        points"]
    assert run("info", "b.csv", "b.npz", "-q").stdout == plain.stdout


@pytest.fixture
def terminal(files):
    """Run `svgm` on a terminal of its own: exit code, and all that was written to it."""
    pty = pytest.importorskip("pty")

    def call(*arguments: object, interrupt_at: bytes = b"", **environment: str) -> tuple[int, str]:
        ours, theirs = pty.openpty()
        base = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
        process = subprocess.Popen(
            [sys.executable, "-m", "svgm.cli", *map(str, arguments)],
            cwd=files,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            # A shell that starts the tests in the background has interrupts ignored, and children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            env={**base, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
        )
        os.close(theirs)
        seen = b""
        try:
            while more := os.read(ours, 65536):
                seen += more
                if interrupt_at and interrupt_at in seen:
                    process.send_signal(signal.SIGINT)
                    interrupt_at = b""
        except OSError:  # so a terminal ends on Linux
            pass
        os.close(ours)
        return process.wait(timeout=PATIENCE), seen.decode().replace("\r\n", "\n")

    return call


def test_a_terminal_has_colour_and_progress_that_is_gone(terminal):
    code, seen = terminal("register", "a.csv", "b.csv", "--search", "local")
    assert code == 0
    assert COLOUR.search(seen)
    assert "registering" in seen
    after = seen.rsplit("\x1b[?25h", 1)[1]  # where the cursor came back for good
    assert "registering" not in after
    assert "converged" in after
    assert seen.count("\x1b[?25l") == seen.count("\x1b[?25h")


def test_no_color_is_respected(terminal):
    code, seen = terminal("register", "a.csv", "b.csv", "--search", "local", NO_COLOR="1")
    assert code == 0
    assert "converged" in seen
    assert not COLOUR.search(seen)


def test_an_interrupt_gives_the_terminal_back_and_leaves_nothing(terminal, out):
    # A proof in 3D at the smallest gap: nobody lives to see its end.
    search = "--search", "certified", "--gap", "1e-7", "--seconds", str(PATIENCE)
    code, seen = terminal("register", "a.ply", "b.ply", *search, "-o", out / "x.ply", interrupt_at=b"registering")
    assert code == 130
    assert "Traceback" not in seen
    assert seen.count("\x1b[?25l") == seen.count("\x1b[?25h")
    assert not list(out.iterdir())


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_quiet_and_json_hold_on_a_terminal(terminal, option):
    code, seen = terminal("info", "b.csv", option)
    assert code == 0
    assert "reading" not in seen
    if option == "--json":
        assert json.loads(seen)[0]["kind"] == "points"


def test_errors_on_a_terminal_are_one_plain_line(terminal):
    assert terminal("info", "broken.ply")[1].endswith("\n")
    code, seen = terminal("info", "b.cvs")
    assert (code, seen) == (1, "svgm: error: b.cvs: no such file; did you mean b.csv?\n")


def test_names_with_brackets_are_shown_as_they_are(terminal, out):
    path = out / "[red]scan.csv"
    path.write_text("0 0\n1 0\n0 1\n")
    code, seen = terminal("info", path)
    assert code == 0
    assert "[red]scan.csv" in seen.replace("\n", "")


@pytest.fixture
def watched(monkeypatch):
    """Somebody looks at stderr."""
    monkeypatch.setattr(progress, "wanted", lambda quiet: not quiet)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")


def test_bars_tell_the_time_left(watched, capsys):
    with progress.levels("working", quiet=False) as say:
        for done in range(4):
            say(done, 4)
            time.sleep(0.05)
    with progress.phases(quiet=False) as say:
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


def test_nothing_is_drawn_where_nobody_looks(capsys):
    with progress.levels("working", quiet=False) as say, progress.phases(quiet=False) as phase:
        assert say is None
        assert phase is None
    assert capsys.readouterr().err == ""


def test_plain_rows(capsys):
    show([("a", 1.23456789), ("bc", Marked("good", good=True, rest=", so far")), ("d", True), ("e", [1.0, None])])
    assert capsys.readouterr().err == "a   1.23457\nbc  good, so far\nd   yes\ne   1, none\n"
