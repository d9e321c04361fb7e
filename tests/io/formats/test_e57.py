"""E57 files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm.checks.errors import FileError
from svgm.io import read_points


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
