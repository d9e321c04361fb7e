"""Signal handlers of Python run while the core computes; an exception that one raises ends all threads of the call."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.core_calls import CALLS, cloud, tree
from svgm import _core
from svgm.registration.prepared import prepare
from svgm.registration.problem import problem_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="timers that send signals are POSIX's")

ROOT = Path(__file__).parents[2]

#: Seconds. If a call takes this long and the handler has not run, the call does not check for signals.
UNRESPONSIVE = 5.0


class Raised(Exception):
    """Raised by a signal handler."""


@contextmanager
def signals(handler: Callable[[], None]) -> Iterator[None]:
    """Sends a signal every 20 ms; Python calls the handler."""
    before = signal.signal(signal.SIGALRM, lambda *_: handler())
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def in_a_process(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new process and wait for it."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )


def endless(threads: int) -> Callable[[], object]:
    """A call that takes hours."""
    points = tree(100_000)
    rows = np.broadcast_to(cloud(1), (3_000_000, 3)).copy()
    return lambda: _core.gauss_transform(points, rows, 1e-9, 30.0, 0, threads)


# Public functions consist of these calls; the constructor of PoseBounds takes less time than that of its trees.
@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith("svgm.") and name != "PoseBounds"])
def test_signal_handlers_run_during_every_call(name: str) -> None:
    make, size = CALLS[name]
    count = [0]

    def handler() -> None:
        count[0] += 1

    while True:
        call = make(size)
        with signals(handler):
            begin = time.monotonic()
            count[0] = 0
            call()
            # After a call that does not check for signals, Python handles one signal when it returns.
            times = count[0]
        if times >= 3:
            return
        assert time.monotonic() - begin < UNRESPONSIVE, f"{times} signals handled with size {size}"
        size *= 2


@pytest.mark.parametrize("threads", [1, 3])
def test_an_exception_of_a_handler_ends_the_call(threads: int) -> None:
    call, begun = endless(threads), []

    def handler() -> None:
        if begun:
            raise Raised

    with pytest.raises(Raised), signals(handler):  # noqa: PT012
        begun.append(True)
        call()
    # The pool and this thread still work.
    assert _core.gauss_transform(tree(1000), cloud(1000), 1.0, 30.0, 0, threads).shape == (1000, 1)


def test_an_interrupt_ends_a_process_at_once() -> None:
    code = (
        # A shell that runs a command in the background makes it ignore SIGINT.
        "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from tests.core.test_interrupts import endless\ncall = endless(2)\n"
        "try:\n    print('begun', flush=True)\n    call()\nexcept KeyboardInterrupt:\n    print('ended', flush=True)"
    )
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "ended\n"
    assert process.returncode == 0


def test_a_stop_ends_the_calls_of_other_threads() -> None:
    call, stop = endless(2), _core.Stop()
    with ThreadPoolExecutor(max_workers=2) as pool:
        running = [pool.submit(stop.run, call), pool.submit(stop.run, call)]
        stop.set()
        for future in running:
            assert isinstance(future.exception(), KeyboardInterrupt)
        # When the function under the stop has ended, the thread can be used again.
        pool.submit(tree, 100).result()


def test_a_stop_passes_on_results_and_exceptions() -> None:
    stop = _core.Stop()
    assert stop.run(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        stop.run(divmod, 7, 0)


def test_an_interrupt_ends_both_trainings(monkeypatch: pytest.MonkeyPatch) -> None:
    moving, fixed = prepare(cloud(50)), prepare(cloud(60))
    call, begun = endless(1), threading.Event()

    def forever(*_: object) -> None:
        begun.set()
        call()

    monkeypatch.setattr(fixed, "mixture", forever)

    def handler() -> None:
        if begun.is_set():
            raise Raised

    with pytest.raises(Raised), signals(handler), problem_of(moving, fixed, threads=2) as problem:
        problem.mixtures(1.0)


def test_an_interrupt_just_after_the_other_training_began_ends_it() -> None:
    moving, fixed = prepare(cloud(50)), prepare(cloud(60))
    begun, running = threading.Event(), []

    def training(*_: object) -> None:  # some seconds, so that it ends if nothing stops it
        points = tree(100_000)
        begun.set()
        _core.gauss_transform(points, np.broadcast_to(cloud(1), (20_000, 3)).copy(), 1e-9, 30.0, 0, 1)

    with ThreadPoolExecutor(max_workers=1) as pool, problem_of(moving, fixed, threads=1) as problem:

        class Interrupted:
            def submit(self, run: Callable[..., object], *_: object) -> None:
                running.append(pool.submit(run, training))
                begun.wait()
                raise Raised

        with pytest.raises(Raised):
            replace(problem, pool=Interrupted()).mixtures(1.0)
        assert isinstance(running[0].exception(), KeyboardInterrupt)


def test_python_ends_while_a_daemon_thread_computes() -> None:
    code = (
        "import threading\nfrom tests.core.test_interrupts import endless\ncall = endless(2)\n"
        "threading.Thread(target=call, daemon=True).start()\nprint('over', flush=True)"
    )
    run = in_a_process(code)
    assert (run.returncode, run.stdout, run.stderr) == (0, "over\n", "")


def test_python_ends_while_daemon_threads_return_from_calls() -> None:
    code = (
        "import threading\nfrom benchmarks.core_calls import cloud, tree\nfrom svgm import _core\n"
        "points, rows = tree(300), cloud(300)\n"
        "def again():\n    while True: _core.gauss_transform(points, rows, 1e-9, 30.0, 0, 2)\n"
        "for _ in range(3): threading.Thread(target=again, daemon=True).start()\nprint('over', flush=True)"
    )
    for _ in range(5):
        run = in_a_process(code)
        assert (run.returncode, run.stdout, run.stderr) == (0, "over\n", "")


def test_a_child_of_fork_handles_signals_and_computes() -> None:
    points, rows = tree(5000), cloud(5000)
    expected = _core.gauss_transform(points, rows, 1.0, 30.0, 0, 3)  # the pool has threads now
    child = os.fork()
    if child == 0:
        code = 1
        try:
            same = np.array_equal(_core.gauss_transform(points, rows, 1.0, 30.0, 0, 3), expected)
            try:
                with signals(lambda: (_ for _ in ()).throw(Raised)):
                    endless(2)()
            except Raised:
                code = 0 if same else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
