"""The program `svgm`: its help, version, imports, and exit codes."""

from __future__ import annotations

import subprocess
import sys

import pytest

import svgm
from svgm.cli import COMMANDS
from tests.waiting import PATIENCE


def test_help_introduces_and_shows_an_example_of_each_command(run):
    outcome = run("--help")
    assert outcome.exit_code == 0
    assert "support-vector Gaussian mixtures" in outcome.stdout
    for name, (text, example) in COMMANDS.items():
        assert name in outcome.stdout
        assert text in outcome.stdout
        assert example in outcome.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(run, name):
    outcome = run(name, "--help")
    assert outcome.exit_code == 0
    assert f"svgm {name}" in outcome.stdout.split("Options:")[0].split("\n", 1)[1]


def test_version(run):
    assert run("--version").stdout == f"svgm {svgm.__version__} ({svgm.instruction_set()})\n"


def test_help_imports_nothing_slow():
    code = (
        "import sys\nfrom svgm.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'matplotlib', 'scipy', 'rich', 'sklearn'} & {name.split('.')[0] for name in sys.modules}\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stderr


def test_process_prints_one_line_and_exits_with_1(shell):
    outcome = shell("register", "missing.ply", "b.ply")
    assert outcome.returncode == 1
    assert outcome.stdout == ""
    assert outcome.stderr == "svgm: error: missing.ply: no such file\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end differently")
def test_closed_pipe_is_quiet(files):
    command = [sys.executable, "-m", "svgm.cli", "info", *["a.csv"] * 5]
    process = subprocess.Popen(command, cwd=files, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(timeout=PATIENCE)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to one process")
def test_interrupt_exits_with_130_quietly(files):
    code = (
        "import os, signal, time, svgm\nfrom svgm.cli import main\n"
        # A shell that starts the tests in the background has interrupts ignored, and children inherit that.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def interrupted(*_, **__):\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(600)\n"
        "svgm.register = interrupted\nmain(['register', 'a.csv', 'b.csv'])"
    )
    command = [sys.executable, "-c", code]
    outcome = subprocess.run(command, cwd=files, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (130, "", "")


def test_lack_of_memory_is_one_line(fails, monkeypatch):
    def refuse(*_, **__):
        raise MemoryError

    monkeypatch.setattr(svgm, "register", refuse)
    fails("register", "a.csv", "b.csv", match="not enough memory")
