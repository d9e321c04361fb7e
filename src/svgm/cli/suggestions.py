"""Suggestions for a word that is not known: the most similar command, option, choice or file name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import click

from svgm.checks.errors import FileError

#: Names in a folder that are compared with a wrong file name, at most. More would take too long.
MOST_NAMES = 5_000


def nearest(word: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The name most similar to a word; of equally similar names, the one with the longest common beginning.

    Returns None if no name has at least the similarity `cutoff` (0 to 1, as `difflib` measures it).

    >>> nearest("scan1.ply", ["scan31.ply", "scan12.ply", "other.ply"])
    'scan12.ply'
    """
    import difflib

    word, known = word.lower(), {name.lower(): name for name in names}
    similar = difflib.get_close_matches(word, sorted(known), n=10, cutoff=cutoff)

    def similarity(name: str) -> tuple[float, int]:
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(name, word, strict=False)))
        return difflib.SequenceMatcher(None, name, word).ratio(), common

    return known[max(similar, key=similarity)] if similar else None


def did_you_mean(word: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """The end of an error message that asks for the most similar name; empty if no name is similar.

    >>> did_you_mean("globl", ["local", "global"])
    '; did you mean global?'
    """
    name = nearest(word, names, cutoff)
    return f"; did you mean {name}?" if name else ""


def did_you_mean_file(path: Path) -> str:
    """The same for a file that does not exist, from the names in its folder."""
    try:
        with os.scandir(path.parent) as entries:
            name = nearest(path.name, (entry.name for entry in islice(entries, MOST_NAMES)), cutoff=0.7)
    except (OSError, ValueError):
        return ""
    return f"; did you mean {path.with_name(name)}?" if name else ""


def no_such_file(path: Path) -> FileError:
    """The error of a file that does not exist."""
    return FileError(f"{path}: no such file{did_you_mean_file(path)}")


class Choice(click.Choice):  # type: ignore[type-arg, unused-ignore]  # generic since click 8.2
    """The type of an option that takes one of a few words. The error for another word suggests the most similar."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word, as click gives it."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            words: Sequence[str] = [str(choice) for choice in self.choices]
            self.fail(f"'{value}' is none of {', '.join(words)}{did_you_mean(str(value), words)}", param, ctx)
