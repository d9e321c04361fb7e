"""Signs of life on stderr while a command works: only on a terminal, and gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def wanted(quiet: bool) -> bool:
    """Whether somebody is there to see it."""
    return not quiet and sys.stderr.isatty()


@contextmanager
def levels(text: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar; yields the ``progress(done, all)`` that library functions call, or None where nobody looks."""
    if not wanted(quiet):
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, count: bar.update(task, completed=done, total=count)


@contextmanager
def spinner(text: str, *, quiet: bool) -> Iterator[None]:
    """For work that cannot say how far it is."""
    if not wanted(quiet):
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


@contextmanager
def phases(*, quiet: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar for each phase of long work, with the time left; yields ``progress(phase, done, all)``, or None."""
    if not wanted(quiet):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def progress(phase: str, done: int, count: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase, total=count)
            bar.update(tasks[phase], completed=done, total=count)

        yield progress
