"""Wavefront OBJ files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm.checks.errors import FileError
from svgm.io import read_points


def test_obj_reads_v_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.OBJ"
    path.write_text("# cube\nmtllib no.mtl\no a\nv 1 2 3\n  v\t4 5 6 # used\nvn 0 0 1\nvt 0 0\nv 1 2 3\nf 1 2 3\n")
    np.testing.assert_array_equal(read_points(path), [[1, 2, 3], [4, 5, 6], [1, 2, 3]])
    path.write_bytes(b"v 1 2 3 0.5 0.5 0.5\r\nv 4 5 6 1 1 1\r\n")
    np.testing.assert_array_equal(read_points(path), [[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize(
    "data",
    [
        b"v 1 2 3 0.5 0.5 0.5\nv 4 5 6\n",
        b"v 1 2 3\nv 4 5 6 1 0 0 1\n",
        b"v 1 2 \\\n3\nv \\\n 4 5 6\n",
        b"v 1 \\\r\n2 3\r\nv 4 5 6 \\\r\n",
        b"# a folder \\\nv 1 2 3\nv 4 5 6\n",
    ],
)
def test_obj_partial_colours_and_continued_lines(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.obj"
    path.write_bytes(data)
    np.testing.assert_array_equal(read_points(path), [[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"f 1 2 3\n", "holds no points"),
        (b"v\nv 1 2 3\n", "vertex 1 must have 3 coordinates, it is 'v'"),
        (b"v 1 2\n", "vertex 1 must have 3 coordinates, it is '1 2'"),
        (b"v 1 2 3\nv 1 2\n", "vertex 2 must have 3 coordinates, it is '1 2'"),
        (b"v 1 2 3\nv 1 2 3 4 5\n", "vertex 2 must have 3 coordinates"),
        (b"v 1 2 \\", "vertex 1 must have 3 coordinates"),
        (b"v 1 2 three\n", "vertex 1, 'three' is not a number"),
        (b"v 1 2 nan\n", "1 of 1 points"),
        (b"v 1 2 3\0\n", "NUL"),
    ],
)
def test_obj_bad(tmp_path: Path, data: bytes, match: str) -> None:
    path = tmp_path / "a.obj"
    path.write_bytes(data)
    with pytest.raises(FileError, match=match):
        read_points(path)
