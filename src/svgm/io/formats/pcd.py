"""PCD files (.pcd): ASCII, binary and binary_compressed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.array_checks import checked_points
from svgm.io.atomic import atomic_write
from svgm.io.errors import file_error
from svgm.io.formats import lzf
from svgm.io.formats.header_lines import line_end, split_header
from svgm.io.formats.number_rows import body_rows, parse_rows, typed_column
from svgm.io.formats.pcd_header import PcdHeader, parse_header
from svgm.io.paths import PathLike, as_path, read_bytes

_SIZES_BYTES = 8


def read(path: PathLike) -> NDArray[np.float64]:
    """Read the coordinates of a PCD file.

    Points with a NaN coordinate are dropped: an organised cloud, which is a grid of pixels, marks pixels without a
    measurement in this way. An infinite coordinate is an error, as in every format.

    Parameters
    ----------
    path : str or os.PathLike
        A PCD file with the fields x, y and perhaps z, in any order. Other fields are ignored.

    Returns
    -------
    ndarray, shape (n, 3) or (n, 2)
        The valid points in the order of the file, each coordinate with the precision of its declared type.

    Raises
    ------
    FileError
        If the file is missing, is not a PCD file, is cut off, or holds no valid points.
    """
    path = as_path(path)
    data = read_bytes(path)
    if b"\0" in data[:16]:
        raise file_error(path, f"a PCD file must start with a text header, it starts with {data[:8]!r}")
    lines, offset = split_header(path, data, last="DATA")
    header = parse_header(path, lines)
    if header.points == 0:
        raise file_error(path, "holds no points")
    if header.encoding == "ascii":
        body = data[offset:].replace(b"\r", b"\n") if line_end(data) == b"\r" else data[offset:]
        columns = _ascii_columns(path, body, header)
    elif header.encoding == "binary":
        columns = _binary_columns(path, data, offset, header)
    else:
        columns = _compressed_columns(path, data[offset:], header)
    points = np.column_stack([column.astype(np.float64) for column in columns])
    valid = ~np.isnan(points).any(axis=1)
    if not valid.any():
        raise file_error(path, f"holds no points, all {len(points)} are NaN")
    return checked_points(path, points[valid])


def write(path: PathLike, points: ArrayLike) -> None:
    """Write points as a binary PCD file of version 0.7 with double precision.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace.
    points : array_like, shape (n, 3) or (n, 2)
        Finite coordinates, n >= 1. 2D points are written as x and y only.

    Raises
    ------
    FileError
        If the points are not finite numbers of this shape, or if the operating system refuses the write.
    """
    path = as_path(path)
    array = checked_points(path, points, dimensions=(2, 3))
    count, axes = array.shape
    header = (
        "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n"
        f"FIELDS {' '.join('xyz'[:axes])}\nSIZE{' 8' * axes}\nTYPE{' F' * axes}\nCOUNT{' 1' * axes}\n"
        f"WIDTH {count}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {count}\nDATA binary\n"
    )
    with atomic_write(path) as temporary, temporary.open("wb") as stream:
        stream.write(header.encode("ascii"))
        stream.write(array.astype("<f8", copy=False).tobytes())


def _ascii_columns(path: Path, body: bytes, header: PcdHeader) -> list[NDArray[np.generic]]:
    width = sum(field.count for field in header.fields)
    # A number takes at least a digit and a separator. The last separator of a file may be missing.
    _need(path, header, 2 * width * header.points, len(body) + 1)
    table = parse_rows(path, body_rows(path, body, 0, header.points), width)
    columns = []
    for axis in header.axes:
        first = sum(field.count for field in header.fields[: header.fields.index(axis)])
        columns.append(typed_column(path, axis.name, table[:, first], axis.dtype))
    return columns


def _binary_columns(path: Path, data: bytes, offset: int, header: PcdHeader) -> list[NDArray[np.generic]]:
    _need(path, header, header.row_bytes * header.points, len(data) - offset)
    rows = np.frombuffer(data, np.uint8, count=header.row_bytes * header.points, offset=offset)
    grid = rows.reshape(header.points, header.row_bytes)
    columns = []
    for axis in header.axes:
        start = header.start(axis)
        column = np.ascontiguousarray(grid[:, start : start + axis.dtype.itemsize])
        columns.append(column.view(axis.dtype).ravel())
    return columns


def _compressed_columns(path: Path, body: bytes, header: PcdHeader) -> list[NDArray[np.generic]]:
    if len(body) < _SIZES_BYTES:
        raise file_error(path, "the body is cut off before the compressed data")
    packed, size = (int(n) for n in np.frombuffer(body, "<u4", count=2))
    needed = header.row_bytes * header.points
    if size != needed:
        raise file_error(path, f"{header.points} points need {needed} bytes, the compressed data declare {size}")
    _need(path, header, packed, len(body) - _SIZES_BYTES)
    if size > lzf.MAX_EXPANSION * packed:
        raise file_error(path, f"{packed} compressed bytes cannot hold the {size} bytes that are declared")
    try:
        data = lzf.decompress(body[_SIZES_BYTES : _SIZES_BYTES + packed], size)
    except ValueError as error:
        raise file_error(path, f"the compressed data are damaged, {error}") from None
    # A compressed body holds one field after another, not one point after another.
    return [
        np.frombuffer(data, axis.dtype, count=header.points, offset=header.start(axis) * header.points)
        for axis in header.axes
    ]


def _need(path: Path, header: PcdHeader, needed: int, there: int) -> None:
    """Compare a declared size with the size of the file before memory is allocated."""
    if needed > there:
        what = f"{header.points} points need at least {needed} bytes"
        raise file_error(path, f"the body is cut off, {what}, the body has {there}")
