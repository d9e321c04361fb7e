"""The progress display of a command on stderr: only on a terminal, and removed when the work is done."""

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
    """Whether somebody is there to see it."""
    return not quiet and sys.stderr.isatty()


@contextmanager
def one_bar(text: str, *, quiet: bool) -> Iterator[Progress | None]:
    """One bar for all phases, with the time left; yields the `progress` that library functions take, or None."""
    if not wanted(quiet):
        yield None
        return
    with _bars() as bar:
        task = bar.add_task(text, total=None)
        yield lambda phase, done, total: bar.update(task, completed=done, total=total)


@contextmanager
def bar_per_phase(*, quiet: bool) -> Iterator[Progress | None]:
    """A bar for each phase of long work, with the time left; yields the `progress` that library functions take, or
    None."""
    if not wanted(quiet):
        yield None
        return
    with _bars() as bar:
        tasks: dict[str, TaskID] = {}

        def progress(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase, total=total)
            bar.update(tasks[phase], completed=done, total=total)

        yield progress


@contextmanager
def spinner(text: str, *, quiet: bool) -> Iterator[None]:
    """For work that cannot say how far it is: the time since it began."""
    if not wanted(quiet):
        yield
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    with _shown(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as bar:
        bar.add_task(text, total=None)
        yield


def _bars() -> Bars:
    from rich.progress import BarColumn, MofNCompleteColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class TimeLeft(TimeRemainingColumn):
        """Nothing, until enough is done to tell."""

        def render(self, task: Task) -> Text:
            if task.time_remaining is None:
                return Text("")
            return super().render(task) + " left"

    return _shown(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeLeft(compact=True))


def _shown(*columns: ProgressColumn) -> Bars:
    from rich.console import Console
    from rich.progress import Progress as Bars

    return Bars(*columns, console=Console(stderr=True), transient=True)
