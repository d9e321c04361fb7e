"""Python processes that start at once: a server imports what commands need, once, and forks for each of them.

`Forks.run` does what ``subprocess.run([sys.executable, "-c", code, *arguments])`` does, in a tenth of the time.  It is
for tests that run many commands, and not for tests of the start itself.  Where there is no fork it starts Python anew,
and there are no limits.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

#: Seconds after which a command hangs, on however busy a machine.
LIMIT = 600.0


class Forks:
    """The server, as long as it is needed."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[str] | None = None
        if hasattr(os, "fork"):
            command = [sys.executable, "-m", "tests.forked"]
            self._server = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(
        self,
        code: str,
        *arguments: object,
        cwd: Path = ROOT,
        limits: dict[str, int] | None = None,
        kill_after: int | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run the code with these arguments in a folder.

        `limits` are values of ``resource.RLIMIT_...`` by name.  With `kill_after` the process is killed when it has
        written so many lines.
        """
        if self._server is None:
            command = [sys.executable, "-c", code, *map(str, arguments)]
            return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=LIMIT, check=False)
        request = {
            "code": code,
            "arguments": list(map(str, arguments)),
            "cwd": str(cwd),
            "limits": limits or {},
            "kill_after": kill_after,
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return subprocess.CompletedProcess(**json.loads(self._server.stdout.readline()))

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.communicate(timeout=LIMIT)


def serve() -> dict[str, Any]:
    """Answer requests until there are no more.  In the process that is to run a command, return its request."""
    while line := sys.stdin.readline():
        request: dict[str, Any] = json.loads(line)
        pipes = os.pipe(), os.pipe()
        process = os.fork()
        if not process:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for number, (_, end) in enumerate(pipes, 1):
                os.dup2(end, number)
            os.closerange(3, 100)
            # Python's own streams know what the numbers stood for before.
            sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
            return request
        for _, end in pipes:
            os.close(end)
        texts = _read_all([begin for begin, _ in pipes], process, request["kill_after"])
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        answer = {"args": request["arguments"], "returncode": code, "stdout": texts[0], "stderr": texts[1]}
        print(json.dumps(answer), flush=True)
    sys.exit()


def _read_all(pipes: list[int], process: int, kill_after: int | None) -> list[str]:
    """What a process writes until it ends; one that hangs, or has written so many lines, is killed."""
    texts = dict.fromkeys(pipes, b"")
    end, left = time.monotonic() + LIMIT, set(pipes)
    while left:
        ready, _, _ = select.select(list(left), [], [], max(0.0, end - time.monotonic()))
        if not ready:
            os.kill(process, 9)
            end += LIMIT
        for pipe in ready:
            piece = os.read(pipe, 1 << 16)
            texts[pipe] += piece
            if not piece:
                left.remove(pipe)
                os.close(pipe)
        if kill_after is not None and texts[pipes[0]].count(b"\n") >= kill_after:
            os.kill(process, 9)
    return [texts[pipe].decode() for pipe in pipes]


def run(request: dict[str, Any]) -> None:
    """Run the code of a request, and end as Python does, but without taking all that was imported apart."""
    import resource

    os.chdir(request["cwd"])
    for name, value in request["limits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    sys.argv = ["-c", *request["arguments"]]
    code = 1
    try:
        exec(request["code"], {"__name__": "__main__"})
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    import importlib

    for module in (
        *("svgm.cli", "svgm.cli.commands.info", "svgm.mapping", "svgm.view", "svgm.reconstruction", "scipy.fft"),
        *("scipy.spatial", "gtsam", "skimage.measure", "laspy", "matplotlib.font_manager", "matplotlib.figure"),
    ):
        try:
            importlib.import_module(module)
        except ImportError:  # an extra that is not there
            continue
    run(serve())
