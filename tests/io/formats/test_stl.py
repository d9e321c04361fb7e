"""STL files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm.checks.errors import FileError
from svgm.io import read_points

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")

FACES = [(0, 1, 2), (0, 1, 3), (1, 2, 3), (0, 2, 3)]


def test_stl(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    path = tmp_path / "a.stl"
    faces = b"".join(bytes(12) + CORNERS[list(face)].tobytes() + bytes(2) for face in FACES)
    path.write_bytes(bytes(80) + (4).to_bytes(4, "little") + faces)
    np.testing.assert_array_equal(read_points(path), CORNERS)
    loops = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*CORNERS[i]) for i in face)
        + "endloop\nendfacet\n"
        for face in FACES
    )
    path.write_text(f"solid a\n{loops}endsolid a\n")
    np.testing.assert_array_equal(read_points(path), CORNERS)
    for bad in (
        bytes(80) + (5).to_bytes(4, "little") + faces,
        bytes(80) + b"\xff" * 4 + faces,
        b"a",
        b"solid a\nvertex 1 2\n",
        bytes(84),
    ):
        path.write_bytes(bad)
        with pytest.raises(FileError):
            read_points(path)
