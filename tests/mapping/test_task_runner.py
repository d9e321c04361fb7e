"""The runner of tasks: results in order, progress, times, and tasks that kill their workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import svgm
from svgm.mapping.executor import WORKER_KILLED, ThreadExecutor
from svgm.mapping.task_cache import TaskCache
from svgm.mapping.task_runner import TaskRunner
from tests.mapping.tasks import double


class Backwards:
    """An executor that finishes the last task first."""

    def run(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        for number in reversed(range(len(tasks))):
            yield number, function(*tasks[number])


class Killing:
    """An executor whose workers survive no task."""

    def run(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        yield from ((number, WORKER_KILLED) for number in range(len(tasks)))


@pytest.mark.parametrize("executor", [ThreadExecutor(1), ThreadExecutor(2), Backwards()])
def test_results_are_in_the_order_of_the_tasks(executor: Any) -> None:
    reported: list[tuple[str, int, int]] = []
    runner = TaskRunner(executor, None, lambda *values: reported.append(values))
    assert runner("doubling", double, [(number,) for number in range(20)]) == [2 * number for number in range(20)]
    assert reported == [("doubling", done, 20) for done in range(21)]
    assert list(runner.seconds) == ["doubling"]


def test_times_of_a_phase_add_up() -> None:
    runner = TaskRunner(ThreadExecutor(1), None, None)
    runner.seconds["doubling"] = 100.0
    runner("doubling", double, [(1,)])
    assert 100.0 < runner.seconds["doubling"] < 200.0


def test_a_task_that_kills_its_workers() -> None:
    runner = TaskRunner(Killing(), None, None)
    with pytest.raises(svgm.SvgmError, match=r"^workers: one task killed several workers, perhaps because") as caught:
        runner("dying", double, [(1,)])
    assert "\n" not in str(caught.value)
    assert runner("dying", double, [(1,), (2,)], on_killed=lambda number: -number) == [-1, -2]


def test_results_are_stored_unless_a_worker_was_killed(tmp_path: Path, curve: np.ndarray) -> None:
    cache = TaskCache(tmp_path)
    tasks = [([[0.0, 0.0], [1.0, 1.0]], 1.0, [0.5, 0.5]), ([[0.0, 0.0]], 1.0, [1.0])]
    TaskRunner(Killing(), cache, None)("making", svgm.Mixture, tasks, on_killed=svgm.Mixture)
    assert not list(tmp_path.iterdir())
    first = TaskRunner(ThreadExecutor(1), cache, None)("making", svgm.Mixture, tasks)
    assert len(list(tmp_path.iterdir())) == 2
    assert TaskRunner(Killing(), cache, None)("making", svgm.Mixture, tasks) == first
    with pytest.raises(svgm.SvgmError):
        TaskRunner(Killing(), cache, None)("making", svgm.Mixture, tasks, cached=False)
