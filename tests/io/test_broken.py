"""Damaged files that readers or their libraries once answered with an abort or an error of their own."""

from __future__ import annotations

import io
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.checks.errors import FileError
from svgm.cli.inputs import read_set
from svgm.io import read_points, write_points
from svgm.io.source import file_errors, printable
from svgm.mixture.mixture import Mixture, is_mixture_file

#: Names of the damaged files in the folder of real data.
BROKEN = ("crash.laz", "mixture_1_100.npz", "mixture_3_100.npz", "mixture_4_100.npz", "npz_1_100.npz")

POINTS = np.random.default_rng(3).normal(size=(300, 3))


def refused(read: Callable[[Path], object], path: Path, match: str | None = None) -> str:
    """The message of the FileError that reading must raise: one short line that names the file."""
    with pytest.raises(FileError, match=match) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    assert len(message) < 300 + len(str(path))
    return message


@pytest.mark.parametrize("name", BROKEN)
def test_files_that_once_broke_a_reader(data: Path, name: str) -> None:
    if name.endswith(".laz"):
        pytest.importorskip("laspy")
    path = data / "broken" / name
    refused(read_points, path)
    if name.endswith(".npz"):
        refused(Mixture.load, path)


@pytest.fixture
def members(tmp_path: Path) -> dict[str, bytes]:
    """The arrays of a mixture file, as they stand in it."""
    svgm.fit(POINTS).save(tmp_path / "good.npz")
    with zipfile.ZipFile(tmp_path / "good.npz") as archive:
        return {member: archive.read(member) for member in archive.namelist()}


def packed(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def array_bytes(value: object) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.asarray(value))
    return stream.getvalue()


@pytest.mark.parametrize("name", ["version", "means", "variance", "weights", "bias"])
def test_a_mixture_with_a_member_that_is_no_array(tmp_path: Path, members: dict[str, bytes], name: str) -> None:
    members[f"{name}.npy"] = b"\x93NUMP" + members[f"{name}.npy"][6:] + bytes(5000)
    assert is_mixture_file(packed(tmp_path / "a.npz", members))
    assert f"'{name}' is no array" in refused(Mixture.load, tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("variance", 1.3e-321),
        ("variance", 1e-250),
        ("variance", np.nan),
        ("variance", [1.0, 2.0]),
        ("variance", "one"),
        ("version", 2.0**70),
        ("version", np.inf),
        ("version", 2),
        ("means", np.zeros(3)),
        ("weights", np.zeros((2, 2))),
        ("weights", np.array(["a" * 1000])),
        ("bias", np.array(1.0)),
        ("bias", np.array(["b" * 1000])),
    ],
)
def test_a_mixture_with_a_value_that_is_none(tmp_path: Path, members: dict[str, bytes], name: str, value) -> None:
    members[f"{name}.npy"] = array_bytes(value)
    refused(Mixture.load, packed(tmp_path / "a.npz", members))


def test_a_mixture_without_a_member(tmp_path: Path, members: dict[str, bytes]) -> None:
    for name in members:
        rest = {other: content for other, content in members.items() if other != name}
        refused(Mixture.load, packed(tmp_path / "a.npz", rest))


@pytest.mark.parametrize(("field", "value"), [("extract_version", 127), ("compress_type", 99), ("flag_bits", 1)])
def test_an_archive_in_a_way_that_nobody_reads(tmp_path: Path, field: str, value: int) -> None:
    """A version of ZIP yet to come, an unknown compression, encryption."""
    at = {"extract_version": (4, 6), "compress_type": (8, 10), "flag_bits": (6, 8)}[field]
    path = tmp_path / "a.npz"
    write_points(path, POINTS)
    content = bytearray(path.read_bytes())
    for magic, offset in ((b"PK\3\4", at[0]), (b"PK\1\2", at[1])):
        struct.pack_into("<H", content, content.index(magic) + offset, value)
    path.write_bytes(content)
    refused(read_points, path, "is not a readable npz archive")
    refused(Mixture.load, path, "is not a readable npz archive")


def test_points_beside_an_array_that_is_called_format(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, points=POINTS, format=np.array("survey"))
    assert not is_mixture_file(path)
    np.testing.assert_array_equal(read_set(path), POINTS)
    np.savez(path, format=POINTS)
    assert not is_mixture_file(path)
    np.testing.assert_array_equal(read_points(path), POINTS)


@pytest.fixture
def laz(tmp_path: Path) -> tuple[Path, bytearray, int]:
    """A good .laz file, its bytes, and where its points begin."""
    pytest.importorskip("laspy")
    path = tmp_path / "a.laz"
    write_points(path, POINTS)
    content = bytearray(path.read_bytes())
    return path, content, struct.unpack_from("<I", content, 96)[0]


def test_laz_chunks_that_the_file_has_no_room_for(laz: tuple[Path, bytearray, int]) -> None:
    """The decoder would ask for 16 bytes a chunk and end the process when it does not get them."""
    path, content, points_at = laz
    (table_at,) = struct.unpack_from("<q", content, points_at)
    for chunks in (0, 5000, 1_660_944_384, 0xFFFFFFFF):
        struct.pack_into("<I", content, table_at + 4, chunks)
        path.write_bytes(content)
        refused(read_points, path, f"{chunks} chunks of 50000")


@pytest.mark.parametrize("place", [-2, 0, 1, 200, 1 << 40, (1 << 63) - 1])
def test_laz_table_that_is_elsewhere(laz: tuple[Path, bytearray, int], place: int) -> None:
    path, content, points_at = laz
    struct.pack_into("<q", content, points_at, place)
    path.write_bytes(content)
    refused(read_points, path, f"its table of chunks must lie between .* not at {place}")


def test_laz_table_whose_place_stands_at_the_end(laz: tuple[Path, bytearray, int]) -> None:
    path, content, points_at = laz
    good = read_points(path)
    content += content[points_at : points_at + 8]
    struct.pack_into("<q", content, points_at, -1)
    path.write_bytes(content)
    np.testing.assert_array_equal(read_points(path), good)


@pytest.mark.parametrize("layer", range(9))
def test_laz_layers_that_are_longer_than_the_file(laz: tuple[Path, bytearray, int], layer: int) -> None:
    path, content, points_at = laz
    struct.pack_into("<I", content, points_at + 8 + 30 + 4 + 4 * layer, 0xFFFFFFF0)
    path.write_bytes(content)
    refused(read_points, path, "chunk 0 of 1 ends at")


def test_laz_points_of_another_size(laz: tuple[Path, bytearray, int]) -> None:
    """The decoder would be given 65,535 bytes a point, a million points at a time."""
    path, content, points_at = laz
    struct.pack_into("<H", content, points_at - 6 + 2, 0xFFFF)
    path.write_bytes(content)
    refused(read_points, path, "of points of another size than 30 bytes")


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
