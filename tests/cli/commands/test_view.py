"""`svgm view`: the page it serves or writes, and how it fails."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
@pytest.mark.parametrize("as_json", [False, True])
def test_it_serves_until_it_is_interrupted(files: Path, as_json: bool) -> None:
    options = ["--no-browser", "--port", "0", *(["--json"] if as_json else [])]
    command = [sys.executable, "-m", "svgm.cli", "view", "a.ply", "b.ply", *options]
    with subprocess.Popen(
        command,
        cwd=files,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that starts the tests in the background has interrupts ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            text = process.stdout.readline()
            while as_json and not text.endswith("\n}\n"):
                text += process.stdout.readline()
            found = (
                json.loads(text)["url"] if as_json else re.fullmatch(r"(\S+)  \(Ctrl-C ends the server\)\n", text)[1]
            )
            with urlopen(found, timeout=600) as answer:
                assert b"<html" in answer.read().lower()
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=600)
        finally:
            process.kill()
    assert (process.returncode, stdout, stderr) == (0, "", "")
    assert not as_json or json.loads(text)["layers"] == ["a.ply", "b.ply"]


def test_wrong_usage(run, files) -> None:
    assert run("view").exit_code == 2
    both = run("view", "a.csv", "--pose", "truth.txt", "--result", "x.json")
    assert both.exit_code == 2
    assert "cannot be combined" in both.stderr


def test_faults_are_one_line(fails, files, tmp_path, json_result) -> None:
    fails("view", "missing.ply", match="missing.ply: ")
    fails("view", "a.csv", "b.ply", match="must be all 2D or all 3D")
    fails("view", "a.csv", "--pose", "words.txt", match="words.txt: must hold a matrix")
    fails("view", "a.ply", "--pose", "truth.txt", match="must be a 4x4 matrix")
    fails("view", "a.csv", "--result", "words.txt", match="words.txt: must hold JSON")
    fails("view", "a.ply", "b.ply", "--result", json_result, match="must be a 4x4 matrix")
    fails("view", files, match="holds no graph.g2o")
    fails("view", "a.csv", "--html", tmp_path / "page.txt", match="must be written to a file ending in .html")
    fails("view", "a.csv", "--html", tmp_path / "none" / "page.html", match="its folder does not exist")
    fails("view", "a.csv", "--port", 70000, match="port must be in [0, 65535], got 70000")
    fails("view", "a.csv", "b.csv", "--result", json_result, "--port", -1, match="port must be in")
    (tmp_path / "list.json").write_text("[]")
    fails("view", "--result", tmp_path / "list.json", match="must hold a JSON object")
    (tmp_path / "empty.json").write_text("{}")
    fails("view", "--result", tmp_path / "empty.json", match="it has no source and target")
    fails("view", "a.csv", "b.csv", "--result", tmp_path / "empty.json", match="it has no stages")


def test_files_are_viewed_as_one_page(run, pair, tmp_path) -> None:
    outcome = run("view", *pair, "--html", tmp_path / "both.html")
    assert outcome.exit_code == 0
    assert outcome.stdout == f"{tmp_path / 'both.html'}\n"
    text = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert '"name":"a.ply"' in text
    assert '"name":"b.ply"' in text


@pytest.mark.parametrize("text", ["nonsense", "[1, 2]", "[" * 100_000])
def test_results_that_are_none(run, pair, tmp_path, text: str) -> None:
    (tmp_path / "result.json").write_text(text)
    outcome = run("view", *pair, "--result", tmp_path / "result.json", "--html", tmp_path / "v.html")
    assert outcome.exit_code == 1
    assert "must hold" in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    outcome = run("view", *pair, "--result", tmp_path / "nothing.json", "--html", tmp_path / "v.html")
    assert "no such file" in outcome.stderr or "does not exist" in outcome.stderr
