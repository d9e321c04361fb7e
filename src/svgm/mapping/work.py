"""A list of tasks done: remembered, computed here or elsewhere, in order, with signs of progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from svgm.checks.arguments import reporter
from svgm.checks.errors import SvgmError
from svgm.checks.types import Progress
from svgm.mapping.executor import ENDED, Executor
from svgm.mapping.memory import Memory

Result = TypeVar("Result")


class Work:
    """Calls pure functions for many tasks; ``seconds`` by phase."""

    def __init__(self, executor: Executor, memory: Memory | None, progress: Progress | None) -> None:
        self._executor, self._memory = executor, memory
        self._say = reporter(progress)
        self.seconds: dict[str, float] = {}

    def __call__(
        self,
        phase: str,
        function: Callable[..., Result],
        tasks: Sequence[tuple[Any, ...]],
        *,
        ended: Callable[..., Result] | None = None,
        kept: bool = True,
    ) -> list[Result]:
        """``function(*task)`` for every task, in their order; ``ended(*task)`` for one that no worker survives."""
        with self.timed(phase):
            return self._done(phase, function, tasks, ended, self._memory if kept else None)

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Add the time of a block to a phase."""
        begin = time.perf_counter()
        yield
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - begin

    def _done(
        self,
        phase: str,
        function: Callable[..., Result],
        tasks: Sequence[tuple[Any, ...]],
        ended: Callable[..., Result] | None,
        memory: Memory | None,
    ) -> list[Result]:
        places = [None if memory is None else memory.place(function.__name__, task) for task in tasks]
        results: list[Any] = [None if memory is None or place is None else memory.recall(place) for place in places]
        left = [number for number, result in enumerate(results) if result is None]
        done = len(tasks) - len(left)
        self._say(phase, done, len(tasks))
        for position, result in self._executor.run(function, [tasks[number] for number in left]):
            number = left[position]
            results[number] = result
            place = places[number]
            if result is ENDED:  # this time: another run may have more memory, so it is not kept
                if ended is None:
                    raise SvgmError("workers: one task ended several of them, perhaps for want of memory")
                results[number] = ended(*tasks[number])
            elif memory is not None and place is not None:
                memory.keep(place, result)
            done += 1
            self._say(phase, done, len(tasks))
        return results
