"""A process that runs cases within limits of time and memory; another takes its place when it dies."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fuzz.case import Case

#: Of processor time, whatever else the machine does; a case that waits is ended after so many times as many seconds.
SECONDS, PATIENCE = 10.0, 12
#: Beyond what the process takes after its imports.
BYTES = 1_500_000_000
#: Cases that one process runs, so that what it remembers stays small and the same for the same seed.
CASES = 1000
#: Of the machine's cores, so that memory for threads is the same everywhere.
CORES = 2

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Outcome:
    """What a case came to: "answered", "refused" (one good line), or what was found: its kind, place and traceback."""

    kind: str
    place: str = ""
    message: str = ""
    traceback: str = ""

    @property
    def found(self) -> bool:
        """Whether it is a finding."""
        return self.kind not in ("answered", "refused")


class Worker:
    """Runs cases one after another in a process of its own, each for so many seconds at most."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[str] | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="svgm-fuzz-"))
        self._log = self._folder / "log"
        self._done = 0

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def run(self, case: Case) -> Outcome:
        """The outcome, also if the process does not live to tell it."""
        process = self._ready()
        assert process.stdin is not None
        assert process.stdout is not None
        self._done += 1
        try:
            process.stdin.write(case.to_json() + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return Outcome(**json.loads(line)) if line else self._death()

    def _ready(self) -> subprocess.Popen[str]:
        if self._done == CASES:
            self._end()
        if self._process is None:
            paths = [str(self._folder / "work"), str(self._log)]
            arguments = [sys.executable, "-m", "fuzz.worker", *paths, str(self._seconds)]
            one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
            environment = {**os.environ, **one, "MALLOC_ARENA_MAX": "2", "MPLBACKEND": "agg", "NO_COLOR": "1"}
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                arguments, stdin=pipe, stdout=pipe, text=True, encoding="utf-8", cwd=ROOT, env=environment
            )
            self._done = 0
        return self._process

    def _death(self) -> Outcome:
        code = self._end()
        log = self._log.read_text(encoding="utf-8", errors="replace")[-20_000:]
        frames = re.findall(r'File "(.*?)", line (\d+) in', log)
        place = next((f"{_ours(name)}:{line}" for name, line in frames if _ours(name)), "")
        if code == -getattr(signal, "SIGPROF", 0) or "Timeout (" in log:
            return Outcome(
                "too slow", place, f"more than {self._seconds:g} s of processor time, or waits for ever", log
            )
        return Outcome("died", place, f"the process ended with {code}", log)

    def _end(self) -> int:
        """Let the process go, and close its pipes; its exit code."""
        process, self._process = self._process, None
        if process is None:
            return 0
        process.communicate()
        return process.returncode


def _ours(name: str) -> str:
    """The path of a source file below svgm, or nothing for other files."""
    _, found, below = name.replace("\\", "/").rpartition("/svgm/")
    return below if found else ""


def _limit_memory() -> None:
    """Refuse memory beyond `BYTES` from now on, where the system can."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + BYTES,) * 2)
    except (ImportError, OSError, ValueError):
        return


@contextlib.contextmanager
def _limited_time(seconds: float, log: Any) -> Any:
    """End the process, with a traceback in the log, if the block takes too long."""
    faulthandler.dump_traceback_later(PATIENCE * seconds, exit=True, file=log)
    timer = getattr(signal, "setitimer", None)
    if timer:
        timer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        if timer:
            timer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()


def _evaluate(case: Case, names: dict[str, Any]) -> Outcome:
    from fuzz.checks import Broken, check_answer, check_message, same
    from svgm.checks.errors import SvgmError

    unraised: list[Any] = []
    sys.unraisablehook = unraised.append
    try:
        try:
            answer = eval(case.call, dict(names))
        except SvgmError as error:
            check_message(error)
            if case.kind == "file" and "damaged" not in str(error):
                raise Broken(f"the message must name the file: {error}") from None
            return Outcome("refused", message=str(error))
        check_answer(answer, case.call)
        if case.twice and not same(answer, eval(case.call, dict(names))):
            raise Broken("the same call must give the same bits")
        del answer
        if unraised:
            raise unraised[0].exc_value
        return Outcome("answered")
    except BaseException as error:
        # A message that breaks the rules was raised by what came before it.
        first = (isinstance(error, Broken) and error.__context__) or error
        files = [(_ours(frame.filename), frame.lineno) for frame in traceback.extract_tb(first.__traceback__)]
        places = [f"{name}:{line}" for name, line in files if name]
        text = "".join(traceback.format_exception(error))
        return Outcome(type(error).__name__, places[-1] if places else "", f"{error}"[:300], text[-6000:])


def _serve(folder: Path, log_path: Path, seconds: float) -> None:
    """Read cases, a line each, and answer with outcomes; whatever else is printed goes to the log."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    log = log_path.open("a", encoding="utf-8")
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    faulthandler.enable(log)
    if hasattr(signal, "SIGPROF"):
        faulthandler.register(signal.SIGPROF, log, chain=True)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    from fuzz.objects import names

    known = names()
    _limit_memory()
    warnings.simplefilter("error")
    # As in the tests: laspy, pye57 and trimesh are not ours to mend.
    warnings.filterwarnings("ignore", category=DeprecationWarning, module="(laspy|pye57|pyquaternion|trimesh).*")
    for line in sys.stdin:
        case = Case.from_json(line)
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        os.chdir(folder)
        for name, data in case.files.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_bytes(data)
        log.truncate(0)
        with _limited_time(seconds, log):
            outcome = _evaluate(case, known)
        answers.write(json.dumps(asdict(outcome)) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
