"""Scans as KITTI stores them (.bin): float32 x, y, z and intensity, one point after another, without a header."""

from __future__ import annotations

import numpy as np

from svgm.io.cloud import PointCloud
from svgm.io.errors import file_error
from svgm.io.paths import PathLike, as_path, read_bytes

#: Bytes of a point: four numbers of 32 bits.
_POINT_BYTES = 16


def load(path: PathLike, columns: bool = True) -> PointCloud:
    """Read the points of a scan in the frame of its sensor.

    Parameters
    ----------
    path : str or os.PathLike
        A file of the KITTI dataset's folder ``velodyne``, or one with the same layout.
    columns : bool, default True
        Whether the intensity is read.

    Returns
    -------
    PointCloud
        The points. They are not checked. The sensor stands in the origin, so that is the viewpoint.

    Raises
    ------
    FileError
        If the file is missing or empty, or if its size is not a multiple of 16 bytes.
    """
    path = as_path(path)
    data = read_bytes(path)
    if len(data) % _POINT_BYTES:
        rule = f"must hold {_POINT_BYTES} bytes a point (float32 x y z intensity)"
        raise file_error(path, f"{rule}, its {len(data)} bytes are no multiple of that")
    rows = np.frombuffer(data, "<f4").reshape(-1, 4)
    intensity = {"intensity": rows[:, 3].astype(np.float32)} if columns else {}
    return PointCloud(rows[:, :3].astype(np.float64), intensity, np.zeros(3))
