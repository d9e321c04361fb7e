"""Files that cannot be opened, go away or change while they are read, and folders that go away under a write."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.checks.errors import FileError
from svgm.io import WRITABLE, atomic_write, read_points, write_points
from svgm.mixture.mixture import Mixture

POINTS = np.random.default_rng(1).normal(size=(200, 3))


def refused(path: Path, read=read_points) -> str:
    with pytest.raises(FileError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    return message


@pytest.fixture(params=WRITABLE)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of every format."""
    if request.param in (".las", ".laz"):
        pytest.importorskip("laspy")
    path = tmp_path / f"points{request.param}"
    write_points(path, POINTS)
    return path


def test_a_file_that_goes_away_after_it_was_looked_at(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Path.open

    def vanish(self: Path, *args, **kwargs):
        self.unlink(missing_ok=True)
        return plain(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", vanish)
    assert refused(path) == f"{path}: cannot be read (No such file or directory)"


def test_a_mixture_that_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.npz"
    svgm.fit(POINTS).save(path)
    plain = Path.stat

    def vanish(self: Path, *args, **kwargs):
        found = plain(self, *args, **kwargs)
        self.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Path, "stat", vanish)
    assert "No such file or directory" in refused(path, Mixture.load)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_file_that_becomes_shorter_while_it_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    plain = Path.open

    def shorten(self: Path, *args, **kwargs):
        os.truncate(self, int(share * self.stat().st_size))
        return plain(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", shorten)
    if path.suffix in (".xyz", ".txt", ".asc", ".csv") and share > 0:
        # Nothing in the file says how long it is: it is read, or its last line refused.
        with suppress(FileError):
            assert len(read_points(path)) < len(POINTS)
    else:
        refused(path)


@pytest.mark.skipif(sys.platform == "win32" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read")
def test_a_file_without_permission(path: Path) -> None:
    path.chmod(0)
    assert "Permission denied" in refused(path)


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_file_that_the_system_will_not_open(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(self: Path, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", deny)
    assert refused(path) == f"{path}: cannot be read (Permission denied)"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize("suffix", WRITABLE)
def test_a_pipe_is_not_waited_for(tmp_path: Path, suffix: str) -> None:
    os.mkfifo(tmp_path / f"a{suffix}")
    assert "is not a regular file" in refused(tmp_path / f"a{suffix}")
    assert stat.S_ISFIFO((tmp_path / f"a{suffix}").stat().st_mode)


def test_a_folder_that_goes_away_before_the_file_takes_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()

    def write() -> None:
        with atomic_write(folder / "a.csv") as temporary:
            temporary.write_text("a")
            shutil.rmtree(folder)

    with pytest.raises(FileError, match=r"out/a\.csv: cannot be written \(No such file or directory\)"):
        write()
    assert not list(tmp_path.iterdir())
