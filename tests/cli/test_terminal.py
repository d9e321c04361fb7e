"""What commands show on a terminal, in a pipe, and with `--quiet` and `--json`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from tests.waiting import PATIENCE

#: Each command that prints a summary, with its arguments; {out} is a new folder.
SUMMARIES = {
    "fit": ("fit", "b.csv", "-o", "{out}/m.npz"),
    "register": ("register", "a.csv", "b.csv", "--search", "local"),
    "merge": ("merge", "a.npz", "b.npz", "-o", "{out}/m.npz"),
    "mesh": ("mesh", "b.npz", "-o", "{out}/m.ply"),
    "map": ("map", "a.csv", "b.csv", "-o", "{out}/map"),
    "locate": ("locate", "b.csv", "b.npz", "--init", "identity.txt"),
}

NEEDS = {"mesh": "skimage", "map": "gtsam"}

HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
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
    after = seen.rsplit(SHOW_CURSOR, 1)[1]
    assert "registering" not in after
    assert "converged" in after
    assert seen.count(HIDE_CURSOR) == seen.count(SHOW_CURSOR) > 0


def test_no_color_is_respected(terminal):
    code, seen = terminal("register", "a.csv", "b.csv", "--search", "local", NO_COLOR="1")
    assert code == 0
    assert "converged" in seen
    assert not COLOUR.search(seen)


def test_an_interrupt_while_registering_gives_the_cursor_back(terminal):
    # In 3D the proof of the smallest gap takes longer than the time limit, so only the interrupt can end the search.
    search = "--search", "certified", "--gap", "1e-7", "--seconds", str(PATIENCE)
    code, seen = terminal("register", "a.ply", "b.ply", *search, interrupt_at=b"registering")
    assert code == 130
    assert "Traceback" not in seen
    assert seen.count(HIDE_CURSOR) == seen.count(SHOW_CURSOR) > 0
    assert re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", seen.rsplit(SHOW_CURSOR, 1)[1]).strip() == ""


def test_an_interrupt_while_writing_leaves_no_file(run, out, monkeypatch):
    def interrupted(path, *_):
        path.write_text("the first half")
        raise KeyboardInterrupt

    monkeypatch.setattr("svgm.cli.commands.register.write_moved", interrupted)
    monkeypatch.setattr("svgm.cli.command_group._silence_stderr", lambda: None)  # the tests need stderr later
    outcome = run("register", "a.csv", "b.csv", "--search", "local", "-o", out / "x.csv", "--matrix", out / "T.txt")
    assert (outcome.exit_code, outcome.stdout) == (130, "")
    assert not list(out.iterdir())


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_quiet_and_json_hold_on_a_terminal(terminal, option):
    code, seen = terminal("info", "b.csv", option)
    assert code == 0
    assert "reading" not in seen
    if option == "--json":
        assert json.loads(seen)[0]["kind"] == "points"


def test_errors_on_a_terminal_are_one_plain_line(terminal):
    code, seen = terminal("info", "broken.ply")
    assert code == 1
    assert seen.splitlines()[-1].split("\x1b[2K")[-1].startswith("svgm: error: broken.ply: ")
    code, seen = terminal("info", "b.cvs")
    assert (code, seen) == (1, "svgm: error: b.cvs: no such file; did you mean b.csv?\n")


def test_names_with_brackets_are_shown_as_they_are(terminal, out):
    path = out / "[red]scan.csv"
    path.write_text("0 0\n1 0\n0 1\n")
    code, seen = terminal("info", path)
    assert code == 0
    assert "[red]scan.csv" in seen.replace("\n", "")
