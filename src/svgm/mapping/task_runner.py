"""Runs the tasks of a map: takes results from the cache, computes the others on an executor, reports progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from svgm.checks.arguments import reporter
from svgm.checks.errors import SvgmError
from svgm.checks.types import Progress
from svgm.mapping.executor import WORKER_KILLED, Executor
from svgm.mapping.task_cache import TaskCache

Result = TypeVar("Result")


class TaskRunner:
    """Calls pure functions for many tasks; ``seconds`` is the time spent, by phase."""

    def __init__(self, executor: Executor, cache: TaskCache | None, progress: Progress | None) -> None:
        self._executor, self._cache = executor, cache
        self._report = reporter(progress)
        self.seconds: dict[str, float] = {}

    def __call__(
        self,
        phase: str,
        function: Callable[..., Result],
        tasks: Sequence[tuple[Any, ...]],
        *,
        on_killed: Callable[..., Result] | None = None,
        cached: bool = True,
    ) -> list[Result]:
        """``function(*task)`` for every task, in their order; ``on_killed(*task)`` if a task kills its workers."""
        with self.timed(phase):
            return self._run(phase, function, tasks, on_killed, self._cache if cached else None)

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Add the time of a block to a phase."""
        begin = time.perf_counter()
        yield
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - begin

    def _run(
        self,
        phase: str,
        function: Callable[..., Result],
        tasks: Sequence[tuple[Any, ...]],
        on_killed: Callable[..., Result] | None,
        cache: TaskCache | None,
    ) -> list[Result]:
        paths = [None if cache is None else cache.path(function.__name__, task) for task in tasks]
        results: list[Any] = [None if cache is None or path is None else cache.load(path) for path in paths]
        missing = [number for number, result in enumerate(results) if result is None]
        done = len(tasks) - len(missing)
        self._report(phase, done, len(tasks))
        for position, result in self._executor.run(function, [tasks[number] for number in missing]):
            number = missing[position]
            results[number] = result
            path = paths[number]
            if result is WORKER_KILLED:  # not stored: another run may have more memory
                if on_killed is None:
                    raise SvgmError("workers: one task killed several workers, perhaps because memory ran out")
                results[number] = on_killed(*tasks[number])
            elif cache is not None and path is not None:
                cache.store(path, result)
            done += 1
            self._report(phase, done, len(tasks))
        return results
