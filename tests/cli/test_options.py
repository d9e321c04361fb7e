"""Options of commands: shared ones have one help text, and wrong values are one line, with nothing written."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from svgm.cli import COMMANDS as NAMES

#: Options that are the same thing in every command that has them.
SHARED = ("--nu", "--two-class", "--matrix", "--report", "--threads", "--json", "--quiet")

#: The other arguments of a command.
COMMANDS = {
    "fit": "a.csv -o {}/m.npz",
    "register": "a.csv b.csv",
    "merge": "a.npz b.npz -o {}/m.npz",
    "mesh": "b.npz -o {}/m.ply",
    "map": "a.csv b.csv -o {}/map",
    "locate": "a.csv b.npz",
    "view": "a.csv --html {}/v.html",
}

WRONG = {
    "float": ("", "abc", "nan", "1,5"),
    "integer": ("", "abc", "nan", "1.5"),
    "choice": ("", "neither"),
    "path": ("", "/missing/x.npz", "/dev/null", ".", "x" * 5000),
}


def cases() -> Iterator[tuple[str, str, str]]:
    for command in COMMANDS:
        for option in getattr(importlib.import_module(f"svgm.cli.commands.{command}"), command).params:
            # The output of a map is a folder, which is made.
            if isinstance(option, click.Option) and not option.is_flag and (command, option.name) != ("map", "output"):
                for value in WRONG.get(option.type.name, ()):
                    yield command, option.opts[-1], value


@pytest.mark.parametrize(
    ("command", "option", "value"), [pytest.param(*case, id=" ".join(case)[:60]) for case in cases()]
)
def test_wrong_value(run, out: Path, command: str, option: str, value: str) -> None:
    words = COMMANDS[command].replace("{}", str(out)).split()
    outcome = run(command, *words, option, value)
    assert outcome.exit_code in (1, 2), outcome.output
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("svgm: error: ")
    assert outcome.stderr.count("\n") == 1
    assert not [path for path in out.rglob("*") if path.is_file()]


def options() -> Iterator[tuple[str, click.Option]]:
    for command in NAMES:
        for option in getattr(importlib.import_module(f"svgm.cli.commands.{command}"), command).params:
            if isinstance(option, click.Option):
                yield command, option


def test_an_option_that_commands_share_has_one_help_text() -> None:
    texts: dict[str, set[str | None]] = {name: set() for name in SHARED}
    for _, option in options():
        if option.opts[-1] in SHARED:
            texts[option.opts[-1]].add(option.help)
    assert {name: len(found) for name, found in texts.items()} == dict.fromkeys(SHARED, 1)


def test_every_help_text_ends_as_a_sentence() -> None:
    for command, option in options():
        assert (option.help or "").split("  [")[0].endswith("."), (command, option.opts)


def test_an_empty_name_is_not_the_current_folder(run, files):
    for command in (("map", "a.ply", "b.ply", "-o", ""), ("info", ""), ("register", "a.ply", "b.ply", "--matrix", "")):
        outcome = run(*command)
        assert outcome.exit_code == 2
        assert "must not be empty" in outcome.stderr
