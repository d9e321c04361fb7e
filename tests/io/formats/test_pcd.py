"""PCD: every encoding, invalid points, damaged and lying files, and the LZF decompressor."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from svgm.checks.errors import FileError
from svgm.io import read_points, write_points
from svgm.io.formats import lzf

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "points.pcd"


def header(encoding: str, points: object = 2, **changes: str | None) -> bytes:
    lines: dict[str, str | None] = {
        "VERSION": "0.7",
        "FIELDS": "x y z",
        "SIZE": "4 4 4",
        "TYPE": "F F F",
        "COUNT": "1 1 1",
        "WIDTH": str(points),
        "HEIGHT": "1",
        "VIEWPOINT": "0 0 0 1 0 0 0",
        "POINTS": str(points),
        "DATA": encoding,
    } | changes
    return "".join(f"{key} {value}\n" for key, value in lines.items() if value is not None).encode()


def literal_lzf(data: bytes) -> bytes:
    return b"".join(bytes([len(run) - 1]) + run for run in (data[i : i + 32] for i in range(0, len(data), 32)))


def greedy_lzf(data: bytes) -> bytes:
    """A slow compressor that uses every kind of token."""
    out, pending, i = bytearray(), bytearray(), 0
    while i < len(data):
        best, distance = 0, 0
        for d in range(1, min(i, 40) + 1):
            n = 0
            while n < 264 and i + n < len(data) and data[i + n] == data[i + n - d]:
                n += 1
            if n > best:
                best, distance = n, d
        if best >= 3:
            out += literal_lzf(bytes(pending))
            pending.clear()
            n, d = best - 2, distance - 1
            out += bytes([(n << 5) | (d >> 8), d & 255]) if n < 7 else bytes([(7 << 5) | (d >> 8), n - 7, d & 255])
            i += best
        else:
            pending.append(data[i])
            i += 1
    return bytes(out + literal_lzf(bytes(pending)))


def compressed(raw: bytes, packed: bytes) -> bytes:
    return np.array([len(packed), len(raw)], "<u4").tobytes() + packed


def test_lzf_known_vectors() -> None:
    assert lzf.decompress(b"\x02abc", 3) == b"abc"
    assert lzf.decompress(b"\x00a\xe0\x00\x00", 10) == b"a" * 10
    assert lzf.decompress(b"\x02abc\x20\x02", 6) == b"abcabc"
    assert lzf.decompress(b"\x02abc\x80\x02\x00!", 10) == b"abcabcabc!"
    assert lzf.decompress(b"\x00a\xe0\xff\x00", 265) == b"a" * 265


@given(data=st.lists(st.sampled_from([b"abc", b"a", b"zzzzzzzz", b"\0" * 300, b"q1w2"])).map(b"".join))
@settings(max_examples=30)
def test_lzf_round_trip(data: bytes) -> None:
    assert lzf.decompress(greedy_lzf(data), len(data)) == data


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"\x02ab", 3),
        (b"\x00a\xe0", 10),
        (b"\x00a\xe0\x00", 10),
        (b"\x20\x00", 3),
        (b"\x02abc", 4),
        (b"\x02abc", 2),
        (b"", 1),
    ],
)
def test_lzf_damaged(data: bytes, size: int) -> None:
    with pytest.raises(ValueError):
        lzf.decompress(data, size)


def test_lzf_stops_at_the_declared_size() -> None:
    with pytest.raises(ValueError, match="more"):
        lzf.decompress(b"\x00a" + b"\xe0\xff\x00" * 1_000_000, 100)


@given(
    points=st.integers(2, 3).flatmap(
        lambda d: arrays(np.float64, st.tuples(st.integers(1, 9), st.just(d)), elements=FINITE)
    )
)
@settings(max_examples=40)
def test_round_trip_is_exact(path: Path, points: np.ndarray) -> None:
    write_points(path, points)
    back = read_points(path)
    assert back.flags.c_contiguous
    np.testing.assert_array_equal(back, points)


RICH = np.dtype([("rgb", "<u4"), ("z", "<f8"), ("fpfh", "<f4", 5), ("_", "u1", 3), ("x", "<f4"), ("y", "<i2")])
RICH_LINES = {
    "FIELDS": "rgb z fpfh _ x y",
    "SIZE": "4 8 4 1 4 2",
    "TYPE": "U F F U F I",
    "COUNT": "1 1 5 3 1 1",
}


@pytest.mark.parametrize("encoding", ["ascii", "binary", "binary_compressed"])
@pytest.mark.parametrize("packer", [literal_lzf, greedy_lzf])
def test_fields_in_any_order(path: Path, encoding: str, packer) -> None:  # type: ignore[no-untyped-def]
    rows = np.zeros(20, RICH)
    rows["x"], rows["y"], rows["z"], rows["rgb"] = np.arange(20) / 7, np.arange(20) - 5, np.pi, 2**32 - 1
    if encoding == "ascii":
        flat = [[r["rgb"], r["z"], *r["fpfh"], *r["_"], r["x"], r["y"]] for r in rows]
        body = "\n".join(" ".join(str(v) for v in row) for row in flat).encode()
    elif encoding == "binary":
        body = rows.tobytes()
    else:
        raw = b"".join(np.ascontiguousarray(rows[name]).tobytes() for name in RICH.names)
        body = compressed(raw, packer(raw))
    path.write_bytes(b"# .PCD\n" + header(encoding, 20, WIDTH="5", HEIGHT="4", **RICH_LINES) + body)
    expected = np.column_stack([rows[axis].astype(float) for axis in "xyz"])
    np.testing.assert_array_equal(read_points(path), expected)


def test_invalid_points_are_dropped(path: Path) -> None:
    path.write_bytes(header("ascii", 4) + b"1 2 3\nnan nan nan\n4 5 -nan\n7 8 9\n")
    np.testing.assert_array_equal(read_points(path), [[1, 2, 3], [7, 8, 9]])
    grid = np.full((4, 3), np.nan, "<f4")
    grid[2] = 1, 2, 3
    path.write_bytes(header("binary", 4, WIDTH="2", HEIGHT="2") + grid.tobytes())
    np.testing.assert_array_equal(read_points(path), [[1, 2, 3]])


def test_columns_are_fields_of_old_files(path: Path) -> None:
    path.write_bytes(b"COLUMNS x y z\n" + header("ascii", FIELDS=None, VERSION=".5") + b"1 2 3\n4 5 6\n")
    np.testing.assert_array_equal(read_points(path), [[1, 2, 3], [4, 5, 6]])
    path.write_bytes(b"COLUMNS x y z\n" + header("ascii") + b"1 2 3\n4 5 6\n")
    with pytest.raises(FileError, match="'FIELDS x y z' is not understood"):
        read_points(path)


def test_optional_lines_and_line_ends(path: Path) -> None:
    short = header("ascii", COUNT=None, VIEWPOINT=None, WIDTH=None, HEIGHT=None, VERSION=".7")
    path.write_bytes((short + b"1 2 3\n4 5 6").replace(b"\n", b"\r\n"))
    np.testing.assert_array_equal(read_points(path), [[1, 2, 3], [4, 5, 6]])
    path.write_bytes(header("ascii", POINTS=None, FIELDS="x y", SIZE="4 4", TYPE="F F", COUNT="1 1") + b"1 2\n4 5\n")
    np.testing.assert_array_equal(read_points(path), [[1, 2], [4, 5]])


BAD = {
    "not a header": (b"hello\nworld\n", "header is cut off"),
    "binary": (bytes(100), "must start with a text header"),
    "no fields": (header("ascii", FIELDS=None), "must have a FIELDS line"),
    "no size": (header("ascii", SIZE=None), "must have a SIZE line"),
    "no points": (header("ascii", POINTS=None, WIDTH=None), "must have a POINTS line"),
    "zero": (header("ascii", 0), "holds no points"),
    "negative": (header("ascii", -2), "at least 0, it is '-2'"),
    "grid": (header("ascii", WIDTH="3") + b"1 2 3\n4 5 6\n", "which is 3, it is 2"),
    "two numbers": (header("ascii", "2 2"), "must be one number"),
    "sizes": (header("ascii", SIZE="4 4"), "each of 3 fields, it has 2"),
    "type": (header("ascii", TYPE="F F Q"), "TYPE 'Q' SIZE '4'"),
    "size 3": (header("ascii", SIZE="4 4 3"), "TYPE 'F' SIZE '3'"),
    "count 0": (header("ascii", COUNT="1 1 0"), "at least 1, it is 0"),
    "count 2": (header("ascii", COUNT="1 1 2"), "COUNT of field z must be 1, it is 2"),
    "x twice": (header("ascii", FIELDS="x x y"), "each once"),
    "no y": (header("ascii", FIELDS="x z w"), "must be x, y and perhaps z"),
    "encoding": (header("zip"), "it is 'zip'"),
    "unknown key": (b"COLOUR red\n" + header("ascii"), "'COLOUR red' is not understood"),
    "key twice": (b"WIDTH 2\n" + header("ascii"), "not understood"),
    "ascii cut": (header("ascii") + b"1.000000 2.000000 3.000000\n", "2 rows, the body has 1"),
    "ascii word": (header("ascii") + b"1 2 3\n4 b 6\n", "row 2, 'b' is not a number"),
    "ascii ragged": (header("ascii") + b"1 2 3 4\n5 6\n", "row 1 must have 3 columns, it has 4"),
    "binary cut": (header("binary") + bytes(23), "24 bytes, the body has 23"),
    "infinity": (header("ascii") + b"1 2 3\n4 inf 6\n", "1 of 2 points are not"),
    "all NaN": (header("ascii") + b"nan 2 3\n4 nan 6\n", "all 2 are NaN"),
    "compressed cut before": (header("binary_compressed") + b"\0\0", "cut off before"),
    "compressed size": (header("binary_compressed") + compressed(bytes(23), b"\0\0"), "declare 23"),
    "compressed cut": (header("binary_compressed") + compressed(bytes(24), literal_lzf(bytes(24)))[:-3], "cut off"),
    "compressed damaged": (header("binary_compressed") + compressed(bytes(24), b"\x20\x00\x00"), "damaged"),
    "compressed bomb": (
        header("binary_compressed", 10**8) + np.array([3, 1_200_000_000], "<u4").tobytes() + b"\0aa",
        "cannot hold",
    ),
    "largest of 64 bits": (
        header("ascii", 1, FIELDS="x y", SIZE="8 8", TYPE="U I", COUNT="1 1") + b"18446744073709551616 1\n",
        "does not fit its type uint64",
    ),
    "long line": (b"#" * (2 << 20) + b"\n" + header("ascii"), "must end within"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad(path: Path, name: str) -> None:
    data, match = BAD[name]
    path.write_bytes(data)
    with pytest.raises(FileError, match=match) as caught:
        read_points(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["ascii", "binary", "binary_compressed"])
@pytest.mark.parametrize(
    "lie",
    [
        {"points": 99999999999},
        {"COUNT": "1 1 1 999999999999", "FIELDS": "x y z f", "SIZE": "4 4 4 4", "TYPE": "F F F F"},
    ],
)
def test_lying_header_costs_no_memory(path: Path, encoding: str, lie: dict[str, str]) -> None:
    path.write_bytes(header(encoding, **lie) + b"1 2 3\n" * 100)
    tracemalloc.start()
    with pytest.raises(FileError, match="need"):
        read_points(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
