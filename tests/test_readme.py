"""The README is run: its Python in one namespace, its commands as far as their names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def text() -> str:
    return README.read_text(encoding="utf-8") if README.is_file() else ""


def blocks(*languages: str) -> list[str]:
    return re.findall(rf"^```(?:{'|'.join(languages)})\n(.*?)^```", text(), flags=re.DOTALL | re.MULTILINE)


def commands() -> dict[str, list[str]]:
    """Lines of code that start with the program's name, by subcommand."""
    code = "\n".join(blocks("shell", "bash", "sh", "console") + re.findall(r"^    (.*)$", text(), flags=re.MULTILINE))
    found: dict[str, list[str]] = {}
    for line in code.replace("\\\n", " ").splitlines():
        command = re.match(r"(?:\$ )?(svgm ([a-z][\w-]*).*)", line.strip())
        if command:
            found.setdefault(command[2], []).append(command[1].split("#")[0])
    return found


def test_python_blocks_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = blocks("python", "py")
    if not found:
        assert len(text().splitlines()) <= 40, "README.md shows no Python"
        pytest.skip("README.md is not written yet")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "readme"}
    for number, block in enumerate(found, start=1):
        exec(compile(block, f"README.md, Python block {number}", "exec"), namespace)


@pytest.mark.parametrize("subcommand", commands())
def test_commands_exist_and_know_the_options_shown(subcommand: str) -> None:
    command = [sys.executable, "-m", "svgm.cli", subcommand, "--help"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    for line in commands()[subcommand]:
        for option in re.findall(r"(?<=\s)--?[a-z][a-z-]*", line):
            assert re.search(rf"(?<![\w-]){option}\b", run.stdout), f"{line}: --help does not know {option}"
