"""The default call of this checkout and of another one on the same pairs in turn: processor time, and lines of code.

Another checkout must have its core built: ``src/svgm/_core/_native*.so``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.covariances.race import spread
from benchmarks.criteria import inlier, same_rotation
from benchmarks.datasets import dragon_pairs
from benchmarks.paper.problems import Dragon, Problem, Street
from benchmarks.report import Bar
from benchmarks.search.pairs import watched
from benchmarks.speed.findings import spoken
from svgm.rigid import pose_error

HERE = Path(__file__).parents[2]

#: Rooms whose lines do not count, and what counts as a line of code.
OUTSIDE, SOURCES = ("io", "view", "cli", "mapping"), (".py", ".cpp", ".hpp")

#: Pairs of each kind, unless the caller says how many.
PAIRS = 12


class Checkout:
    """A process that registers with the svgm of a checkout."""

    def __init__(self, root: Path) -> None:
        command = [sys.executable, str(Path(__file__).with_name("registering.py")), str(root / "src")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def register(self, file: Path, **options: Any) -> tuple[float, np.ndarray]:
        """Seconds of a processor and the answer for the pair in a file."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended: the answer is empty
            self._process.stdin.write(json.dumps({"file": str(file), "options": options}) + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the other checkout ended: see its error above; its core must be built")
        answer = json.loads(line)
        return answer["seconds"], np.array(answer["T"])

    def end(self) -> None:
        """Close its input, at which it ends."""
        self._process.communicate()


def times(against: Path, pairs: int) -> list[Bar]:
    """A row a kind of data: mean times, answers right, and the ratio of all pairs together."""
    print(f"\ntime of the default call over that of {against}, one thread, in turn", flush=True)
    bars = []
    with TemporaryDirectory() as folder:
        file = Path(folder, "pair.npz")
        crew = {"here": Checkout(HERE), "there": Checkout(against)}
        try:
            for kind, problems in _families().items():
                seconds: dict[str, list[float]] = {name: [] for name in crew}
                right = dict.fromkeys(crew, 0)
                chosen = spread(problems, pairs or PAIRS)
                for number, problem in enumerate(watched(chosen, kind)):
                    pair = problem.load()
                    np.savez(file, source=pair.source, target=pair.target)
                    for name in crew if number % 2 == 0 else reversed(crew):
                        if number == 0:
                            crew[name].register(file)  # what the first call loads
                        spent, T = crew[name].register(file)
                        seconds[name].append(spent)
                        error = pose_error(T, pair.truth)
                        right[name] += inlier(*error) if isinstance(problem, Street) else same_rotation(error[0])
                means = {name: float(np.mean(values)) for name, values in seconds.items()}
                ratios = np.array(seconds["here"]) / np.array(seconds["there"])
                print(
                    f"  {kind}: {spoken(means['here'])} here, {spoken(means['there'])} there, "
                    f"{right['here']} and {right['there']} of {len(chosen)} right, "
                    f"median ratio {np.median(ratios):.3g}",
                    flush=True,
                )
                bars.append(Bar(f"time, {kind}: over that of the other checkout", means["here"] / means["there"], 1.0))
        finally:
            for checkout in crew.values():
                checkout.end()
    for each in bars:
        print(each, flush=True)
    return bars


def lines(against: Path | None) -> list[Bar]:
    """Lines of src/svgm outside some rooms, beside those of the other checkout if there is one."""
    here = count(HERE / "src" / "svgm")
    print(f"\nlines of src/svgm outside {', '.join(OUTSIDE)}: {_spelled(here)}")
    if against is None:
        return []
    there = count(against / "src" / "svgm")
    print(f"  {against}: {_spelled(there)}")
    bars = [Bar("lines of code over those of the other checkout", sum(here.values()) / sum(there.values()), 1.0)]
    print(bars[0], flush=True)
    return bars


def count(package: Path) -> dict[str, int]:
    """Lines by suffix; without the rooms of `OUTSIDE`."""
    found = dict.fromkeys(SOURCES, 0)
    for path in package.rglob("*"):
        if path.suffix in SOURCES and path.relative_to(package).parts[0] not in OUTSIDE:
            found[path.suffix] += len(path.read_text(encoding="utf-8").splitlines())
    return found


def _spelled(counts: dict[str, int]) -> str:
    return f"{sum(counts.values())} ({', '.join(f'{suffix} {number}' for suffix, number in counts.items())})"


def _families() -> dict[str, list[Problem]]:
    steps = [pair for step in (1, 2, 3, 4) for pair in dragon_pairs(step)]
    return {
        "dragon, 2,000 points": [Dragon(*pair) for pair in steps],
        "dragon, whole scans": [Dragon(*pair, points=0) for pair in steps],
        "hannover1": [Street(target, gap) for gap in (1, 3, 5) for target in range(1, 301 - gap, 5)],
    }
