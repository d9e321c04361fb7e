"""Names and values in two columns: with colour on a terminal, as plain text for everything else that reads."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

import click


class Marked(NamedTuple):
    """A value whose first words are good or not, and what follows them."""

    words: str
    good: bool
    rest: str = ""

    def __str__(self) -> str:
        return self.words + self.rest


def show(rows: Iterable[tuple[str, Any]], *, title: str = "", stdout: bool = False) -> None:
    """Print rows on stderr, where people look, or on stdout if they are what was asked for."""
    shown = [(name, value if isinstance(value, Marked) else as_text(value)) for name, value in rows]
    stream = sys.stdout if stdout else sys.stderr
    if stream.isatty():
        _show_people(shown, title, stdout)
        return
    if title:
        click.echo(title, err=not stdout)
    width = max(len(name) for name, _ in shown)
    for name, value in shown:
        click.echo(f"{'  ' if title else ''}{name:<{width}}  {value}", err=not stdout)


def as_text(value: Any) -> str:
    """A value as people read it: six digits, yes and no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(map(as_text, value))
    return "none" if value is None else str(value)


def _show_people(rows: list[tuple[str, str | Marked]], title: str, stdout: bool) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(stderr=not stdout, highlight=False)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        # Text, not markup: a file's name may hold brackets.
        if isinstance(value, Marked):
            colour = "green" if value.good else "yellow"
            table.add_row(Text(name), Text.assemble((value.words, colour), value.rest))
        else:
            table.add_row(Text(name), Text(value))
    if title:
        console.print(Text(title, style="bold cyan"))
    console.print(Padding(table, (0, 0, 0, 2 if title else 0), expand=False))
