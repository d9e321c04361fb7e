"""How soon an interrupt ends a call of the core, and how long the GIL is held: ``python -m benchmarks.interrupts``.

Every call gets an input on which it takes some seconds.  SIGINT is sent a while after it began; the time until
KeyboardInterrupt reaches the caller counts.  Another thread of Python, which only looks at the clock, finds the longest
time that the GIL was held.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

from benchmarks.core_calls import CALLS, Maker
from benchmarks.report import bar, header

#: Seconds that a call is to take, and that pass before the signal.
LONG, AFTER = 2.0, (0.3, 0.7, 1.2)

#: Sizes grow up to this: linear calls on it take a second and some gigabytes.
LARGEST = 5_000_000

#: Seconds until the caller has KeyboardInterrupt, at most.
BAR = 0.3


def long_call(maker: Maker, size: int) -> tuple[Callable[[], object], float]:
    """A call that takes `LONG`, or the longest that fits, and its time."""
    while True:
        call = maker(size)
        begin = time.perf_counter()
        call()
        seconds = time.perf_counter() - begin
        if seconds >= LONG or size >= LARGEST:
            return call, seconds
        size *= 2


def seconds_to_end(call: Callable[[], object], after: float) -> float | None:
    """From the signal to the exception; None if the call was over before."""
    sent = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    try:
        timer.start()
        call()
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    return None


def longest_gap(call: Callable[[], object]) -> float:
    """The longest time in which another thread of Python could not look at the clock."""
    gaps, over = [0.0], threading.Event()

    def look() -> None:
        before = time.perf_counter()
        while not over.wait(1e-3):
            now = time.perf_counter()
            gaps.append(now - before)
            before = now

    watch = threading.Thread(target=look)
    watch.start()
    try:
        call()
    finally:
        over.set()
        watch.join()
    return max(gaps)


def main(names: list[str]) -> None:
    """Print the table."""
    # A shell that runs a command in the background makes it ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    header("interrupts: seconds from SIGINT to KeyboardInterrupt, and the longest time that the GIL was held")
    print(f"{'call':30} {'takes':>7} {'ends in':>8} {'GIL':>7}")
    worst = 0.0
    for name, (maker, size) in CALLS.items():
        if names and name not in names:
            continue
        call, takes = long_call(maker, size)
        ends = [seconds_to_end(call, min(after, 0.5 * takes)) for after in AFTER]
        slowest = max((end for end in ends if end is not None), default=float("inf"))  # inf: never heard
        print(f"{name:30} {takes:7.2f} {slowest:8.3f} {longest_gap(call):7.3f}", flush=True)
        worst = max(worst, slowest)
    bar("seconds until the caller has KeyboardInterrupt", worst, BAR)


if __name__ == "__main__":
    main(sys.argv[1:])
