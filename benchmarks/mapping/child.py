"""A map made in a process of its own, whose memory is watched and whose workers can be killed.

``python -m benchmarks.mapping.child`` is that process: a request as JSON on its standard input, the answer as a pickle
in a file.  It imports little that a caller of ``svgm.map`` would not, so its memory is the map's.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.mapping.mapped import MAPPER, Mapped, find, make_map
from benchmarks.speed.clock import peak_memory

#: Seconds between two looks at the memory of the process and its workers.
INTERVAL = 0.1


@dataclass(frozen=True)
class Watched:
    """A map and the memory (MB) it took.

    ``imported`` is what the process held before the map, ``peak`` the most it held itself, ``tree`` the most that it
    and all its workers were seen to hold together (what they share counts for each, so it is never too small a sum).
    """

    mapped: Mapped
    imported: float
    peak: float
    tree: float

    @property
    def memory(self) -> float:
        """What a bar counts: the larger one, as a look from outside may miss the peak."""
        return max(self.peak, self.tree)

    def summary(self) -> dict[str, Any]:
        """The figures of the map and its memory."""
        memory = {"imported": self.imported, "process": self.peak, "with workers": self.tree}
        return {**self.mapped.summary(), "memory (MB)": memory}


def map_in_child(
    scans: Sequence[Path],
    *,
    mapper: str = MAPPER,
    during: Callable[[Any, float], None] | None = None,
    **options: Any,
) -> Watched:
    """A map of the files in a new process; ``during(process, seconds)`` is called every now and then while it runs."""
    import psutil

    with TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.pickle"
        request = {"scans": [str(path) for path in scans], "mapper": mapper, "options": options, "answer": str(answer)}
        command = [sys.executable, "-m", "benchmarks.mapping.child"]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        assert child.stdin is not None
        child.stdin.write(json.dumps(request))
        child.stdin.close()
        process, begin, tree = psutil.Process(child.pid), time.perf_counter(), 0.0
        try:
            while child.poll() is None:
                tree = max(tree, _resident(process))
                if during is not None:
                    during(process, time.perf_counter() - begin)
                time.sleep(INTERVAL)
        finally:
            child.kill()  # nothing is left behind if this process is interrupted
            child.wait()
        if not answer.exists():
            raise RuntimeError(f"the process that made the map ended with code {child.returncode} and no answer")
        mapped, imported, peak = pickle.loads(answer.read_bytes())
    return Watched(mapped, imported, peak, tree)


def workers(process: Any) -> list[Any]:
    """The processes that work for a process, the busiest first; helpers of Python itself are none."""
    import psutil

    found = []
    for each in process.children(recursive=True):
        try:
            if "resource_tracker" not in " ".join(each.cmdline()):
                found.append((-each.cpu_times().user, each.pid, each))
        except psutil.Error:
            continue  # ended in between
    return [each for _, _, each in sorted(found, key=lambda entry: entry[:2])]


def main() -> None:
    """Make the map that the standard input asks for."""
    request = json.loads(sys.stdin.read())
    find(request["mapper"])  # so that imports are behind us
    imported = peak_memory()
    mapped = make_map(request["scans"], mapper=request["mapper"], **request["options"])
    Path(request["answer"]).write_bytes(pickle.dumps((mapped, imported, peak_memory())))


def _resident(process: Any) -> float:
    import psutil

    total = 0
    try:
        for each in (process, *process.children(recursive=True)):
            total += each.memory_info().rss
    except psutil.Error:
        pass  # one has ended while we looked
    return total / 2**20


if __name__ == "__main__":
    main()
