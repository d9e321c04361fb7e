"""Whatever is wrong with an argument of whatever is public, the answer is one line of SvgmError, at once."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bad_arguments import calls

#: A call that says nothing for so long hangs.
SECONDS = 120.0


class Caller:
    """A process that calls with wrong arguments, started anew if it dies or hangs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()

    def findings(self, path: str) -> Iterator[str]:
        """What is wrong with the answers of one function."""
        self._ask(path, 0)
        done, name = 0, "nothing"
        while (said := self._next())[0] != "end":
            if said[0] == "case":
                name = said[1]
                continue
            done += 1
            if said[1]:
                yield f"{name}: {said[1]}"
            if said[0] == "lost":
                self.close()
                if name == "nothing":
                    return
                self._ask(path, done)
                name = "nothing"

    def _ask(self, path: str, skipped: int) -> None:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.bad_arguments", str(self._folder)],
                cwd=Path(__file__).parents[1],
                env={**os.environ, "MALLOC_ARENA_MAX": "2"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            self._lines = queue.Queue()
            threading.Thread(target=_forward, args=(self._process, self._lines), daemon=True).start()
        assert self._process.stdin is not None
        self._process.stdin.write(f"{path} {skipped}\n")
        self._process.stdin.flush()

    def _next(self) -> list[str]:
        try:
            line = self._lines.get(timeout=SECONDS)
        except queue.Empty:
            return ["lost", f"no answer for {SECONDS:g} seconds"]
        return json.loads(line) if line else ["lost", "the process died"]

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _forward(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put("")


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    if not Path("/proc/self/statm").exists():
        pytest.skip("a limit of memory needs /proc, as Linux has it")
    caller = Caller(tmp_path_factory.mktemp("wrong"))
    yield caller
    caller.close()


@pytest.mark.parametrize("path", list(calls()))
def test_wrong_arguments_are_one_line(path: str, caller: Caller) -> None:
    assert not list(caller.findings(path))


def test_every_function_is_called() -> None:
    """Nothing is left out but what `RECORDS` and `INSIDE` name."""
    assert {
        "svgm.fit",
        "svgm.Mixture.sample",
        "svgm.rigid.exp",
        "svgm.view.registration",
        "svgm.datasets.body",
    } <= set(calls())
