"""The progress display on stderr. It is shown on a terminal only, and removed when the work is done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from svgm.checks.types import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import ProgressColumn, TaskID


def wanted(quiet: bool) -> bool:
    """Whether to show progress: stderr is a terminal, and the user did not ask for silence."""
    return not quiet and sys.stderr.isatty()


@contextmanager
def one_bar(text: str, *, quiet: bool) -> Iterator[Progress | None]:
    """Show one bar for all phases, with the time left.

    Yields the function that library functions take as `progress`, or None if no progress is shown.
    """
    if not wanted(quiet):
        yield None
        return
    with _bars() as bars:
        task = bars.add_task(text, total=None)
        yield lambda phase, done, total: bars.update(task, completed=done, total=total)


@contextmanager
def bar_per_phase(*, quiet: bool) -> Iterator[Progress | None]:
    """Show a bar for each phase of long work, with the time left.

    Yields the function that library functions take as `progress`, or None if no progress is shown.
    """
    if not wanted(quiet):
        yield None
        return
    with _bars() as bars:
        tasks: dict[str, TaskID] = {}

        def progress(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bars.add_task(phase, total=total)
            bars.update(tasks[phase], completed=done, total=total)

        yield progress


@contextmanager
def spinner(text: str, *, quiet: bool) -> Iterator[None]:
    """Show the time since the start, for work that does not report its progress."""
    if not wanted(quiet):
        yield
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    with _display(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as display:
        display.add_task(text, total=None)
        yield


def _bars() -> Bars:
    from rich.progress import BarColumn, MofNCompleteColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class TimeLeft(TimeRemainingColumn):
        """The time left; empty until it can be estimated."""

        def render(self, task: Task) -> Text:
            if task.time_remaining is None:
                return Text("")
            return super().render(task) + " left"

    return _display(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeLeft(compact=True))


def _display(*columns: ProgressColumn) -> Bars:
    from rich.console import Console
    from rich.progress import Progress as Bars

    return Bars(*columns, console=Console(stderr=True), transient=True)
