"""Registrations in processes of their own, one core each: one that crashes or runs past its limit is a result, too."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.context import SpawnProcess
from typing import Any

import numpy as np

from benchmarks.methods.method import Method, Setting
from benchmarks.paper.problems import Pair, Problem
from benchmarks.paper.store import Run, spelled
from benchmarks.speed.clock import POOLS
from svgm.rigid import pose_error


@dataclass(frozen=True)
class Job:
    """A problem for a method with a setting."""

    problem: Problem
    method: Method
    setting: Setting


def solve_all(jobs: Iterable[Job], workers: int, limit: float) -> Iterator[tuple[Job, Run]]:
    """Results as they come.  A job past `limit` seconds is ended with its worker, which is replaced."""
    waiting = iter(jobs)
    crew = [_Worker(number, limit) for number in range(workers)]
    try:
        for worker in crew:
            worker.begin(next(waiting, None))
        while any(worker.job for worker in crew):
            busy = [worker for worker in crew if worker.job]
            connection.wait([worker.pipe for worker in busy], timeout=max(0.0, min(w.left() for w in busy)))
            for worker in busy:
                done = worker.result()
                if done is not None:
                    job = worker.job
                    worker.begin(next(waiting, None))
                    assert job is not None
                    yield job, done
    finally:
        for worker in crew:
            worker.end()


class _Worker:
    """A process that solves one job after the other."""

    def __init__(self, number: int, limit: float) -> None:
        self.number, self.most, self.limit = number, limit, limit
        self.job: Job | None = None
        self._start()

    def begin(self, job: Job | None) -> None:
        self.job = job
        if job is not None:
            self.limit = min(self.most, job.method.limit)
            # The limit is of the registration, but reading the points and loading a library take time as well.
            self.deadline = time.monotonic() + self.limit + 20.0
            self.pipe.send(job)

    def left(self) -> float:
        return self.deadline - time.monotonic()

    def result(self) -> Run | None:
        """The result of the job if it has come to any end."""
        assert self.job is not None
        if self.pipe.poll():
            with suppress(EOFError, OSError):
                received: Any = self.pipe.recv()
                if received == "started":
                    self.deadline = time.monotonic() + self.limit
                    return None
                return received  # type: ignore[no-any-return]
            self.process.join()
            return self._replaced("died", f"the process ended with exit code {self.process.exitcode}")
        if self.left() <= 0.0:
            return self._replaced("limit", f"ended after {self.limit:g} s")
        return None

    def end(self) -> None:
        # With the programs that it has started.
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg") and self.process.pid:
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def _replaced(self, status: str, message: str) -> Run:
        job = self.job
        assert job is not None
        self.end()
        self._start()
        return _without_answer(job, job.problem.load(), status, self.limit, message)

    def _start(self) -> None:
        # Thread pools read their size when a library is loaded.
        os.environ.update(dict.fromkeys(POOLS, "1"))
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(target=_serve, args=(theirs, self.number), daemon=True)
        self.process.start()
        theirs.close()


def _serve(pipe: Any, number: int) -> None:
    # Open3D asks only which cores the process may use; and two workers on one core would time each other.
    if hasattr(os, "sched_setaffinity"):
        mine = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {mine[number % len(mine)]})
    if hasattr(os, "setsid"):
        os.setsid()  # ended as a group; and an interrupt is the parent's to handle
    warm: set[str] = set()
    while True:
        try:
            job: Job = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        pair = job.problem.load()
        if job.method.name not in warm:
            warm.add(job.method.name)
            with suppress(Exception):  # loads the library, which is no part of a registration
                _align(job, pair.source[::10], pair.target[::10], pair.unit)
        pipe.send("started")
        pipe.send(_solve(job, pair))


def _solve(job: Job, pair: Pair) -> Run:
    begin = time.perf_counter()
    try:
        T = np.asarray(_align(job, pair.source, pair.target, pair.unit), dtype=float)
        seconds = time.perf_counter() - begin
        if T.shape != pair.truth.shape or not np.isfinite(T).all():
            raise ValueError("the answer is not a finite pose")
        rotation, translation = pose_error(T, pair.truth)
    except Exception as error:
        seconds = time.perf_counter() - begin
        return _without_answer(job, pair, "failed", seconds, f"{type(error).__name__}: {error}".splitlines()[0])
    return Run(
        job.problem.key,
        job.method.name,
        spelled(job.setting),
        "ok",
        seconds,
        float(rotation),
        float(translation),
        [[float(value) for value in row] for row in T],
    )


def _align(job: Job, source: Any, target: Any, unit: float) -> Any:
    return job.method.align(source, target, unit=unit, threads=1, **job.setting)


def _without_answer(job: Job, pair: Pair, status: str, seconds: float, message: str) -> Run:
    """A run that leaves the source where it was."""
    rotation, translation = pose_error(np.eye(len(pair.truth)), pair.truth)
    return Run(
        job.problem.key,
        job.method.name,
        spelled(job.setting),
        status,
        float(seconds),
        float(rotation),
        float(translation),
        message=message,
    )
