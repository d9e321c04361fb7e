"""A disk that is full: one line that names the user's file, what was there stays, nothing half-written is left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import svgm
from svgm.io import WRITABLE, write_points
from tests.faults.conftest import assert_one_line

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")

#: Commands, what they write last of all in them, and the outputs before it.
COMMANDS = {
    "fit": "fit a.ply -o {}m.npz",
    "fit --picture": "fit a.ply -o {}m.npz --picture {}p.png",
    "register -o": "register a.ply b.ply -o {}moved.ply",
    "register -o .pcd": "register a.ply b.ply -o {}moved.pcd",
    "register -o .csv": "register a.ply b.ply -o {}moved.csv",
    "register -o .npy": "register a.ply b.ply -o {}moved.npy",
    "register -o .npz": "register a.npz b.npz -o {}moved.npz",
    "register -o .las": "register a.ply b.ply -o {}moved.las",
    "register -o .laz": "register a.ply b.ply -o {}moved.laz",
    "register --matrix": "register a.ply b.ply --matrix {}T.txt",
    "register --candidates": "register a.ply b.ply --candidates {}c.json",
    "register --report": "register a.ply b.ply --report {}r.html",
    "register --picture": "register a.ply b.ply --picture {}p.png",
    "register all": "register a.ply b.ply --matrix {}T.txt --report {}r.html",
    "merge": "merge a.npz b.npz -o {}m.npz",
    "merge --html": "merge a.npz b.npz -o {}m.npz --html {}m.html",
    "mesh": "mesh a.npz -o {}m.ply",
    "mesh .obj": "mesh a.npz -o {}m.obj",
    "locate": "locate a.npz b.npz --matrix {}T.txt",
    "view --html": "view a.ply b.ply --html {}v.html",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_writes(limited, inputs: Path, tmp_path: Path, name: str) -> None:
    if name.endswith(("las", "laz")):
        pytest.importorskip("laspy")
    words = [word.replace("{}", f"{tmp_path}/") for word in COMMANDS[name].split()]
    outputs = [Path(word) for word in words if word.startswith(str(tmp_path))]
    for path in outputs:
        path.write_text("old")
    line = assert_one_line(limited("RLIMIT_FSIZE", 10, *words))
    assert any(line == f"{path}: cannot be written (File too large)" for path in outputs), line
    assert sorted(tmp_path.iterdir()) == sorted(outputs)
    assert {path.read_text() for path in outputs} == {"old"}


def test_the_file_that_fails_is_the_one_that_is_named(limited, tmp_path: Path) -> None:
    """The matrix fits, the report does not: the line names the report, and the matrix is not written either."""
    words = ["register", "a.ply", "b.ply", "--matrix", tmp_path / "T.txt", "--report", tmp_path / "r.html"]
    line = assert_one_line(limited("RLIMIT_FSIZE", 5000, *words))
    assert line == f"{tmp_path}/r.html: cannot be written (File too large)"
    assert not list(tmp_path.iterdir())


def test_a_map_that_cannot_be_written(limited, tmp_path: Path) -> None:
    pytest.importorskip("gtsam")
    line = assert_one_line(limited("RLIMIT_FSIZE", 10, "map", "scans", "-o", tmp_path / "map"))
    assert line.startswith(f"{tmp_path}/map")
    assert ".svgm" not in line
    assert "File too large" in line
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_demo_that_cannot_be_written(limited, tmp_path: Path) -> None:
    line = assert_one_line(limited("RLIMIT_FSIZE", 10, "demo", "-o", tmp_path / "demo"))
    assert line == f"{tmp_path}/demo/butterfly-merged.npz: cannot be written (File too large)"
    assert not list((tmp_path / "demo").iterdir())


@pytest.mark.parametrize(
    "words", ["register a.ply b.ply", "register a.ply b.ply --json", "info a.ply", "info a.ply --json"]
)
def test_standard_output_that_is_full(inputs: Path, words: str) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        outcome = subprocess.run(
            [sys.executable, "-m", "svgm.cli", *words.split()],
            cwd=inputs,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=600,
            check=False,
        )
    assert assert_one_line(outcome) == "standard output: No space left on device"


@pytest.fixture
def small_disk(tmp_path: Path):
    """A disk of 64 kB, of which 4 are left."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only the system's administrator can make a small disk")
    try:
        (folder / "filler").write_bytes(bytes(60 * 1024))
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("suffix", WRITABLE)
def test_every_format_on_a_small_disk(small_disk: Path, suffix: str) -> None:
    if suffix in (".las", ".laz"):
        pytest.importorskip("laspy")
    path = small_disk / f"points{suffix}"
    points = svgm.datasets.body(3000, seed=1)[0]
    with pytest.raises(svgm.FileError) as caught:
        write_points(path, points)
    assert str(caught.value) == f"{path}: cannot be written (No space left on device)"
    assert [entry.name for entry in small_disk.iterdir()] == ["filler"]
