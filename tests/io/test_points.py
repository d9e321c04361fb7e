"""Reading and writing points, for every format: suffixes, missing files, arguments, lazy imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from svgm.checks.errors import FileError
from svgm.io import READABLE, WRITABLE, read_points, write_points

EXACT = [suffix for suffix in WRITABLE if suffix not in (".las", ".laz")]


@pytest.mark.parametrize("suffix", READABLE)
def test_missing_folder_empty(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    with pytest.raises(FileError, match="no such file"):
        read_points(path)
    path.touch()
    with pytest.raises(FileError, match=r"is empty \(0 bytes\)"):
        read_points(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(FileError, match="is a folder"):
        read_points(path)


def test_unknown_suffix(tmp_path: Path) -> None:
    for name in ("a.docx", "a", ".ply"):
        with pytest.raises(FileError, match=r"only \.ply \.pcd .*\.stl"):
            read_points(tmp_path / name)


@pytest.mark.parametrize("suffix", [".e57", ".obj", ".stl", ".docx"])
def test_not_writable(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(FileError, match=r"cannot be written, only \.ply .*\.laz$"):
        write_points(tmp_path / f"a{suffix}", np.zeros((2, 3)))


def test_names_that_are_no_names() -> None:
    for name in (None, 3, b"a.ply"):
        with pytest.raises(FileError, match="must be a str or an"):
            read_points(name)  # type: ignore[arg-type]
    for name in ("a\0.ply", "a" * 5000 + ".ply", "no/such/folder/a.ply"):
        with pytest.raises(FileError, match=r"cannot be opened|no such file"):
            read_points(name)
        with pytest.raises(FileError, match="cannot be written"):
            write_points(name, np.zeros((1, 2)))


def test_a_name_of_two_lines_makes_an_error_of_one(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        read_points(tmp_path / "a\nb.ply")
    assert "\n" not in str(caught.value)


BAD_POINTS = {
    "none": (np.zeros((0, 3)), "holds no points"),
    "vector": (np.zeros(3), r"the shape is \(3,\)"),
    "NaN": ([[0.0, 1.0], [np.nan, 0.0]], "the first is point 1"),
    "infinity": ([[0.0, np.inf]], "1 of 1 points"),
    "complex": ([[1j, 2j]], "real numbers, the type is complex128"),
    "text": ([["a", "b"]], "real numbers"),
    "ragged": ([[1.0, 2.0], [3.0]], "rows differ in length"),
    "nothing": (None, r"the shape is \(\)"),
    "no columns": (np.zeros((3, 0)), "they have 0"),
}


@pytest.mark.parametrize("suffix", EXACT)
@pytest.mark.parametrize("name", BAD_POINTS)
def test_bad_points_are_not_written(tmp_path: Path, suffix: str, name: str) -> None:
    points, match = BAD_POINTS[name]
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"old")
    with pytest.raises(FileError, match=match):
        write_points(path, points)  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", [s for s in EXACT if s not in (".npy", ".npz")])
@pytest.mark.parametrize("d", [1, 4])
def test_only_two_or_three_coordinates(tmp_path: Path, suffix: str, d: int) -> None:
    with pytest.raises(FileError, match=f"must have 2 or 3 coordinates here, they have {d}"):
        write_points(tmp_path / f"a{suffix}", np.zeros((2, d)))


@pytest.mark.parametrize("suffix", EXACT)
def test_any_memory_layout(tmp_path: Path, suffix: str) -> None:
    points = np.arange(24, dtype=">i4").reshape(3, 8).T[::2]
    write_points(str(tmp_path / f"a{suffix}"), points)
    back = read_points(str(tmp_path / f"a{suffix}"))
    assert back.dtype == np.float64
    assert back.flags.c_contiguous
    assert back.flags.writeable
    np.testing.assert_array_equal(back, points)


def test_import_is_lazy() -> None:
    code = (
        "import sys, svgm.io\n"
        "formats = ['svgm.io.formats.' + f for f in 'ply pcd text npy las e57 obj stl'.split()]\n"
        "print([m for m in formats + ['laspy', 'pye57', 'trimesh', 'plyfile'] if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
