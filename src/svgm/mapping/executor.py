"""Execution backends: threads of this process, processes of this machine, or a Dask cluster, with equal results."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from svgm import _core
from svgm.checks.arguments import count, thread_count
from svgm.checks.errors import InputError, not_installed

#: Tasks that are submitted to a cluster at a time: enough to keep it busy, few enough for the scheduler's memory.
SUBMITTED_TASKS = 1000

#: Workers per CPU, at most: more workers take memory and save no time.
WORKERS_PER_CPU = 32

#: In place of the result of a task that kills every worker.
WORKER_KILLED = object()


class Executor(Protocol):
    """Runs a function for many tasks."""

    def run(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """Yield (number of the task, ``function(*task)`` or `WORKER_KILLED`) as the tasks finish, in any order."""


class ThreadExecutor:
    """Threads of this process: by default one for each CPU that the process may use.

    Only the C++ core computes in parallel: it releases the GIL, and the Python code around it does not.  A single task
    runs in the thread of the caller.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = thread_count(threads)

    def run(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """Yield (number of the task, result) as the tasks finish."""
        if self._threads == 1 or len(tasks) == 1:
            for number, task in enumerate(tasks):
                yield number, function(*task)
            return
        from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

        pool, stop = ThreadPoolExecutor(self._threads), _core.Stop()
        try:
            numbers = {pool.submit(stop.run, function, *task): number for number, task in enumerate(tasks)}
            while numbers:
                done, _ = wait(numbers, return_when=FIRST_COMPLETED)
                for future in done:
                    yield numbers.pop(future), future.result()
        finally:
            stop.set()  # if the run is interrupted, running tasks end early
            pool.shutdown(cancel_futures=True)


class DaskExecutor:
    """A Dask cluster.  If a worker dies, another one runs its tasks again."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def run(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """Yield (number of the task, result) as the tasks finish; at most `SUBMITTED_TASKS` are submitted at a time.

        Dask drops a task after several of its workers have died, and perhaps other tasks that waited on these workers.
        Dropped tasks run again one by one.  A task that kills workers when it runs alone gets `WORKER_KILLED`.
        """
        dropped = []
        for number, result in self._run_together(function, tasks):
            if result is WORKER_KILLED and len(tasks) > 1:
                dropped.append(number)
            else:
                yield number, result
        for number in dropped:
            for _, result in self._run_together(function, [tasks[number]]):
                yield number, result

    def _run_together(
        self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, Any]]:
        from dask.distributed import KilledWorker, as_completed

        waiting = iter(enumerate(tasks))
        numbers: dict[str, int] = {}

        def submit(amount: int) -> list[Any]:
            futures = []
            for number, task in (next(waiting, (-1, ())) for _ in range(amount)):
                if number >= 0:
                    # pure=False: equal tasks run separately.  Earlier tasks have priority.
                    future = self._client.submit(function, *task, pure=False, priority=-number)
                    numbers[future.key] = number
                    futures.append(future)
            return futures

        done = as_completed(submit(SUBMITTED_TASKS))
        for future in done:
            try:
                result = future.result()
            except KilledWorker:
                result = WORKER_KILLED
            yield numbers.pop(future.key), result
            future.release()
            for more in submit(1):
                done.add(more)


@contextmanager
def open_executor(workers: int | None, dask: str | None) -> Iterator[Executor]:
    """Threads of this process, `workers` processes of this machine, or the cluster of the scheduler at `dask`."""
    if workers is None and dask is None:
        yield ThreadExecutor()
        return
    if workers is not None and dask is not None:
        raise InputError("workers and dask exclude each other: give a number of processes or a scheduler's address")
    if dask is not None and not isinstance(dask, str):
        raise InputError(f"dask must be an address, as tcp://host:8786, got {dask!r}")
    if workers is not None and (amount := count("workers", workers)) > (most := WORKERS_PER_CPU * thread_count(None)):
        raise InputError(f"workers must be at most {most}, {WORKERS_PER_CPU} per CPU, got {amount}")
    try:
        from dask import config
        from dask.distributed import Client, LocalCluster
    except ImportError:
        raise InputError(not_installed("workers need dask", "map")) from None
    if dask is not None:
        try:
            check_reachable(dask)
            client = Client(dask, timeout="10s")
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise InputError(f"dask: no scheduler answers at {dask!r} ({reason})") from None
        with client:
            yield DaskExecutor(client)
        return
    try:
        with _sigint_blocked():
            cluster = LocalCluster(
                n_workers=amount,
                threads_per_worker=1,
                # A free port of this machine and no dashboard: with None the scheduler would take port 8787, which may
                # be in use.
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=50,
            )
    except RuntimeError:  # most often: each worker runs the script that starts it, and would start workers again
        raise InputError(
            'workers could not be started: does the script ask for them below `if __name__ == "__main__":`?'
        ) from None
    # A worker's nanny restarts it at once.  But if it dies repeatedly, the cluster would give up the worker, close its
    # nanny, and wait forever; the long timeout prevents this.
    with config.set({"distributed.deploy.lost-worker-timeout": "1000 days"}), cluster, Client(cluster) as client:
        yield DaskExecutor(client)


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Threads and processes that are started inside ignore Ctrl-C; this process receives it later and ends them."""
    from multiprocessing import resource_tracker

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # before the block, because starting it unblocks SIGINT
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def check_reachable(address: str) -> None:
    """Raise an OSError or a ValueError unless something listens at the address.

    Dask's client takes long to give up on an address without a scheduler, and with an empty address it starts a cluster
    of its own.
    """
    import socket
    from urllib.parse import urlsplit

    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if not parts.hostname or not parts.port:
        raise ValueError("an address is like tcp://host:8786")
    if parts.scheme in ("tcp", "tls"):
        socket.create_connection((parts.hostname, parts.port), timeout=10.0).close()
