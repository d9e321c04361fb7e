"""Errors of files: one line that names the file."""

from __future__ import annotations

import struct
import sys
import zipfile
from pathlib import Path

import pytest

from svgm.checks.errors import FileError
from svgm.io import read_points
from svgm.io.errors import file_errors, printable
from tests.io.refused import refused


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RecursionError("deep"),
        OverflowError(34, "out of range"),
        struct.error("short"),
        EOFError(),
        UnicodeDecodeError("ascii", b"\xff", 0, 1, "why"),
        zipfile.BadZipFile("zip"),
        BaseException("panic"),
        KeyError("x" * 5000),
        NotImplementedError("two\nlines \x1b[31m"),
        PermissionError(13, "Permission denied"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_a_reader_raises_is_one_line(tmp_path: Path, error: BaseException) -> None:
    def fail(path: Path) -> None:
        with file_errors(path, "is damaged"):
            raise error

    refused(fail, tmp_path / "a.ply")


def test_an_interrupt_stays_one(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), file_errors(tmp_path, "is damaged"):
        raise KeyboardInterrupt


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")
def test_names_that_are_no_text_are_told_in_text(tmp_path: Path) -> None:
    path = tmp_path / "a\udcff\n\x1b.ply"
    with pytest.raises(FileError) as caught:
        read_points(path)
    assert str(caught.value) == f"{tmp_path}/a\\udcff \\x1b.ply: no such file"
    assert printable("a b") == "a b"
