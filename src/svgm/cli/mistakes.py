"""What was typed wrong, as one line, with the nearest name there is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import click

from svgm.checks.errors import FileError

#: Names in a folder that are looked at: more take longer than a hint is worth.
MOST_NAMES = 5_000


def nearest(word: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The name that is most like the word, if one is near; of several as like, the one that begins like it longest.

    >>> nearest("scan1.ply", ["scan31.ply", "scan12.ply", "other.ply"])
    'scan12.ply'
    """
    import difflib

    word, known = word.lower(), {name.lower(): name for name in names}
    near = difflib.get_close_matches(word, sorted(known), n=10, cutoff=cutoff)

    def likeness(name: str) -> tuple[float, int]:
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(name, word, strict=False)))
        return difflib.SequenceMatcher(None, name, word).ratio(), alike

    return known[max(near, key=likeness)] if near else None


def did_you_mean(word: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """A question to end a line with, or nothing if no name is near.

    >>> did_you_mean("globl", ["local", "global"])
    '; did you mean global?'
    """
    near = nearest(word, names, cutoff)
    return f"; did you mean {near}?" if near else ""


def near_file(path: Path) -> str:
    """The question for a file that does not exist, from the names in its folder."""
    try:
        with os.scandir(path.parent) as entries:
            name = nearest(path.name, (entry.name for entry in islice(entries, MOST_NAMES)), cutoff=0.7)
    except (OSError, ValueError):
        return ""
    return f"; did you mean {path.with_name(name)}?" if name else ""


def no_such_file(path: Path) -> FileError:
    """The error of a file that does not exist."""
    return FileError(f"{path}: no such file{near_file(path)}")


class Choice(click.Choice):  # type: ignore[type-arg, unused-ignore]  # generic since click 8.2
    """One of a few words; another is refused with the nearest of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word, as click gives it."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            words: Sequence[str] = [str(choice) for choice in self.choices]
            self.fail(f"'{value}' is none of {', '.join(words)}{did_you_mean(str(value), words)}", param, ctx)


class KnownError(click.ClickException):
    """An error in one line."""

    def show(self, file: Any = None) -> None:
        """As other errors are shown."""
        click.echo(f"svgm: error: {self.message}", err=True)


class WrongUsage(KnownError):
    """A usage error in one line instead of click's four."""

    exit_code = 2

    def __init__(self, error: click.UsageError) -> None:
        super().__init__(_line(error))


def _line(error: click.UsageError) -> str:
    if isinstance(error, click.NoSuchOption):
        known = [] if error.ctx is None else [name for option in error.ctx.command.params for name in option.opts]
        message = f"no such option '{error.option_name}'{did_you_mean(error.option_name, known)}"
    else:
        message = " ".join(error.format_message().split()).removesuffix(".")
        message = message[:1].lower() + message[1:]
    if message.endswith("?") or error.ctx is None:
        return message
    return f"{message}; see {error.ctx.command_path} --help"
