"""How far a long run is, and how long it will still take."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars


class Progress:
    """A bar with the time left on a terminal; elsewhere a line every tenth of the work.

    Work is counted in expected seconds, so that slow methods do not spoil the estimate.
    """

    def __init__(self, what: str, work: float, count: int) -> None:
        self._what, self._work, self._count = what, work, count
        self._done, self._number, self._said = 0.0, 0, 0
        self._begin = time.monotonic()
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[number]} of {task.fields[count]}"),
        )
        self._bars = Bars(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console(stderr=True))
        self._task = self._bars.add_task(what, total=work, number=0, count=count)
        self._live = sys.stderr.isatty()

    def __enter__(self) -> Progress:
        if self._live:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._bars.stop()

    def advance(self, seconds: float) -> None:
        """One more done, that was expected to take so long."""
        self._done += seconds
        self._number += 1
        if self._live:
            self._bars.update(self._task, completed=self._done, number=self._number)
            return
        tenth = int(10.0 * self._done / self._work + 1e-9)
        if tenth > self._said:
            self._said = tenth
            passed = time.monotonic() - self._begin
            left = passed * (self._work - self._done) / self._done
            print(
                f"{self._what}: {self._number} of {self._count}, {said(passed)}, about {said(left)} left",
                file=sys.stderr,
            )


def said(seconds: float) -> str:
    """A span of time as people say it.

    >>> said(42.3), said(600), said(5000)
    ('42 s', '10 min', '1 h 23 min')
    """
    minutes = round(seconds / 60.0)
    if seconds < 90:
        return f"{max(0.0, seconds):.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
