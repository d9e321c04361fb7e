"""Who does the work does not matter; that a worker dies does not either."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import svgm
from svgm import InputError
from svgm.mapping.executor import ENDED, IN_FLIGHT, MOST, Cluster, Executor, Here, executor
from svgm.mapping.work import Work
from tests.mapping.tasks import always_dies, dies_once, double, refuses


@pytest.fixture(scope="module")
def cluster() -> Iterator[Executor]:
    """Two processes."""
    with executor(2, None) as hands:
        yield hands


def test_the_same_in_order(cluster: Executor) -> None:
    tasks = [(number,) for number in range(20)]
    assert list(Here(1).run(double, tasks)) == [(number, 2 * number) for number in range(20)]
    for hands in (Here(2), cluster):
        assert sorted(hands.run(double, tasks)) == list(Here(1).run(double, tasks))
    for hands in (Here(1), Here(2), cluster):
        assert Work(hands, None, None)("doubling", double, tasks) == [2 * number for number in range(20)]
    assert list(cluster.run(double, [])) == list(Here().run(double, [])) == []


def test_few_tasks_at_a_time(cluster: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    assert IN_FLIGHT > 100
    monkeypatch.setattr("svgm.mapping.executor.IN_FLIGHT", 3)
    assert sorted(cluster.run(double, [(number,) for number in range(11)])) == [(k, 2 * k) for k in range(11)]


def test_equal_tasks_each_have_an_answer(cluster: Executor) -> None:
    assert sorted(cluster.run(double, [(1,)] * 4)) == [(k, 2) for k in range(4)]


def test_a_known_error_comes_back_as_it_is(cluster: Executor) -> None:
    with pytest.raises(InputError, match=r"^number must be kind, got 4$"):
        list(cluster.run(refuses, [(4,)]))
    assert list(cluster.run(double, [(1,)])) == [(0, 2)]


def test_the_work_of_a_killed_worker_is_done_again(cluster: Executor, tmp_path: Path) -> None:
    tasks = [(number, str(tmp_path / "marker")) for number in range(6)]
    assert sorted(cluster.run(dies_once, tasks)) == [(number, 2 * number) for number in range(6)]
    assert (tmp_path / "marker").exists()


def test_a_task_that_kills_everyone_is_one_line(cluster: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    from dask.distributed import KilledWorker

    class Killed:
        def __init__(self) -> None:
            self.key = f"task {id(self)}"

        def result(self) -> None:
            raise KilledWorker("task", None, 3)

        def release(self) -> None:
            pass

    assert isinstance(cluster, Cluster)
    monkeypatch.setattr("dask.distributed.as_completed", list)
    monkeypatch.setattr(cluster._client, "submit", lambda *rest, **options: Killed())
    assert list(cluster.run(always_dies, [()])) == [(0, ENDED)]
    with pytest.raises(svgm.SvgmError, match=r"^workers: one task ended several of them") as caught:
        Work(cluster, None, None)("dying", always_dies, [()])
    assert "\n" not in str(caught.value)
    assert Work(cluster, None, None)("dying", always_dies, [(), ()], ended=lambda: 7) == [7, 7]


def test_this_process_by_default() -> None:
    with executor(None, None) as hands:
        assert isinstance(hands, Here)


@pytest.mark.parametrize("workers", [0, -1, 1.5, "two"])
def test_numbers_of_workers(workers: object) -> None:
    with (
        pytest.raises(InputError, match=r"^workers must be a whole number of at least 1, got"),
        executor(workers, None),
    ):  # type: ignore[arg-type]
        pass


def test_more_workers_than_a_machine_bears() -> None:
    with (
        pytest.raises(InputError, match=rf"^workers must be at most \d+, {MOST} a core, got 1000000000$"),
        executor(10**9, None),
    ):
        pass


@pytest.mark.parametrize("address", [3, b"tcp://here:1", ["tcp://here:1"]])
def test_addresses_are_text(address: object) -> None:
    with pytest.raises(InputError, match=r"^dask must be an address"), executor(None, address):  # type: ignore[arg-type]
        pass


def test_either_workers_or_a_cluster() -> None:
    with pytest.raises(InputError, match=r"^workers and dask exclude each other"), executor(1, "tcp://here:1"):
        pass


@pytest.mark.parametrize("address", ["", " ", "tcp://", "here", "tcp://here:port", "tcp://127.0.0.1:9"])
def test_nobody_answers(address: str) -> None:
    with (
        pytest.raises(InputError, match=rf"^dask: no scheduler answers at {address!r} \(") as caught,
        executor(None, address),
    ):
        pass
    assert "\n" not in str(caught.value)


def test_workers_that_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a script without a main block: each worker would run it again."""

    def failing(**options: object) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr("dask.distributed.LocalCluster", failing)
    with pytest.raises(InputError, match=r"^workers could not be started: .*__main__") as caught, executor(1, None):
        pass
    assert "\n" not in str(caught.value)
