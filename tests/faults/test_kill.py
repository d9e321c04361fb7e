"""A process that is killed while it writes: the old file whole or the new one whole, and no other in sight."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.cli.commands.map import scan_files
from svgm.io import WRITABLE, read_points, write_points
from tests.forked import Forks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")

#: Writes one set after another to a file, and says so after each.
WRITER = """
import itertools, sys
import numpy as np
from svgm.io import write_points
for k in itertools.count(1):
    write_points(sys.argv[1], np.full((int(sys.argv[2]), 3), k % 2) + np.arange(3.0))
    print(k, flush=True)
"""

#: Runs a command that is killed at the n-th time that a finished file takes its place: before it, or after.
KILLED = """
import os, signal, sys
from svgm.cli import main
plain, left, after = os.replace, [int(sys.argv.pop(1))], sys.argv.pop(1) == "after"
def replace(source, target):
    left[0] -= 1
    if after or left[0]:
        plain(source, target)
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
os.replace = replace
main(prog_name="svgm")
"""


def visible(folder: Path) -> list[str]:
    """Names that do not begin with a dot."""
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


@pytest.mark.parametrize("suffix", WRITABLE)
def test_a_file_is_whole_whenever_its_writer_is_killed(forks: Forks, tmp_path: Path, suffix: str) -> None:
    if suffix in (".las", ".laz"):
        pytest.importorskip("laspy")
    path = tmp_path / f"points{suffix}"
    rows = 20_000
    for turn in range(1, 4):
        assert forks.run(WRITER, path, rows, kill_after=turn).returncode == -signal.SIGKILL
        points = read_points(path)
        assert points.shape == (rows, 3)
        assert len(np.unique(points.round(6), axis=0)) == 1
        assert visible(tmp_path) == [path.name]


def test_killed_in_the_middle_of_a_file(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from svgm.io import atomic_write\n"
        "with atomic_write(sys.argv[1]) as temporary, temporary.open('w') as stream:\n"
        "    stream.write('half'); stream.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    path = tmp_path / "points.csv"
    path.write_text("0 0\n1 1\n")
    subprocess.run([sys.executable, "-c", code, str(path)], check=False, timeout=600)
    assert path.read_text() == "0 0\n1 1\n"
    assert visible(tmp_path) == ["points.csv"]
    # What is left of the write is there, but no command takes it for a scan.
    assert len(list(tmp_path.iterdir())) == 2
    assert scan_files((tmp_path,), tmp_path / "map") == [path]
    write_points(path, [[2.0, 3.0]])
    assert read_points(path).tolist() == [[2.0, 3.0]]


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_a_command_with_several_outputs(forks: Forks, inputs: Path, tmp_path: Path, number: int, moment: str) -> None:
    """Each output is an old file or a new one, wherever among them the command is killed."""
    names = {"-o": "moved.ply", "--matrix": "T.txt", "--candidates": "c.json", "--report": "r.html"}
    for name in names.values():
        (tmp_path / name).write_text("old")
    options = [word for option, name in names.items() for word in (option, str(tmp_path / name))]
    words = ["register", str(inputs / "a.ply"), str(inputs / "b.ply"), *options]
    assert forks.run(KILLED, number, moment, *words).returncode == -signal.SIGKILL
    assert visible(tmp_path) == sorted(names.values())
    new = {
        "moved.ply": lambda path: len(read_points(path)) == 800,
        "T.txt": lambda path: np.loadtxt(path).shape == (4, 4),
        "c.json": lambda path: len(json.loads(path.read_text())) > 0,
        "r.html": lambda path: path.read_text(encoding="utf-8").endswith("</html>\n"),
    }
    for name, whole in new.items():
        path = tmp_path / name
        assert path.read_bytes() == b"old" or whole(path), name


def test_a_mixture_is_whole(forks: Forks, inputs: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    svgm.Mixture.load(inputs / "a.npz").save(path)
    old = path.read_bytes()
    outcome = forks.run(KILLED, 1, "before", "fit", inputs / "a.ply", "-o", path)
    assert outcome.returncode == -signal.SIGKILL
    assert path.read_bytes() == old
