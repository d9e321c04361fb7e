"""Commands as processes of their own, under limits of the system, and the files that they read."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import svgm
from svgm.datasets import body, laser_scan, round_walk, storey
from tests.forked import Forks

#: Programs of processes that are killed.
collect_ignore = ["killed_map.py", "preload.py"]

#: What a process is that has come to nothing or to one line.
Run = Callable[..., "subprocess.CompletedProcess[str]"]

#: Sets a limit when all that the command needs is there, so that the command meets it and not the start of a library.
#: OpenBLAS takes memory at its first use, and ends the process if there is none.
LIMITED = """
import resource, sys
from svgm.cli import main
kind, limit = getattr(resource, sys.argv.pop(1)), int(sys.argv.pop(1))
if kind == resource.RLIMIT_AS:
    import svgm
    from svgm.datasets import body, butterfly
    if sys.argv[1] != "info":
        svgm.surface(svgm.fit(body(200, seed=1)[0]))
        svgm.register(body(200, seed=1)[0], body(200, seed=2)[0], search="local")
        svgm.register(butterfly(100, seed=1), butterfly(100, seed=2), search="global")
    limit += 1024 * int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmSize")))
resource.setrlimit(kind, (limit, limit))
main(prog_name="svgm")
"""


@pytest.fixture(scope="session")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two scans and their mixtures, and a folder of laser scans."""
    folder = tmp_path_factory.mktemp("inputs")
    for name, seed in (("a", 1), ("b", 2)):
        points = body(800, seed=seed)[0]
        svgm.write_points(folder / f"{name}.ply", points)
        svgm.fit(points, gamma=4, scale=1.0).save(folder / f"{name}.npz")
    (folder / "scans").mkdir()
    walls = storey()
    for k, pose in enumerate(round_walk(60)[:4]):
        svgm.write_points(folder / "scans" / f"{k}.csv", laser_scan(walls, pose, seed=k))
    return folder


@pytest.fixture
def limited(inputs: Path, forks: Forks) -> Run:
    """Run `svgm` under a limit of the system: ``limited("RLIMIT_FSIZE", 100, "fit", ...)``."""
    pytest.importorskip("resource")
    return lambda limit, value, *arguments: forks.run(LIMITED, limit, value, *arguments, cwd=inputs)


def assert_one_line(outcome: subprocess.CompletedProcess[str]) -> str:
    """The line, without its beginning."""
    assert outcome.returncode == 1, (outcome.returncode, outcome.stderr)
    assert outcome.stderr.startswith("svgm: error: "), outcome.stderr
    assert outcome.stderr.count("\n") == 1, outcome.stderr
    return outcome.stderr.removeprefix("svgm: error: ").rstrip("\n")
