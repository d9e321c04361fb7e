"""PTX files (.ptx): scans as grids of pixels in text, each with the pose of its sensor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svgm.io.cloud import COLOURS, Column, PointCloud
from svgm.io.errors import file_error, shown
from svgm.io.formats.header_lines import parse_count
from svgm.io.formats.number_rows import parse_rows
from svgm.io.paths import PathLike, as_path, read_bytes

#: Lines of a scan before its points: columns, rows, position, three axes, and the matrix of four lines.
_HEAD_LINES = 10


def load(path: PathLike, columns: bool = True) -> PointCloud:
    """Read all scans, moved into common coordinates by their poses, one after another.

    Parameters
    ----------
    path : str or os.PathLike
        A PTX file. Pixels without a measurement, which are 0 0 0, are left out.
    columns : bool, default True
        Whether intensities and colours are read.

    Returns
    -------
    PointCloud
        The points. They are not checked. The viewpoint is the position of the sensor, if there is one scan.

    Raises
    ------
    FileError
        If the file is missing, damaged or cut off, or if a matrix is not a pose.
    """
    path = as_path(path)
    data = read_bytes(path)
    if b"\0" in data:
        raise file_error(path, f"is not a text file, byte {data.find(0)} is NUL")
    lines = [line for line in data.replace(b"\r", b"\n").split(b"\n") if line.strip()]
    tables: list[NDArray[np.float64]] = []
    sensors: list[NDArray[np.float64]] = []
    start = 0
    while start < len(lines):
        count, sensor, matrix = _head(path, lines[start : start + _HEAD_LINES], start)
        rows = lines[start + _HEAD_LINES : start + _HEAD_LINES + count]
        if len(rows) < count:
            raise file_error(path, f"is cut off, a scan declares {count} points, {len(rows)} lines follow")
        start += _HEAD_LINES + count
        if not rows:
            continue
        width = len(rows[0].split())
        if width not in (4, 7):
            raise file_error(path, f"a point must have 4 or 7 numbers, it has {width}: {_text(rows[0])}")
        table = parse_rows(path, rows, width, unit="point")
        table = table[(table[:, :3] != 0).any(axis=1)]
        table[:, :3] = table[:, :3] @ matrix[:3, :3] + matrix[3, :3]
        tables.append(table)
        sensors.append(sensor)
    if not tables:
        raise file_error(path, "holds no points")
    width = min(table.shape[1] for table in tables)
    joined = np.concatenate([table[:, :width] for table in tables])
    found: dict[str, Column] = {"intensity": joined[:, 3]} if columns else {}
    if columns and width == 7 and (joined[:, 4:] >= 0).all() and (joined[:, 4:] <= 255).all():
        found |= dict(zip(COLOURS, joined[:, 4:].T.astype(np.uint8), strict=True))
    return PointCloud(joined[:, :3], found, sensors[0] if len(sensors) == 1 else None)


def _head(path: Path, lines: list[bytes], start: int) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Number of points of a scan, position of its sensor, and its matrix, which multiplies a row from the right."""
    where = f"the scan in line {start + 1}"
    if len(lines) < _HEAD_LINES:
        raise file_error(path, f"{where} is cut off, its header has {len(lines)} of {_HEAD_LINES} lines")
    width, height = (parse_count(path, "pixels", lines[k].decode("latin-1").strip()) for k in (0, 1))
    numbers = []
    for line, columns in zip(lines[2:], (3, 3, 3, 3, 4, 4, 4, 4), strict=True):
        try:
            values = [float(word) for word in line.split()]
        except ValueError:
            values = []
        if len(values) != columns or not np.isfinite(values).all():
            raise file_error(path, f"{where} must have {columns} numbers in each line of its pose, got {_text(line)}")
        numbers.append(values)
    matrix = np.array(numbers[4:])
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.abs(matrix[:3, :3] @ matrix[:3, :3].T - np.eye(3)).max()
    if not off <= 1e-3 or np.abs(matrix[:, 3] - [0, 0, 0, 1]).max() > 1e-9:
        raise file_error(path, f"{where} must have the matrix of a rigid motion, it has another one")
    return width * height, np.array(numbers[0]), matrix


def _text(line: bytes) -> str:
    return shown(line.decode("latin-1").strip())
