"""Timing: contestants in turn, medians over repeats, in fresh processes that hold so many cores."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

R = TypeVar("R")

#: What the thread pools of numpy, scikit-learn and small_gicp read when they are loaded.
POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def seconds(work: Callable[[], object], timer: Callable[[], float] = time.perf_counter) -> float:
    """Wall time of one call, or the time by another clock."""
    begin = timer()
    work()
    return timer() - begin


def alternate(
    contestants: Mapping[str, Callable[[], object]],
    repeats: int,
    *,
    warm: bool = True,
    timer: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Median seconds of each contestant.

    They run in turn and every other round backwards (A B, B A, ...), so that a change of the machine's pace meets all
    of them.  The first round, which loads code and caches, does not count.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    names = list(contestants)
    if warm:
        for name in names:
            contestants[name]()
    for number in range(repeats):
        for name in names if number % 2 == 0 else reversed(names):
            times[name].append(seconds(contestants[name], timer))
    return {name: statistics.median(values) for name, values in times.items()}


def take_turns(
    contestants: Mapping[str, Callable[[], R]],
    number: int,
    repeats: int = 1,
    timer: Callable[[], float] = time.perf_counter,
) -> tuple[dict[str, R], dict[str, float]]:
    """The answer of each contestant to problem `number`, and its median seconds.

    Every other problem the other way round, as there may be one repeat only.
    """
    answers: dict[str, R] = {}

    def keeping(name: str) -> Callable[[], None]:
        def work() -> None:
            answers[name] = contestants[name]()

        return work

    order = list(contestants) if number % 2 == 0 else list(reversed(contestants))
    return answers, alternate({name: keeping(name) for name in order}, repeats, warm=False, timer=timer)


def in_fresh_process(work: Callable[..., R], *arguments: Any, threads: int) -> R:
    """``work(*arguments)`` in a new process that holds `threads` cores.

    A new process because thread pools are sized when a library is loaded, and because peak memory is a process's.
    """
    before = {name: os.environ.get(name) for name in POOLS}
    os.environ.update(dict.fromkeys(POOLS, str(threads)))
    try:
        with ProcessPoolExecutor(1, get_context("spawn"), _hold_cores, (threads,)) as pool:
            return pool.submit(work, *arguments).result()
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _hold_cores(threads: int) -> None:
    # Variables do not reach everyone: Open3D 0.20 runs on TBB, which asks only which cores the process may use.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])


def peak_memory() -> float:
    """The most memory (MB) this process has held at once."""
    status = Path("/proc/self/status")
    if status.exists():
        # Linux hands ru_maxrss down from parent to child; VmHWM is the process's own.
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        return float(fields["VmHWM"].split()[0]) / 1024.0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # bytes, as macOS counts
