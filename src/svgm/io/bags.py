"""Bags of ROS 1 and ROS 2, through rosbags: the clouds and laser scans in them, without ROS."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svgm.checks.errors import InputError, not_installed
from svgm.io.bag_messages import cloud_of, laser_scan
from svgm.io.cloud import PointCloud, finished
from svgm.io.errors import file_error, file_errors, shown
from svgm.io.paths import PathLike, as_path, file_size

__all__ = ["BagScan", "read_bag", "topics"]

#: Message types that hold points, by the ends of their names.
KINDS = ("PointCloud2", "LaserScan")

#: Suffixes of bags that are one file. A bag of ROS 2 may also be a folder with `metadata.yaml`.
BAG_SUFFIXES = (".bag", ".db3", ".mcap")


@dataclass(frozen=True)
class BagScan:
    """One message with points.

    Attributes
    ----------
    cloud : PointCloud
        The points in the frame of the sensor. A laser scan is 2D. The viewpoint is the sensor's place, the origin.
    time : float
        Time of the measurement in seconds: the stamp of the message.
    frame : str
        Name of the sensor's frame.
    topic : str
        Name of the topic.

    Examples
    --------
    >>> import numpy as np
    >>> BagScan(PointCloud(np.zeros((5, 3))), 1.5, "lidar", "/points").frame
    'lidar'
    """

    cloud: PointCloud
    time: float
    frame: str
    topic: str


def holds_bag(path: Path) -> bool:
    """Whether a folder is a bag of ROS 2."""
    return (path / "metadata.yaml").is_file()


def topics(path: PathLike) -> dict[str, int]:
    """The topics of a bag that hold points, with the number of messages of each.

    Parameters
    ----------
    path : str or os.PathLike
        A ``.bag`` file of ROS 1; a folder, ``.db3`` or ``.mcap`` file of ROS 2.

    Returns
    -------
    dict of str to int
        In the order of the bag.

    Raises
    ------
    FileError
        If rosbags is not installed, or if the bag is missing or damaged.

    Examples
    --------
    >>> topics("drive.bag")
    Traceback (most recent call last):
        ...
    svgm.FileError: drive.bag: no such file
    """
    path = as_path(path)
    with _opened(path) as reader:
        return {found.topic: int(found.msgcount) for found in _with_points(reader)}


def read_bag(path: PathLike, topic: str | None = None) -> Iterator[BagScan]:
    """Read the clouds (PointCloud2) and laser scans (LaserScan) of a bag, one after another.

    Points without a measurement are dropped: those with a NaN coordinate, and rays that hit nothing.

    Parameters
    ----------
    path : str or os.PathLike
        A ``.bag`` file of ROS 1; a folder, ``.db3`` or ``.mcap`` file of ROS 2.
    topic : str, optional
        The topic to read. By default the one that holds points; if there are several, one must be chosen.

    Returns
    -------
    iterator of BagScan
        The messages in the order of the bag, read one by one. Messages without any point are left out.

    Raises
    ------
    FileError
        If rosbags is not installed, if the bag is missing or damaged, or if the topic is not there or not clear.

    Examples
    --------
    >>> for scan in read_bag("drive.bag", "/velodyne_points"):
    ...     print(scan.time, len(scan.cloud.points))
    Traceback (most recent call last):
        ...
    svgm.FileError: drive.bag: no such file
    """
    path = as_path(path)
    if topic is not None and not isinstance(topic, str):
        raise InputError(f"topic must be a str or None, got {shown(topic)}")
    return _scans(path, topic, _opened(path))


def _scans(path: Path, topic: str | None, bag: _Bag) -> Iterator[BagScan]:
    with bag as reader:
        found = _with_points(reader)
        names = sorted({connection.topic for connection in found})
        if not names:
            raise file_error(path, f"holds no topic with points ({' or '.join(KINDS)})")
        if topic is None and len(names) > 1:
            raise file_error(path, f"holds several topics with points, choose one of {', '.join(names)}")
        if topic is not None and topic not in names:
            raise file_error(path, f"holds no topic {shown(topic)} with points, only {', '.join(names)}")
        chosen = [connection for connection in found if topic in (None, connection.topic)]
        with file_errors(path, "is damaged"):
            for connection, _, raw in reader.messages(connections=chosen):
                with file_errors(path, "holds a message that is damaged"):
                    message = reader.deserialize(raw, connection.msgtype)
                    is_cloud = connection.msgtype.endswith(KINDS[0])
                    cloud = cloud_of(path, message) if is_cloud else laser_scan(path, message)
                if len(cloud.points):
                    stamp = message.header.stamp
                    seconds = float(stamp.sec) + 1e-9 * float(stamp.nanosec)
                    yield BagScan(finished(path, cloud, True), seconds, str(message.header.frame_id), connection.topic)


def _with_points(reader: Any) -> list[Any]:
    return [connection for connection in reader.connections if connection.msgtype.rsplit("/", 1)[-1] in KINDS]


def _opened(path: Path) -> _Bag:
    """The bag, as a context that gives its reader."""
    if os.path.isdir(path):  # noqa: PTH112  (a path that is too long is no folder)
        if not holds_bag(path):
            raise file_error(path, "is a folder without metadata.yaml, so it is no bag of ROS 2")
    else:
        file_size(path)
        if path.suffix.lower() not in BAG_SUFFIXES:
            raise file_error(path, f"must be a bag, a file ending in {' '.join(BAG_SUFFIXES)} or a folder of ROS 2")
    return _Bag(path)


class _Bag:
    """An open bag. Errors of the library, while it opens, become one line."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Any:
        try:
            library = importlib.import_module("rosbags.highlevel")
            types = importlib.import_module("rosbags.typesys")
        except ImportError:
            raise file_error(self.path, not_installed("reading bags needs rosbags", "ros")) from None
        with file_errors(self.path, "is not a readable bag"):
            # Bags of ROS 2 in .db3 files have no definitions of their messages before Iron; these types never changed.
            store = types.get_typestore(types.Stores.LATEST)
            self.reader = library.AnyReader([self.path], default_typestore=store)
            self.reader.open()
        return self.reader

    def __exit__(self, *_: object) -> None:
        self.reader.close()
