"""Options that several commands share, each with one name and one help text, and the types of paths."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from svgm.cli.suggestions import no_such_file

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_Function = TypeVar("_Function", bound=Callable[..., Any])


class NamedPath(click.Path):
    """A path that click does not check, but for its name: an empty one would be the current folder.

    A file that cannot be read is a known error (exit code 1), not wrong usage.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        if not value:
            self.fail("the name of a file or folder must not be empty", param, ctx)
        return super().convert(value, param, ctx)


#: A file or folder to write.
PATH: Any = NamedPath(path_type=Path, readable=False)


class ExistingPath(NamedPath):
    """A file to read, or - for standard input. If the file does not exist, the error suggests a similar name.

    Whether the file can be read is checked when it is opened.
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
INPUT: Any = ExistingPath(path_type=Path, readable=False)

#: How a help text describes a file with a pose.
POSE_FILE = "a text file with a matrix, as svgm register prints it (- reads standard input)"


def complete_folders(context: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete an option to folders only."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def gamma_option(of: str, default: str) -> Callable[[_Function], _Function]:
    """The option `--gamma` of a command that fits mixtures: which mixtures it is for, and its default."""
    text = f"Kernel parameter gamma{of}, as a multiple of gamma-hat, > 0. A larger G gives more, finer components."
    return click.option("--gamma", type=float, metavar="G", help=f"{text}  [default: {default}]")


def picture_option(content: str) -> Callable[[_Function], _Function]:
    """The option `--picture` of a command that draws this content."""
    return click.option("--picture", type=PATH, metavar="FILE", help=f"Draw {content} to this .png, .pdf or .svg file.")


nu_option = click.option(
    "--nu",
    type=float,
    default=0.01,
    metavar="NU",
    show_default=True,
    help="Parameter nu of the one-class SVM, in (0, 1]: an upper bound on the share of outliers.",
)
two_class_option = click.option(
    "--two-class",
    is_flag=True,
    help="Fit a two-class SVM to the points: surface against the free space beside it. It models finer detail.",
)
drop_nan_option = click.option(
    "--drop-nan", is_flag=True, help="Drop points with a NaN coordinate, and say how many.  [default: NaN is an error]"
)
matrix_option = click.option(
    "--matrix", type=PATH, metavar="FILE", help="Also write the pose to this text file, as rows of numbers."
)
report_option = click.option(
    "--report", type=PATH, metavar="FILE", help="Write a report with text and pictures to this .html file."
)
threads_option = click.option(
    "--threads",
    type=int,
    metavar="N",
    help="Number of threads, >= 1. The result does not depend on it.  [default: one per available CPU]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output, and nothing else.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print no summary and show no progress.")
