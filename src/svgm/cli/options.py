"""Options that several commands share, and the type of a path."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from svgm.cli.mistakes import no_such_file

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

#: Missing and unreadable files are known errors (exit 1, named by the reader), not wrong usage: click checks nothing.
PATH: Any = click.Path(path_type=Path, readable=False)


class Existing(click.Path):
    """A file to read, or - for standard input: if there is none, the nearest name is told.

    What else may be wrong with it the reader says, who opens it.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        try:
            path.stat()
        except FileNotFoundError:
            if str(path) != "-":
                raise no_such_file(path) from None
        except (OSError, ValueError):
            pass
        return path


#: A file that a command reads.
INPUT: Any = Existing(path_type=Path, readable=False)


def folders(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete an option to folders only."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


#: Show the default of every option.
SHOWN: dict[str, Any] = {"show_default": True}

nu_option = click.option(
    "--nu",
    type=float,
    default=0.01,
    metavar="NU",
    help="Of the SVM, in (0, 1]: bound on the share of outliers.",
    **SHOWN,
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout and nothing else.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No summary and no progress on stderr.")
