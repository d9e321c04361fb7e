"""Messages of ROS that hold points: PointCloud2 and LaserScan, as `rosbags` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svgm.io.cloud import COLOURS, Column, PointCloud
from svgm.io.errors import file_error, shown

#: NumPy's types by the numbers of PointField.
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}


def cloud_of(path: Path, message: Any) -> PointCloud:
    """The valid points of a message PointCloud2, with its other fields of one value each.

    Parameters
    ----------
    path : Path
        The bag, for messages.
    message : object
        With the attributes of sensor_msgs/PointCloud2.

    Returns
    -------
    PointCloud
        The points whose coordinates are not NaN. Infinite ones are none either.

    Raises
    ------
    FileError
        If the fields do not describe the data.
    """
    fields = {str(f.name): (int(f.offset), int(f.datatype), int(f.count)) for f in message.fields}
    axes = [axis for axis in "xyz" if axis in fields]
    if axes[:2] != ["x", "y"]:
        raise file_error(path, f"a cloud must have the fields x and y, it has {shown(', '.join(fields))}")
    order, step, row = ">" if message.is_bigendian else "<", int(message.point_step), int(message.row_step)
    width, height = int(message.width), int(message.height)
    data = np.asarray(message.data).astype(np.uint8, copy=False).reshape(-1)
    if min(step, row, width, height) < 0 or row < width * step or (height and len(data) < row * height):
        raise file_error(path, f"a cloud is cut off: {height} rows of {row} bytes, {width} points of {step}")
    if width == 0 or height == 0:
        return PointCloud(np.empty((0, len(axes))), {}, np.zeros(len(axes)))
    grid = data[: row * height].reshape(height, row)[:, : width * step].reshape(height * width, step)
    found: dict[str, Column] = {}
    for name, (offset, kind, count) in fields.items():
        if kind not in _TYPES or offset < 0 or offset + np.dtype(_TYPES[kind]).itemsize > step:
            raise file_error(path, f"the field {shown(name)} does not fit into {step} bytes of a point")
        if count > 1 or name == "":
            continue
        kind_here = np.dtype(order + _TYPES[kind])
        column = np.ascontiguousarray(grid[:, offset : offset + kind_here.itemsize]).view(kind_here).ravel()
        found[name] = column.astype(kind_here.newbyteorder("="))
    points = np.column_stack([found.pop(axis).astype(np.float64) for axis in axes])
    for name in ("rgb", "rgba"):
        if name in found and found[name].dtype.itemsize == 4:
            bits = found.pop(name).view(np.uint32)
            for colour, shift in zip(COLOURS, (16, 8, 0), strict=True):
                found[colour] = (bits >> shift & 255).astype(np.uint8)
    names = {"normal_x": "nx", "normal_y": "ny", "normal_z": "nz"}
    whole = PointCloud(points, {names.get(name, name): column for name, column in found.items()}, np.zeros(len(axes)))
    return whole.selected(np.isfinite(points).all(axis=1))


def laser_scan(path: Path, message: Any) -> PointCloud:
    """The hits of a message LaserScan as 2D points: ranges from the smallest to the largest that the sensor measures.

    Parameters
    ----------
    path : Path
        The bag, for messages.
    message : object
        With the attributes of sensor_msgs/LaserScan.

    Returns
    -------
    PointCloud
        The points, with `intensity` if the message has one for each ray, and `time` in seconds after the first ray if
        the rays have times.

    Raises
    ------
    FileError
        If an angle is not finite.
    """
    ranges: NDArray[np.float64] = np.asarray(message.ranges, dtype=np.float64).reshape(-1)
    angles = float(message.angle_min) + float(message.angle_increment) * np.arange(len(ranges))
    if not np.isfinite(angles).all():
        raise file_error(path, "a laser scan must have finite angles")
    with np.errstate(invalid="ignore"):
        hit = np.isfinite(ranges) & (ranges >= message.range_min) & (ranges < message.range_max) & (ranges > 0)
    points = np.column_stack([ranges * np.cos(angles), ranges * np.sin(angles)])
    found: dict[str, Column] = {}
    intensities = np.asarray(message.intensities, dtype=np.float64).reshape(-1)
    if len(intensities) == len(ranges):
        found["intensity"] = intensities
    if float(message.time_increment) > 0:
        found["time"] = float(message.time_increment) * np.arange(len(ranges))
    return PointCloud(points, found, np.zeros(2)).selected(hit)
