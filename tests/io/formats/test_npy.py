"""NumPy files: orders and types, pickles, bombs and lying headers."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from svgm.checks.errors import FileError
from svgm.io import read_points, write_points

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)


def npy(array: np.ndarray, **options: bool) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npy_header(text: str, version: int = 1) -> bytes:
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + len(text).to_bytes(2 if version == 1 else 4, "little")
        + text.encode("latin-1")
    )


def lying(shape: str, descr: str = "'<f8'") -> bytes:
    return npy_header(f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}\n")


def fails(path: Path, data: bytes, match: str) -> None:
    path.write_bytes(data)
    with pytest.raises(FileError, match=match) as caught:
        read_points(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "A.NPY", "A.NPZ"])
@given(points=arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(1, 6)), elements=FINITE))
@settings(max_examples=15)
def test_round_trip_is_exact(tmp_path: Path, name: str, points: np.ndarray) -> None:
    write_points(tmp_path / name, points)
    np.testing.assert_array_equal(read_points(tmp_path / name), points)
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.lower() == name.lower()] == [name]


@pytest.mark.parametrize("code", ["<f2", ">f4", "<f8", ">f8", "i1", "u1", "<i2", ">u4", "<i8", ">u8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_types_and_orders(tmp_path: Path, code: str, order: str) -> None:
    points = np.arange(12).reshape(4, 3)
    (tmp_path / "a.npy").write_bytes(npy(np.asarray(points, code, order=order)))
    back = read_points(tmp_path / "a.npy")
    assert back.flags.c_contiguous
    assert back.dtype.isnative
    np.testing.assert_array_equal(back, points)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_versions(tmp_path: Path, version: int) -> None:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.eye(2), version=(version, 0))
    (tmp_path / "a.npy").write_bytes(stream.getvalue())
    np.testing.assert_array_equal(read_points(tmp_path / "a.npy"), np.eye(2))


def test_npz_keys(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, other=np.zeros((2, 2)), points=np.eye(2))
    np.testing.assert_array_equal(read_points(path), np.eye(2))
    np.savez(path, cloud=np.eye(3))
    np.testing.assert_array_equal(read_points(path), np.eye(3))
    np.savez(path, a=np.eye(3), b=np.eye(3))
    with pytest.raises(FileError, match="it has 'a, b'"):
        read_points(path)


BAD_NPY = {
    "other kind": (b"hello world", "not a NumPy array file"),
    "magic only": (b"\x93NUMPY", "not a NumPy array file"),
    "version": (b"\x93NUMPY\x09\x00\x10\x00" + bytes(99), "not a NumPy array file"),
    "cut header": (npy(np.eye(3))[:60], "header is cut off"),
    "cut body": (npy(np.eye(3))[:-1], "needs 72 bytes, the file has 71"),
    "pickle": (npy(np.array([[object()]]), allow_pickle=True), "pickled"),
    "vector": (npy(np.zeros(3)), r"the shape is '?\(3,\)"),
    "cube": (npy(np.zeros((1, 1, 1))), r"\(n, d\) array"),
    "complex": (npy(np.zeros((2, 2), complex)), "real numbers, the type is '<c16'"),
    "text": (npy(np.array([["a", "b"]])), "real numbers"),
    "truth": (npy(np.ones((2, 2), bool)), "real numbers"),
    "records": (npy(np.zeros((2, 2), [("x", "f8")])), "real numbers"),
    "zero points": (npy(np.zeros((0, 3))), "holds no points"),
    "zero columns": (npy(np.zeros((3, 0))), "at least 1 coordinates here, they have 0"),
    "NaN": (npy(np.array([[1, 2], [np.nan, 3]])), "the first is point 1"),
    "no dictionary": (npy_header("[1, 2]"), "header is damaged"),
    "no key": (npy_header("{'descr': '<f8'}"), "header is damaged"),
    "code": (npy_header("__import__('os')"), "header is damaged"),
    "deep": (npy_header("(" * 9000), "header is damaged"),
    "negative shape": (lying("(-1, 3)"), "header is damaged"),
    "float shape": (lying("(1.0, 3)"), "header is damaged"),
    "true shape": (lying("(True, 3)"), "header is damaged"),
    "giant shape": (lying("(99999999999, 3)"), "needs 2399999999976 bytes, the file has 0"),
    "astronomic shape": (lying(f"({'9' * 400}, 3)"), "is cut off"),
    "strange type": (lying("(1, 3)", "'<f7'"), "real numbers"),
    "long header": (npy_header("{}" + " " * 20_000, 2), "too long"),
}


@pytest.mark.parametrize("name", BAD_NPY)
def test_bad_npy(tmp_path: Path, name: str) -> None:
    fails(tmp_path / "a.npy", *BAD_NPY[name])


def zipped(name: str, data: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr(name, data)
    return stream.getvalue()


@pytest.mark.parametrize("name", BAD_NPY)
def test_bad_npy_inside_an_archive(tmp_path: Path, name: str) -> None:
    fails(tmp_path / "a.npz", zipped("points.npy", BAD_NPY[name][0]), BAD_NPY[name][1])


BAD_NPZ = {
    "no archive": (b"hello world", "not a readable npz archive"),
    "empty archive": (b"PK\5\6" + bytes(18), "it has 'none'"),
    "cut off": (zipped("points.npy", npy(np.eye(30)))[:-40], "not a readable npz archive"),
    "bomb": (
        zipped("points.npy", npy(np.zeros((3_000_000, 3), np.int8)), zipfile.ZIP_LZMA),
        "must not unpack to more than 1000",
    ),
    "other file": (zipped("points.npy", b"x" * 500), "not a NumPy array file"),
}


@pytest.mark.parametrize("name", BAD_NPZ)
def test_bad_npz(tmp_path: Path, name: str) -> None:
    fails(tmp_path / "a.npz", *BAD_NPZ[name])


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_lying_shape_costs_no_memory(tmp_path: Path, name: str) -> None:
    data = lying("(99999999999, 3)") + bytes(1000)
    (tmp_path / name).write_bytes(zipped("points.npy", data) if name == "a.npz" else data)
    tracemalloc.start()
    with pytest.raises(FileError, match="is cut off"):
        read_points(tmp_path / name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
