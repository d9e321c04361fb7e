"""Archives of arrays: damaged members, and points beside other arrays."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm import FileError
from svgm.cli.input_files import read_set
from svgm.io import read_points, write_points
from svgm.io.archive import archive_names, write_archive
from svgm.mixture.mixture import Mixture, is_mixture_file
from tests.io.refused import refused

POINTS = np.random.default_rng(3).normal(size=(300, 3))


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
    assert f"'{name}' is not an array" in refused(Mixture.load, tmp_path / "a.npz")


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


def test_python_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="pickle"):
        write_archive(tmp_path / "objects.npz", made=np.array([{}], dtype=object))
    assert not list(tmp_path.iterdir())


def test_only_the_given_arrays_are_written(tmp_path: Path) -> None:
    """Older versions of NumPy take every keyword for an array."""
    write_archive(tmp_path / "one.npz", made=np.ones(3))
    assert archive_names(tmp_path / "one.npz") == ["made"]
