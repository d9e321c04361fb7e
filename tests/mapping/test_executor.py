"""Execution backends: equal results on all of them, also if a worker dies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from svgm import InputError
from svgm.mapping.executor import WORKER_KILLED, WORKERS_PER_CPU, DaskExecutor, Executor, ThreadExecutor, open_executor
from tests.mapping.tasks import always_dies, dies_once, double, refuses


@pytest.fixture(scope="module")
def cluster() -> Iterator[Executor]:
    """Two processes."""
    with open_executor(2, None) as backend:
        yield backend


def test_equal_results_on_all_backends(cluster: Executor) -> None:
    tasks = [(number,) for number in range(20)]
    assert list(ThreadExecutor(1).run(double, tasks)) == [(number, 2 * number) for number in range(20)]
    for backend in (ThreadExecutor(2), cluster):
        assert sorted(backend.run(double, tasks)) == list(ThreadExecutor(1).run(double, tasks))
    assert list(cluster.run(double, [])) == list(ThreadExecutor().run(double, [])) == []


def test_few_tasks_at_a_time(cluster: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(cluster, DaskExecutor)
    monkeypatch.setattr("svgm.mapping.executor.SUBMITTED_TASKS", 3)
    submit, submitted = cluster._client.submit, []

    def counted(*rest: object, **options: object) -> object:
        submitted.append(rest)
        return submit(*rest, **options)

    monkeypatch.setattr(cluster._client, "submit", counted)
    found = []
    for result in cluster.run(double, [(number,) for number in range(11)]):
        assert len(submitted) <= 3 + len(found)
        found.append(result)
    assert sorted(found) == [(k, 2 * k) for k in range(11)]
    assert len(submitted) == 11


def test_equal_tasks_each_have_an_answer(cluster: Executor) -> None:
    assert sorted(cluster.run(double, [(1,)] * 4)) == [(k, 2) for k in range(4)]


def test_an_error_is_raised_as_it_is(cluster: Executor) -> None:
    with pytest.raises(InputError, match=r"^number must be kind, got 4$"):
        list(cluster.run(refuses, [(4,)]))
    assert list(cluster.run(double, [(1,)])) == [(0, 2)]


def test_tasks_of_a_killed_worker_run_again(cluster: Executor, tmp_path: Path) -> None:
    tasks = [(number, str(tmp_path / "marker")) for number in range(6)]
    assert sorted(cluster.run(dies_once, tasks)) == [(number, 2 * number) for number in range(6)]
    assert (tmp_path / "marker").exists()


def test_a_task_that_kills_every_worker(cluster: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    from dask.distributed import KilledWorker

    class Killed:
        def __init__(self) -> None:
            self.key = f"task {id(self)}"

        def result(self) -> None:
            raise KilledWorker("task", None, 3)

        def release(self) -> None:
            pass

    assert isinstance(cluster, DaskExecutor)
    monkeypatch.setattr("dask.distributed.as_completed", list)
    monkeypatch.setattr(cluster._client, "submit", lambda *rest, **options: Killed())
    assert list(cluster.run(always_dies, [()])) == [(0, WORKER_KILLED)]
    assert list(cluster.run(always_dies, [(), ()])) == [(0, WORKER_KILLED), (1, WORKER_KILLED)]


def test_threads_of_this_process_by_default() -> None:
    with open_executor(None, None) as backend:
        assert isinstance(backend, ThreadExecutor)


@pytest.mark.parametrize("workers", [0, -1, 1.5, "two"])
def test_numbers_of_workers(workers: object) -> None:
    with (
        pytest.raises(InputError, match=r"^workers must be a whole number of at least 1, got"),
        open_executor(workers, None),
    ):  # type: ignore[arg-type]
        pass


def test_too_many_workers() -> None:
    with (
        pytest.raises(InputError, match=rf"^workers must be at most \d+, {WORKERS_PER_CPU} per CPU, got 1000000000$"),
        open_executor(10**9, None),
    ):
        pass


@pytest.mark.parametrize("address", [3, b"tcp://here:1", ["tcp://here:1"]])
def test_addresses_are_text(address: object) -> None:
    with pytest.raises(InputError, match=r"^dask must be an address"), open_executor(None, address):  # type: ignore[arg-type]
        pass


def test_either_workers_or_a_cluster() -> None:
    with pytest.raises(InputError, match=r"^workers and dask exclude each other"), open_executor(1, "tcp://here:1"):
        pass


@pytest.mark.parametrize("address", ["", " ", "tcp://", "here", "tcp://here:port", "tcp://127.0.0.1:9"])
def test_no_scheduler_answers(address: str) -> None:
    with (
        pytest.raises(InputError, match=rf"^dask: no scheduler answers at {address!r} \(") as caught,
        open_executor(None, address),
    ):
        pass
    assert "\n" not in str(caught.value)


def test_workers_that_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a script without a main block: each worker would run it again."""

    def failing(**options: object) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr("dask.distributed.LocalCluster", failing)
    with (
        pytest.raises(InputError, match=r"^workers could not be started: .*__main__") as caught,
        open_executor(1, None),
    ):
        pass
    assert "\n" not in str(caught.value)
