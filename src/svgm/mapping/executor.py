"""Who does the work: this process, processes of this machine, or a Dask cluster.  What comes out is the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from svgm import _core
from svgm.checks.arguments import count
from svgm.checks.errors import InputError, not_installed

#: Tasks that are handed to a cluster at a time: enough to keep it busy, few enough for the scheduler's memory.
IN_FLIGHT = 1000

#: Workers a core, at most: more of them take memory and no less time.
MOST = 32

#: In place of the result of a task that ends every worker.
ENDED = object()


class Executor(Protocol):
    """Runs a function for many tasks, in any order."""

    def run(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """Yield (number of the task, ``function(*task)`` or `ENDED`) as they are done."""


class Here:
    """This process, with as many threads as it has cores: the core lets go of Python while it computes."""

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or os.cpu_count() or 1

    def run(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """As they are done."""
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
            stop.set()  # an interrupted run ends the tasks in hand
            pool.shutdown(cancel_futures=True)


class Cluster:
    """A Dask cluster: tasks of a worker that dies are done again by another."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def run(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """As they are done; at most `IN_FLIGHT` are handed over at a time.

        Dask gives up a task after several of its workers have died, and with it perhaps others that waited there.
        These are done again one by one: a task that ends workers all alone is to blame.
        """
        blamed = []
        for number, result in self._together(function, tasks):
            if result is ENDED and len(tasks) > 1:
                blamed.append(number)
            else:
                yield number, result
        for number in blamed:
            for _, result in self._together(function, [tasks[number]]):
                yield number, result

    def _together(self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        from dask.distributed import KilledWorker, as_completed

        waiting = iter(enumerate(tasks))
        numbers: dict[str, int] = {}

        def submit(amount: int) -> list[Any]:
            futures = []
            for number, task in (next(waiting, (-1, ())) for _ in range(amount)):
                if number >= 0:
                    # Earlier tasks first, and none twice: a stretch of the way is long, its end is waited for.
                    future = self._client.submit(function, *task, pure=False, priority=-number)
                    numbers[future.key] = number
                    futures.append(future)
            return futures

        done = as_completed(submit(IN_FLIGHT))
        for future in done:
            try:
                result = future.result()
            except KilledWorker:
                result = ENDED
            yield numbers.pop(future.key), result
            future.release()
            for more in submit(1):
                done.add(more)


@contextmanager
def executor(workers: int | None, dask: str | None) -> Iterator[Executor]:
    """This process, `workers` processes of this machine, or the cluster whose scheduler has the address `dask`."""
    if workers is None and dask is None:
        yield Here()
        return
    if workers is not None and dask is not None:
        raise InputError("workers and dask exclude each other: processes of this machine, or a cluster's")
    if dask is not None and not isinstance(dask, str):
        raise InputError(f"dask must be an address, as tcp://host:8786, got {dask!r}")
    if workers is not None and (amount := count("workers", workers)) > (most := MOST * (os.cpu_count() or 1)):
        raise InputError(f"workers must be at most {most}, {MOST} a core, got {amount}")
    try:
        from dask import config
        from dask.distributed import Client, LocalCluster
    except ImportError:
        raise InputError(not_installed("workers need dask", "map")) from None
    if dask is not None:
        try:
            knock(dask)
            client = Client(dask, timeout="10s")
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise InputError(f"dask: no scheduler answers at {dask!r} ({reason})") from None
        with client:
            yield Cluster(client)
        return
    try:
        with _deaf():
            cluster = LocalCluster(
                n_workers=amount,
                threads_per_worker=1,
                # A free port of this machine, without a dashboard: with None the scheduler wants 8787, perhaps taken.
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=50,
            )
    except RuntimeError:  # most often: each worker runs the script that starts it, and would start workers again
        raise InputError(
            'workers could not be started: does the script ask for them below `if __name__ == "__main__":`?'
        ) from None
    # A worker's keeper starts it again at once.  If it dies again and again, the cluster would take it for lost, close
    # its keeper, and wait for nobody.
    with config.set({"distributed.deploy.lost-worker-timeout": "1000 days"}), cluster, Client(cluster) as client:
        yield Cluster(client)


@contextmanager
def _deaf() -> Iterator[None]:
    """Threads and processes started inside do not hear Ctrl-C: this process does, afterwards, and ends them."""
    from multiprocessing import resource_tracker

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # when it is started it opens the ears again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def knock(address: str) -> None:
    """Raise an OSError or a ValueError unless something listens at the address.

    A client that finds nobody takes long to give up, and one with an empty address starts a cluster of its own.
    """
    import socket
    from urllib.parse import urlsplit

    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if not parts.hostname or not parts.port:
        raise ValueError("an address is like tcp://host:8786")
    if parts.scheme in ("tcp", "tls"):
        socket.create_connection((parts.hostname, parts.port), timeout=10.0).close()
