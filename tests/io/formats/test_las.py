"""LAS and LAZ files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm.checks.errors import FileError
from svgm.io import read_points, write_points


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
