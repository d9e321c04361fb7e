"""Signs of life on stderr while a command works: only on a terminal, and gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID


def wanted(quiet: bool) -> bool:
    """Whether somebody is there to see it."""
    return not quiet and sys.stderr.isatty()


@contextmanager
def levels(text: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar with the time left; yields the ``progress(done, all)`` that library functions call, or None."""
    if not wanted(quiet):
        yield None
        return
    with _bars() as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, count: bar.update(task, completed=done, total=count)


@contextmanager
def phases(*, quiet: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar for each phase of long work, with the time left; yields ``progress(phase, done, all)``, or None."""
    if not wanted(quiet):
        yield None
        return
    with _bars() as bar:
        tasks: dict[str, TaskID] = {}

        def progress(phase: str, done: int, count: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase, total=count)
            bar.update(tasks[phase], completed=done, total=count)

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


def _bars() -> Progress:
    from rich.progress import BarColumn, MofNCompleteColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class TimeLeft(TimeRemainingColumn):
        """Nothing, until enough is done to tell."""

        def render(self, task: Task) -> Text:
            if task.time_remaining is None:
                return Text("")
            return super().render(task) + " left"

    return _shown(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeLeft(compact=True))


def _shown(*columns: ProgressColumn) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True)
