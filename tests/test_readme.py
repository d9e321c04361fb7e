"""The README is run: its Python in one namespace, its commands as far as their names and options."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents import blocks, command_lines, complaints, run_python

README = Path(__file__).parents[1] / "README.md"


def test_it_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 120


def test_python_blocks_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert any(block.language == "python" for block in blocks(README)), "README.md shows no Python"
    monkeypatch.chdir(tmp_path)
    assert run_python(README) == []


def test_commands_exist_and_know_the_options_shown() -> None:
    lines = command_lines(README)
    assert lines, "README.md shows no command"
    assert [complaint for line in lines for complaint in complaints(line)] == []
