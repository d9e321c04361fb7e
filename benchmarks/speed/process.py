"""The whole process of ``svgm register a.ply b.ply`` against that of ``import open3d``."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.datasets import dragon_scans, subsample
from benchmarks.speed import peers
from benchmarks.speed.clock import alternate, in_fresh_process
from benchmarks.speed.findings import Findings, spoken
from svgm import write_points

POINTS = 2000
WHAT = "svgm register a.ply b.ply, process"


def run(findings: Findings, repeats: int) -> None:
    """On one core and on two."""
    if not peers.installed("open3d"):
        return
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("a.ply", "b.ply")]
        for number, (path, scan) in enumerate(zip(files, dragon_scans()[0], strict=False)):
            write_points(path, subsample(scan, POINTS, number))
        commands = {
            "svgm register": [*program(), "register", *map(str, files)],
            "import open3d": [sys.executable, "-W", "ignore", "-c", "import open3d"],
            "import svgm": [sys.executable, "-c", "import svgm"],
        }
        for threads in (1, 2):
            times = in_fresh_process(measure, commands, 2 * repeats + 1, threads=threads)
            print(f"\nwhole process on {threads} core{'s' * (threads > 1)} (median of {2 * repeats + 1}):")
            for name, value in times.items():
                print(f"  {name:<14} {spoken(value)}", flush=True)
            ours, theirs = times["svgm register"], times["import open3d"]
            ratio = findings.compare(WHAT, "import open3d", ours, theirs, threads=threads)
            if threads == 1:
                findings.check(f"{WHAT}: time over import open3d's", ratio, 0.5)
            findings.details[f"process, {threads} cores"] = times


def program() -> list[str]:
    """The script beside this interpreter, as a user calls it, or else the module."""
    script = shutil.which("svgm", path=str(Path(sys.executable).parent))
    return [script] if script else [sys.executable, "-m", "svgm.cli"]


def measure(commands: dict[str, list[str]], repeats: int) -> dict[str, float]:
    """Median seconds of each command, in turn."""
    calls = {
        name: partial(subprocess.run, command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name, command in commands.items()
    }
    return alternate(calls, repeats)
