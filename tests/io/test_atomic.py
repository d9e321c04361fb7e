"""Atomic writes: whole files or none, with the mode of any other new file."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from svgm.checks.errors import FileError
from svgm.io import atomic_write

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")


def test_replaces_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    with atomic_write(path) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".csv"
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_leaves_nothing_on_failure(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "a.csv"

    def interrupted() -> None:
        with atomic_write(path) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_system_errors_are_file_errors(tmp_path: Path) -> None:
    def full() -> None:
        with atomic_write(tmp_path / "a.csv"):
            raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match=r"a\.csv: cannot be written .No space left on device"):
        full()
    assert list(tmp_path.iterdir()) == []


def enter(path: Path | str) -> None:
    with atomic_write(path):
        raise AssertionError("must not be reached")


def test_refused_places(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="its folder does not exist"):
        enter(tmp_path / "none" / "a.csv")
    with pytest.raises(FileError, match=r"its folder does not exist|cannot be written"):
        enter(tmp_path / "file" / "a.csv")
    with pytest.raises(FileError, match="is a folder"):
        enter(tmp_path)
    with pytest.raises(FileError, match="cannot be written"):
        enter("a\0b")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@POSIX
def test_devices_and_loops_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="not a regular file"):
        enter("/dev/null")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(FileError, match=r"cannot be written|folder"):
        enter(loop / "a.csv")


@POSIX
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_umask(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        with atomic_write(tmp_path / "a") as temporary:
            temporary.write_text("a")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


@POSIX
def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    with atomic_write(tmp_path / "link.csv") as temporary:
        temporary.write_text("a")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "a"


def test_long_names(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 250 + ".csv")
    with atomic_write(path) as temporary:
        temporary.write_text("a")
    assert path.read_text() == "a"
