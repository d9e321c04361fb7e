"""Real scans, if SVGM_DATA names the folder that holds them."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

import numpy as np
import plyfile
import pytest

from svgm.io import read_points, read_properties

DATA = Path(os.environ.get("SVGM_DATA", ""))
pytestmark = pytest.mark.skipif("SVGM_DATA" not in os.environ, reason="SVGM_DATA is not set")


def declared(path: Path) -> int:
    found = re.search(rb"element vertex (\d+)", path.read_bytes()[:2000])
    assert found is not None
    return int(found.group(1))


def by_plyfile(path: Path) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # plyfile warns of every empty list
        vertex = plyfile.PlyData.read(path)["vertex"]
    return np.column_stack([vertex[axis].astype(np.float64) for axis in "xyz"])


def test_all_dragon_scans_have_the_declared_number_of_points() -> None:
    paths = sorted((DATA / "dragon_stand").glob("*.ply"))
    assert len(paths) == 15
    for path in paths:
        points = read_points(path)
        assert points.shape == (declared(path), 3)
        assert np.abs(points).max() < 1.0


@pytest.mark.parametrize(
    "name",
    ["dragon_stand/dragonStandRight_0.ply", "hannover1/scan001.ply", "lidar_pair/source.ply", "lidar_pair/target.ply"],
)
def test_equals_plyfile(name: str) -> None:
    points = read_points(DATA / name)
    assert len(points) == declared(DATA / name)
    np.testing.assert_array_equal(points, by_plyfile(DATA / name))


def test_intensity_of_the_lidar_pair() -> None:
    properties = read_properties(DATA / "lidar_pair" / "source.ply")
    assert list(properties) == ["x", "y", "z", "scalar_intensity"]
    assert properties["scalar_intensity"].dtype == np.float32


def test_text_sets() -> None:
    assert read_points(DATA / "face" / "face_X.txt").shape[1] == 3
    assert read_points(DATA / "shapes_2d" / "fish.txt").shape[1] == 2
