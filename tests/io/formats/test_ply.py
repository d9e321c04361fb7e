"""PLY: every encoding, agreement with plyfile, damaged and lying files."""

from __future__ import annotations

import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import plyfile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from svgm.checks.errors import FileError
from svgm.io import read_points, read_properties, write_points
from svgm.io.formats import ply

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)
SCALARS = {
    "i1": ("char", "int8"),
    "u1": ("uchar", "uint8"),
    "i2": ("short", "int16"),
    "u2": ("ushort", "uint16"),
    "i4": ("int", "int32"),
    "u4": ("uint", "uint32"),
    "f4": ("float", "float32"),
    "f8": ("double", "float64"),
}


def ascii_ply(
    body: str, head: str = "element vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
) -> bytes:
    return f"ply\nformat ascii 1.0\n{head}end_header\n{body}".encode()


def fails(path: Path, data: bytes, match: str) -> None:
    path.write_bytes(data)
    with pytest.raises(FileError, match=match) as caught:
        read_points(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "points.ply"


@given(
    points=st.integers(2, 3).flatmap(
        lambda d: arrays(np.float64, st.tuples(st.integers(1, 9), st.just(d)), elements=FINITE)
    )
)
@settings(max_examples=40)
@pytest.mark.parametrize("form", ["ascii", "binary_little_endian"])
def test_round_trip_is_exact(path: Path, form: str, points: np.ndarray) -> None:
    ply.write(path, points, format=form)  # type: ignore[arg-type]
    back = read_points(path)
    assert back.dtype == np.float64
    assert back.flags.c_contiguous
    np.testing.assert_array_equal(back, points)
    np.testing.assert_array_equal(
        np.column_stack([plyfile.PlyData.read(path)["vertex"][a] for a in "xyz"[: points.shape[1]]]), points
    )


def test_default_is_binary_double(path: Path) -> None:
    write_points(path, np.zeros((3, 2)))
    head = path.read_bytes()
    assert b"format binary_little_endian 1.0\n" in head
    assert b"property double y\nend_header\n" in head
    assert len(head) == head.index(b"end_header\n") + 11 + 3 * 2 * 8


def rich_file(text: bool, byte_order: str) -> plyfile.PlyData:
    rng = np.random.default_rng(3)
    vertex = np.zeros(
        50, [("nx", "f4"), ("z", "f8"), ("red", "u1"), ("x", "f4"), ("label", "i2"), ("y", "f4"), ("big", "u4")]
    )
    for name in vertex.dtype.names:
        vertex[name] = rng.uniform(0, 100, 50)
    vertex["big"][0] = 2**32 - 1
    vertex["label"][:2] = -32768, 32767
    camera = np.array([(1.5, 2), (2.5, 3)], [("view", "f8"), ("id", "u1")])
    lists = np.empty(30, [("a", "i4"), ("near", object), ("b", "f8"), ("far", object)])
    for k in range(30):
        lists[k] = (k, np.arange(k % 5 + 1, dtype="i4"), 0.5 * k, np.arange(k % 3 + 1, dtype="f8"))
    described = {"len_types": {"near": "u1", "far": "i2"}, "val_types": {"near": "i4", "far": "f8"}}
    elements = [
        plyfile.PlyElement.describe(camera, "camera"),
        plyfile.PlyElement.describe(lists, "strips", **described),
        plyfile.PlyElement.describe(vertex, "vertex"),
        plyfile.PlyElement.describe(lists, "face", **described),
    ]
    return plyfile.PlyData(elements, text=text, byte_order=byte_order, comments=["one"], obj_info=["two"])


@pytest.mark.parametrize(("text", "byte_order"), [(True, "<"), (False, "<"), (False, ">")])
def test_agrees_with_plyfile(path: Path, text: bool, byte_order: str) -> None:
    rich_file(text, byte_order).write(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vertex = plyfile.PlyData.read(path)["vertex"]
    np.testing.assert_array_equal(read_points(path), np.column_stack([vertex[a].astype(float) for a in "xyz"]))
    properties = read_properties(path)
    assert list(properties) == ["nx", "z", "red", "x", "label", "y", "big"]
    for name, values in properties.items():
        np.testing.assert_array_equal(values, vertex[name])
        assert values.dtype == np.dtype(vertex[name].dtype).newbyteorder("=")
        assert values.dtype.isnative


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize("spelling", [0, 1])
def test_all_scalar_types(path: Path, form: str, spelling: int) -> None:
    order = ">" if form.endswith("big_endian") else "<"
    dtype = np.dtype([(("x", "y")[i] if i < 2 else f"p{i}", order + code) for i, code in enumerate(SCALARS)])
    rows = np.array([tuple(range(1, 9)), tuple(range(11, 19))], dtype)
    head = "".join(
        f"property {names[spelling]} {name}\n" for names, name in zip(SCALARS.values(), dtype.names, strict=True)
    )
    body = rows.tobytes() if form != "ascii" else "\n".join(" ".join(map(str, r)) for r in rows.tolist()).encode()
    path.write_bytes(f"ply\nformat {form} 1.0\nelement vertex 2\n{head}end_header\n".encode() + body)
    np.testing.assert_array_equal(read_points(path), [[1, 2], [11, 12]])
    for (name, values), code in zip(read_properties(path).items(), SCALARS, strict=True):
        assert values.dtype == np.dtype(code)
        np.testing.assert_array_equal(values, rows[name])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(path: Path, end: str) -> None:
    text = ascii_ply("1 2 3\n4 5 6\n").decode().replace("\n", end)
    path.write_bytes(text.encode())
    np.testing.assert_array_equal(read_points(path), [[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_in_front_of_a_binary_body(path: Path, end: str) -> None:
    head = "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty double x\nproperty double y\nend_header\n"
    points = np.array([[13.0, 10.0], [1e-300, -3.0]])
    path.write_bytes(head.replace("\n", end).encode() + points.tobytes())
    np.testing.assert_array_equal(read_points(path), points)


def test_comments_blank_lines_and_no_last_newline(path: Path) -> None:
    head = "comment \xe4\xff element vertex 7\nobj_info a b\n\nelement vertex 2\n"
    head += "property float x\ncomment\nproperty float y\n"
    path.write_bytes(ascii_ply("\n 1\t2 \n\n3 4", head))
    np.testing.assert_array_equal(read_points(path), [[1, 2], [3, 4]])


def test_elements_without_properties_and_rows_are_skipped(path: Path) -> None:
    head = "element ghost 99999999999\nelement none 0\nproperty list uchar int i\n"
    head += "element vertex 1\nproperty int x\nproperty int y\n"
    path.write_bytes(ascii_ply("1 2\n", head))
    np.testing.assert_array_equal(read_points(path), [[1, 2]])


def test_properties_may_be_nan(path: Path) -> None:
    path.write_bytes(ascii_ply("1 2 nan\n", "element vertex 1\nproperty float x\nproperty float y\nproperty float n\n"))
    assert np.isnan(read_properties(path)["n"][0])
    np.testing.assert_array_equal(read_points(path), [[1, 2]])


XY = "property float x\nproperty float y\n"
BAD_ASCII = {
    "no rows": (ascii_ply(""), "cut off"),
    "too few rows": (ascii_ply("1 2 3\n"), "cut off"),
    "too few rows, long": (ascii_ply("1.234567 2.345678 3.456789\n"), "2 rows, the body has 1"),
    "short row": (ascii_ply("1.0 2.0 3.0\n4 5\n"), "vertex row 2 must have 3 columns, it has 2"),
    "compensating rows": (ascii_ply("1 2\n3 4 5 6\n"), "vertex row 1 must have 3 columns, it has 2"),
    "long rows": (ascii_ply("1 2 3 4\n5 6 7 8\n"), "vertex row 1 must have 3 columns, it has 4"),
    "word": (ascii_ply("1 2 3\n4 abc 6\n"), "vertex row 2, 'abc' is not a number"),
    "hexadecimal": (ascii_ply("1 2 3\n4 0x10 6\n"), "'0x10' is not a number"),
    "comma": (ascii_ply("1,2,3\n4,5,6\n"), "must have 3 columns, it has 1"),
    "NUL": (ascii_ply("1 2 3\n4 \0 6\n"), "is not a number"),
    "NaN": (ascii_ply("1 2 3\n4 nan 6\n"), "1 of 2 points are not, the first is point 1"),
    "overflow": (ascii_ply("1 2 3\n4 1e999 6\n"), "1 of 2 points are not"),
    "overflow of float": (ascii_ply("1 2 3\n4 1e60 6\n"), "1 of 2 points are not"),
    "fraction of int": (
        ascii_ply("1 2.5\n", "element vertex 1\nproperty int x\nproperty int y\n"),
        "y = 2.5 does not fit",
    ),
    "range of uchar": (
        ascii_ply("1 256\n", "element vertex 1\nproperty uchar x\nproperty uchar y\n"),
        "does not fit its type uint8",
    ),
    "zero points": (ascii_ply("", f"element vertex 0\n{XY}"), "holds no points"),
    "negative count": (ascii_ply("", f"element vertex -3\n{XY}"), "at least 0, it is '-3'"),
    "fraction count": (ascii_ply("", f"element vertex 1.0\n{XY}"), "whole number"),
    "giant count": (ascii_ply("1 2\n", f"element vertex {'9' * 5000}\n{XY}"), "whole number"),
    "no vertex": (ascii_ply("1 2\n", f"element face 1\n{XY}"), "must declare an element vertex, it declares 'face'"),
    "no element": (ascii_ply("1 2\n", ""), "it declares 'none'"),
    "vertex twice": (ascii_ply("1 2\n", f"element vertex 1\n{XY}element vertex 1\n{XY}"), "declared once"),
    "x twice": (ascii_ply("1 2\n", "element vertex 1\nproperty float x\nproperty float x\n"), "'x' is declared twice"),
    "x only": (ascii_ply("1\n", "element vertex 1\nproperty float x\n"), "properties x and y, they have x"),
    "x and z": (ascii_ply("1 2\n", "element vertex 1\nproperty float x\nproperty float z\n"), "they have x, z"),
    "no properties": (ascii_ply("1 2\n", "element vertex 1\n"), "they have none"),
    "unknown type": (
        ascii_ply("1 2\n", "element vertex 1\nproperty quad x\nproperty float y\n"),
        "type 'quad' is unknown",
    ),
    "list": (ascii_ply("1 2 0\n", f"element vertex 1\n{XY}property list uchar int i\n"), "list property .* 'i' is one"),
    "float list length": (
        ascii_ply("1 2 0\n", f"element a 1\nproperty list float int i\nelement vertex 1\n{XY}"),
        "float",
    ),
    "short list line": (ascii_ply("1 2 0\n", f"element vertex 1\n{XY}property list uchar int\n"), "not understood"),
    "property first": (ascii_ply("1 2\n", XY), "'property float x' is not understood"),
    "strange element": (ascii_ply("1 2\n", "element vertex 1 2\n"), "'element vertex 1 2' is not understood"),
    "two formats": (ascii_ply("1 2\n", "format ascii 1.0\n"), "not understood"),
}


@pytest.mark.parametrize("name", BAD_ASCII)
def test_bad_ascii(path: Path, name: str) -> None:
    fails(path, *BAD_ASCII[name])


BAD_HEADERS = {
    "other kind": (b"PK\x03\x04aaaaaaaaaa", "must start with the line 'ply'"),
    "other word": (b"plymouth\nend_header\n", "must start with the line 'ply'"),
    "magic only": (b"ply", "header is cut off"),
    "magic and text": (b"ply format ascii 1.0\nend_header\n", "must start with the line 'ply'"),
    "no end": (b"ply\nformat ascii 1.0\nelement vertex 1\n", "header is cut off"),
    "end without newline": (b"ply\nformat ascii 1.0\nend_header", "header is cut off"),
    "no format": (b"ply\nelement vertex 1\nend_header\n1 2\n", "not understood"),
    "format": (b"ply\nformat ebcdic 1.0\nend_header\n", "'format ebcdic 1.0' is not understood"),
    "format without version": (b"ply\nformat ascii\nend_header\n", "'format ascii' is not understood"),
    "format in a comment": (b"ply\ncomment format ascii 1.0\nend_header\n", "must have a line 'format'"),
    "long line": (b"ply\ncomment " + b"a" * (2 << 20) + b"\nend_header\n", "must end within 1048576 bytes"),
    "many lines": (b"ply\n" + b"comment a\n" * 200_000 + b"end_header\n", "must end within 1048576 bytes"),
}


@pytest.mark.parametrize("name", BAD_HEADERS)
def test_bad_header(path: Path, name: str) -> None:
    fails(path, *BAD_HEADERS[name])


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize("element", ["vertex", "face"])
def test_lying_count_costs_no_memory(path: Path, form: str, element: str) -> None:
    extra = (
        "" if element == "vertex" else f"element face 99999999999\nproperty list uchar int i\nelement vertex 3\n{XY}"
    )
    head = f"element vertex 99999999999\n{XY}" if element == "vertex" else extra
    data = f"ply\nformat {form} 1.0\n{head}end_header\n".encode() + b"1 2\n" * 250
    fails(path, data, "99999999999 rows of element .* need at least")
    tracemalloc.start()
    with pytest.raises(FileError):
        read_points(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def binary_ply(head: str, body: bytes) -> bytes:
    return f"ply\nformat binary_little_endian 1.0\n{head}end_header\n".encode() + body


BAD_BINARY = {
    "cut off": (binary_ply(f"element vertex 2\n{XY}", bytes(15)), "16 bytes, the body has 15"),
    "cut in a list": (
        binary_ply(f"element a 1\nproperty list uint int i\nelement vertex 1\n{XY}", b"\xff" * 9),
        "inside element a",
    ),
    "negative list": (
        binary_ply(f"element a 1\nproperty list int int i\nelement vertex 1\n{XY}", b"\xff" * 20),
        "below 0, -1",
    ),
    "NaN": (binary_ply(f"element vertex 1\n{XY}", np.array([1, np.nan], "<f4").tobytes()), "the first is point 0"),
    "infinity": (binary_ply(f"element vertex 1\n{XY}", np.array([1, np.inf], "<f4").tobytes()), "1 of 1 points"),
    "list": (binary_ply(f"element vertex 1\n{XY}property list uchar int i\n", bytes(9)), "list property"),
}


@pytest.mark.parametrize("name", BAD_BINARY)
def test_bad_binary(path: Path, name: str) -> None:
    fails(path, *BAD_BINARY[name])


def test_many_properties_take_no_quadratic_time(path: Path) -> None:
    head = "element vertex 1\n" + "".join(f"property char p{i}\n" for i in range(40_000)) + XY
    path.write_bytes(binary_ply(head, bytes(40_008)))
    np.testing.assert_array_equal(read_points(path), [[0, 0]])


def test_long_names_make_short_errors(path: Path) -> None:
    path.write_bytes(ascii_ply("1 2\n", f"element {'v' * 100_000} -1\n"))
    with pytest.raises(FileError, match="it is '-1'") as caught:
        read_points(path)
    assert len(str(caught.value)) < 400 + len(str(path))


def test_unknown_format_is_not_written(path: Path) -> None:
    with pytest.raises(FileError, match="it is 'utf-8'"):
        ply.write(path, np.zeros((1, 3)), format="utf-8")  # type: ignore[arg-type]
    assert not path.exists()


def test_properties_are_a_matter_of_ply(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"only \.ply"):
        read_properties(tmp_path / "a.csv")


@pytest.mark.parametrize("format", ["ascii", "binary_little_endian"])
def test_more_columns_come_back_in_their_types(tmp_path, format):
    points = np.array([[0.1, 2.0, 3.0], [1e-30, -5.0, 6.0]])
    columns = {"red": np.array([1, 255], dtype=np.uint8), "time": np.array([0.5, 1e9]), "x": np.zeros(2)}
    columns |= {"xy": np.ones(2), "yz": np.ones(2)}
    ply.write(tmp_path / "a.ply", points, format, properties=columns)
    found = ply.read_properties(tmp_path / "a.ply")
    assert list(found) == ["x", "y", "z", "red", "time", "xy", "yz"]
    np.testing.assert_array_equal(read_points(tmp_path / "a.ply"), points)
    assert found["red"].tolist() == [1, 255]
    assert found["red"].dtype == np.uint8
    assert found["time"].tolist() == [0.5, 1e9]


@pytest.mark.parametrize(
    "values", [np.zeros(3), np.zeros((2, 2)), np.array(["a", "b"]), np.zeros(2, dtype=np.complex128)]
)
def test_columns_that_no_file_can_hold(tmp_path, values):
    with pytest.raises(FileError, match="the property 'more' must be 2 numbers"):
        ply.write(tmp_path / "a.ply", np.zeros((2, 3)), properties={"more": values})
    assert not list(tmp_path.iterdir())
