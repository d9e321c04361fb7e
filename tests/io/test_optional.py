"""LAS, E57, OBJ and STL: the formats that lean on other libraries, or on none."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from svgm.checks.errors import FileError
from svgm.io import read_points, write_points


@pytest.mark.parametrize(
    ("suffix", "library"), [(".las", "laspy"), (".laz", "laspy"), (".e57", "pye57"), (".stl", "trimesh")]
)
def test_missing_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, library: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(bytes(200))
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(FileError, match=rf'reading \{suffix} files needs {library}: pip install "svgm\[io\]"'):
        read_points(path)


@pytest.mark.parametrize("suffix", [".las", ".laz", ".LAZ"])
@pytest.mark.parametrize(("centre", "width"), [(0.0, 1.0), (5.4e6, 300.0), (0.0, 1e-3), (-1e3, 1e7)])
def test_las_round_trip(tmp_path: Path, suffix: str, centre: float, width: float) -> None:
    pytest.importorskip("laspy")
    points = centre + width * np.random.default_rng(1).uniform(-1, 1, (500, 3))
    write_points(tmp_path / f"a{suffix}", points)
    back = read_points(tmp_path / f"a{suffix}")
    assert back.flags.c_contiguous
    np.testing.assert_allclose(back, points, rtol=0, atol=max(1e-8 * width, 1e-9))


def test_las_single_point_and_constant_axis(tmp_path: Path) -> None:
    pytest.importorskip("laspy")
    for points in ([[1.5, -2.25, 3e5]], [[0.0, 1.0, 7.0], [1.0, 0.0, 7.0]]):
        write_points(tmp_path / "a.las", points)
        np.testing.assert_allclose(read_points(tmp_path / "a.las"), points, atol=1e-9)


def test_las_must_have_three_coordinates(tmp_path: Path) -> None:
    pytest.importorskip("laspy")
    with pytest.raises(FileError, match="must have 3 coordinates here, they have 2"):
        write_points(tmp_path / "a.las", [[1.0, 2.0]])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".las", ".laz"])
def test_las_damaged(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("laspy")
    path = tmp_path / f"a{suffix}"
    write_points(path, np.random.default_rng(1).normal(size=(200, 3)))
    data = path.read_bytes()
    for cut in (1, 50, 200, 374, 376, 500, len(data) // 2, len(data) - 700):
        path.write_bytes(data[:cut])
        with pytest.raises(FileError):
            read_points(path)
    lie = bytearray(data)
    lie[247:255] = (99_999_999_999).to_bytes(8, "little")
    path.write_bytes(lie)
    with pytest.raises(FileError, match="99999999999 points"):
        read_points(path)


def test_e57(tmp_path: Path) -> None:
    pye57 = pytest.importorskip("pye57")
    path = tmp_path / "a.e57"
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=(40, 3)), rng.normal(size=(30, 3))
    turn = np.array([np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4)])
    archive = pye57.E57(str(path), mode="w")
    for scan, rotation, translation in (
        (first, np.array([1.0, 0, 0, 0]), np.zeros(3)),
        (second, turn, np.array([1.0, 2, 3])),
    ):
        columns = {f"cartesian{axis}": np.ascontiguousarray(scan[:, i]) for i, axis in enumerate("XYZ")}
        archive.write_scan_raw(columns, rotation=rotation, translation=translation)
    archive.close()
    moved = second @ np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]]) + [1, 2, 3]
    np.testing.assert_allclose(read_points(path), np.vstack([first, moved]), atol=1e-6)
    data = path.read_bytes()
    for cut in (10, 100, len(data) // 2, len(data) - 10):
        path.write_bytes(data[:cut])
        with pytest.raises(FileError, match="pye57 cannot process it") as caught:
            read_points(path)
        assert "\n" not in str(caught.value)


def crc32c(data: bytes) -> int:
    """The checksum of E57's pages."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


@pytest.mark.parametrize(("said", "match"), [("201", "1 of 201 points are not"), ("999", "799 of 999 points are not")])
def test_e57_that_declares_more_points_than_it_has(tmp_path: Path, said: str, match: str) -> None:
    path = tmp_path / "a.e57"
    archive = pytest.importorskip("pye57").E57(str(path), mode="w")
    archive.write_scan_raw({f"cartesian{axis}": np.arange(200.0) for axis in "XYZ"})
    archive.close()
    assert len(read_points(path)) == 200
    content = path.read_bytes().replace(b'recordCount="200"', f'recordCount="{said}"'.encode())
    pages = [content[at : at + 1020] for at in range(0, len(content), 1024)]
    path.write_bytes(b"".join(page + crc32c(page).to_bytes(4, "big") for page in pages))
    with pytest.raises(FileError, match=match):
        read_points(path)


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
