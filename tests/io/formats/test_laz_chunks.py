"""LAZ files whose chunks do not fit into the file."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from svgm.io import read_points, write_points
from tests.io.refused import refused

POINTS = np.random.default_rng(3).normal(size=(300, 3))


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
    refused(read_points, path, "another size of a point than 30 bytes")
