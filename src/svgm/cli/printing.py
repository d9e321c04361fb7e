"""What commands print: a matrix, JSON, and rows of names and values, which have colours on a terminal."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import click

from svgm.geometry.points import Array


def matrix_text(T: Array) -> str:
    """A matrix as rows of numbers with all their digits, as numpy.loadtxt and other tools read it."""
    return "".join(" ".join(f"{value + 0.0:24.17g}" for value in row).rstrip() + "\n" for row in T)


def echo_json(value: Any) -> None:
    """Print plain values as JSON on stdout. JSON has no NaN and no infinity, so these become null."""
    click.echo(json.dumps(_plain(value), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


class Coloured(NamedTuple):
    """A text whose first words are green on a terminal if they are good news, else yellow."""

    words: str
    good: bool
    rest: str = ""

    def __str__(self) -> str:
        return self.words + self.rest


def print_rows(rows: Iterable[tuple[str, Any]], *, title: str = "", stdout: bool = False) -> None:
    """Print names and values in two columns: a summary on stderr, or on stdout if the rows are the result itself."""
    shown = [(name, value if isinstance(value, Coloured) else as_text(value)) for name, value in rows]
    stream = sys.stdout if stdout else sys.stderr
    if stream.isatty():
        _print_on_terminal(shown, title, stdout)
        return
    if title:
        click.echo(title, err=not stdout)
    width = max(len(name) for name, _ in shown)
    for name, value in shown:
        click.echo(f"{'  ' if title else ''}{name:<{width}}  {value}", err=not stdout)


def as_text(value: Any) -> str:
    """A value as text: numbers with six digits, True and False as yes and no.

    >>> as_text([0.123456789, True, None])
    '0.123457, yes, none'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(map(as_text, value))
    return "none" if value is None else str(value)


def _print_on_terminal(rows: list[tuple[str, str | Coloured]], title: str, stdout: bool) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(stderr=not stdout, highlight=False)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        # Text, not markup: the name of a file may contain brackets.
        if isinstance(value, Coloured):
            colour = "green" if value.good else "yellow"
            table.add_row(Text(name), Text.assemble((value.words, colour), value.rest))
        else:
            table.add_row(Text(name), Text(value))
    if title:
        console.print(Text(title, style="bold cyan"))
    console.print(Padding(table, (0, 0, 0, 2 if title else 0), expand=False))
