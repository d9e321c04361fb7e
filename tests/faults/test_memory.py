"""A limit of memory: what does not fit ends with one line, never with an abort."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.io import write_points
from tests.faults.conftest import assert_one_line

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")

MB = 1 << 20


@pytest.mark.parametrize("suffix", [".ply", ".pcd", ".csv", ".npy", ".npz", ".laz"])
def test_a_file_that_does_not_fit(limited, tmp_path: Path, suffix: str) -> None:
    if suffix in (".las", ".laz"):
        pytest.importorskip("laspy")
    path = tmp_path / f"a{suffix}"
    write_points(path, np.random.default_rng(1).normal(size=(300_000, 3)).round(3))
    line = assert_one_line(limited("RLIMIT_AS", 2 * MB, "info", path))
    assert line.startswith(f"{path}: does not fit into memory") or line == "not enough memory"


@pytest.mark.parametrize("space", [32, 128, 1024])
# By one thread: OpenBLAS takes memory for each that uses it at once, and ends the process if there is none.
@pytest.mark.parametrize("command", [f"register a.ply b.ply --threads 1 --search {s}" for s in ("local", "global")])
def test_a_registration(limited, space: int, command: str) -> None:
    """It ends well, or with one line."""
    outcome = limited("RLIMIT_AS", space * MB, *command.split())
    if outcome.returncode != 0:
        assert assert_one_line(outcome)


@pytest.mark.parametrize("space", [8, 32])
@pytest.mark.parametrize("command", ["fit a.ply -o {}m.npz", "merge a.npz b.npz -o {}m.npz", "mesh a.npz -o {}m.ply"])
def test_what_is_written(limited, tmp_path: Path, space: int, command: str) -> None:
    outcome = limited("RLIMIT_AS", space * MB, *command.replace("{}", f"{tmp_path}/").split())
    written = list(tmp_path.iterdir())
    if outcome.returncode == 0:
        assert len(written) == 1
    else:
        assert assert_one_line(outcome)
        assert not written


def test_a_damaged_archive_is_no_matter_of_memory(limited, tmp_path: Path) -> None:
    """Headers that declare more than there is are refused before anything is allocated."""
    path = tmp_path / "a.npz"
    svgm.fit(np.random.default_rng(1).normal(size=(100, 2))).save(path)
    path.write_bytes(path.read_bytes()[:-100])
    assert "is not a readable npz archive" in assert_one_line(limited("RLIMIT_AS", 64 * MB, "info", path))
