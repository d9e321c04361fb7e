"""Bags of ROS 1 and 2, written by rosbags: clouds and laser scans come back without a difference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from svgm.checks.errors import FileError
from svgm.io import read_cloud, read_points
from svgm.io.bags import BagScan, read_bag, topics
from tests.io.refused import refused

rosbags = pytest.importorskip("rosbags")
from rosbags.rosbag1 import Writer as Writer1  # noqa: E402
from rosbags.rosbag2 import StoragePlugin  # noqa: E402
from rosbags.rosbag2 import Writer as Writer2  # noqa: E402
from rosbags.typesys import Stores, get_typestore  # noqa: E402

KINDS = ("ros1", "db3", "mcap")


def header(types: Any, seconds: int, ros1: bool) -> Any:
    stamp = types.types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=500_000_000)
    fields = {"stamp": stamp, "frame_id": "lidar"} | ({"seq": 0} if ros1 else {})
    return types.types["std_msgs/msg/Header"](**fields)


def cloud_message(types: Any, rows: np.ndarray, seconds: int, ros1: bool) -> Any:
    field = types.types["sensor_msgs/msg/PointField"]
    kinds = {"f4": 7, "u2": 4}
    fields = [
        field(name=name, offset=rows.dtype.fields[name][1], datatype=kinds[rows.dtype[name].str[1:]], count=1)
        for name in rows.dtype.names
    ]
    return types.types["sensor_msgs/msg/PointCloud2"](
        header=header(types, seconds, ros1),
        height=1,
        width=len(rows),
        fields=fields,
        is_bigendian=False,
        point_step=rows.dtype.itemsize,
        row_step=rows.nbytes,
        data=np.frombuffer(rows.tobytes(), np.uint8),
        is_dense=False,
    )


def laser_message(types: Any, ranges: np.ndarray, seconds: int, ros1: bool) -> Any:
    return types.types["sensor_msgs/msg/LaserScan"](
        header=header(types, seconds, ros1),
        angle_min=-1.0,
        angle_max=1.0,
        angle_increment=0.01,
        time_increment=0.0,
        scan_time=0.1,
        range_min=0.5,
        range_max=20.0,
        ranges=ranges.astype(np.float32),
        intensities=np.arange(len(ranges), dtype=np.float32),
    )


def write(folder: Path, kind: str, messages: list[tuple[str, str, Any]]) -> Path:
    """A bag with messages: topic, type, and a function of the types and whether the bag is of ROS 1."""
    ros1 = kind == "ros1"
    types = get_typestore(Stores.ROS1_NOETIC if ros1 else Stores.ROS2_HUMBLE)
    path = folder / ("a.bag" if ros1 else "a")
    plugin = {"storage_plugin": StoragePlugin.MCAP} if kind == "mcap" else {}
    with Writer1(path) if ros1 else Writer2(path, version=9, **plugin) as bag:
        connections: dict[str, Any] = {}
        for number, (topic, name, make) in enumerate(messages):
            if topic not in connections:
                connections[topic] = bag.add_connection(topic, name, typestore=types)
            message = make(types, ros1)
            raw = types.serialize_ros1(message, name) if ros1 else types.serialize_cdr(message, name)
            bag.write(connections[topic], 10**9 * number, raw)
    return path


@pytest.fixture
def rows(rng: np.random.Generator) -> np.ndarray:
    table = np.zeros(
        30, [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("pad", "<f4"), ("intensity", "<f4"), ("ring", "<u2")]
    )
    for name in ("x", "y", "z", "intensity"):
        table[name] = rng.normal(size=30)
    table["ring"] = np.arange(30)
    table["y"][[3, 9]] = np.nan
    return table


def clouds(rows: np.ndarray, count: int, topic: str = "/points") -> list[tuple[str, str, Any]]:
    def make(k: int) -> Any:
        return lambda types, ros1: cloud_message(types, rows, 100 + k, ros1)

    return [(topic, "sensor_msgs/msg/PointCloud2", make(k)) for k in range(count)]


@pytest.mark.parametrize("kind", KINDS)
def test_clouds(tmp_path: Path, rows: np.ndarray, kind: str) -> None:
    path = write(tmp_path, kind, clouds(rows, 3))
    assert topics(path) == {"/points": 3}
    scans: list[BagScan] = list(read_bag(path))
    assert [scan.time for scan in scans] == [100.5, 101.5, 102.5]
    assert scans[0].frame == "lidar"
    valid = ~np.isnan(rows["y"])
    for scan in scans:
        expected = np.column_stack([rows[axis] for axis in "xyz"])[valid].astype(np.float64)
        np.testing.assert_array_equal(scan.cloud.points, expected)
        np.testing.assert_array_equal(scan.cloud.columns["intensity"], rows["intensity"][valid])
        np.testing.assert_array_equal(scan.cloud.columns["ring"], rows["ring"][valid])
    assert "holds many scans (3 of /points)" in refused(read_points, path)


@pytest.mark.parametrize("kind", KINDS)
def test_one_cloud_is_a_point_file(tmp_path: Path, rows: np.ndarray, kind: str) -> None:
    path = write(tmp_path, kind, clouds(rows, 1))
    assert read_cloud(path).points.shape == (28, 3)
    if path.is_dir():
        inside = next(file for file in path.iterdir() if file.suffix in (".db3", ".mcap"))
        assert read_points(inside).shape == (28, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_laser_scans(tmp_path: Path, rng: np.random.Generator, kind: str) -> None:
    ranges = rng.uniform(1.0, 10.0, 200)
    ranges[[5, 6, 7]] = np.inf, np.nan, 0.1

    def make(types: Any, ros1: bool) -> Any:
        return laser_message(types, ranges, 7, ros1)

    path = write(tmp_path, kind, [("/scan", "sensor_msgs/msg/LaserScan", make)])
    (scan,) = read_bag(path, "/scan")
    kept = np.r_[0:5, 8:200]
    angles = -1.0 + 0.01 * kept
    expected = ranges[kept].astype(np.float32)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    np.testing.assert_allclose(scan.cloud.points, expected, atol=1e-5)
    np.testing.assert_array_equal(scan.cloud.columns["intensity"], kept)


def test_a_topic_must_be_clear(tmp_path: Path, rows: np.ndarray) -> None:
    path = write(tmp_path, "ros1", [*clouds(rows, 1), *clouds(rows, 1, "/other")])
    with pytest.raises(FileError, match="choose one of /other, /points"):
        next(read_bag(path))
    with pytest.raises(FileError, match="holds no topic '/a' with points"):
        next(read_bag(path, "/a"))
    assert len(list(read_bag(path, "/other"))) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bags(tmp_path: Path, rows: np.ndarray, kind: str) -> None:
    path = write(tmp_path, kind, clouds(rows, 1))
    file = path if path.is_file() else next(f for f in path.iterdir() if f.suffix in (".db3", ".mcap"))
    content = file.read_bytes()
    for end in (10, len(content) // 2):
        file.write_bytes(content[:end])
        refused(read_points, file)
    file.write_bytes(b"not a bag at all")
    refused(read_points, file)
