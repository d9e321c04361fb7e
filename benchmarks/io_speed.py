"""How much faster svgm reads an ASCII PLY scan than plyfile does.

Run with ``SVGM_DATA=<folder> python -m benchmarks.io_speed``. Besides the scan as it is, whose grid of indices behind
the vertices plyfile parses too, a copy with the vertices alone is timed, so that both readers do the same work.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import plyfile

import svgm.io

SCAN = Path("dragon_stand") / "dragonStandRight_0.ply"
REPEATS = 7


def main() -> int:
    """Print one line for the scan and one for its vertices alone."""
    folder = os.environ.get("SVGM_DATA")
    if not folder:
        print("SVGM_DATA is not set: point it at the folder with the data sets", file=sys.stderr)
        return 1
    scan = Path(folder) / SCAN
    if not scan.is_file():
        print(f"{scan} is missing: SVGM_DATA must be the folder that holds {SCAN.parent}", file=sys.stderr)
        return 1
    report("scan as it is", scan)
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / "vertices.ply"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            vertices = plyfile.PlyData.read(scan)["vertex"]
        plyfile.PlyData([vertices], text=True).write(copy)
        report("vertices alone", copy)
    return 0


def report(label: str, path: Path) -> None:
    """Time both readers in turn, so that a change of the machine's pace meets both, and print the medians."""
    theirs: list[float] = []
    ours: list[float] = []
    for _ in range(REPEATS):
        theirs.append(seconds(lambda: plyfile.PlyData.read(path)))
        ours.append(seconds(lambda: svgm.io.read_points(path)))
    slow, fast = statistics.median(theirs), statistics.median(ours)
    print(f"{label}: plyfile {slow * 1e3:.1f} ms, svgm {fast * 1e3:.1f} ms, ratio {slow / fast:.1f}")


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # plyfile warns of every empty list
        start = time.perf_counter()
        work()
        return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
