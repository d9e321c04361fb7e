"""PCD files (.pcd): ASCII, binary and binary_compressed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.array_checks import checked_points
from svgm.io.atomic import atomic_write
from svgm.io.cloud import COLOURS, NORMALS, Column, PointCloud
from svgm.io.errors import file_error
from svgm.io.formats import lzf
from svgm.io.formats.columns import as_column, in_bits
from svgm.io.formats.header_lines import line_end, split_header
from svgm.io.formats.number_rows import body_rows, parse_rows, typed_column
from svgm.io.formats.pcd_header import Field, PcdHeader, parse_header
from svgm.io.paths import PathLike, as_path, read_bytes

_SIZES_BYTES = 8

#: An organised cloud is a grid of pixels, and marks pixels without a measurement by NaN.
MARKS_MISSING = True

#: PCL's names of normals, by ours.
_PCL_NORMALS = {"normal_x": "nx", "normal_y": "ny", "normal_z": "nz"}


def load(path: PathLike, columns: bool = True) -> PointCloud:
    """Read the points of a PCD file, also those without a measurement.

    Parameters
    ----------
    path : str or os.PathLike
        A PCD file with the fields x, y and perhaps z, in any order. Fields of several values are ignored.
    columns : bool, default True
        Whether the other fields are read.

    Returns
    -------
    PointCloud
        The points in the order of the file, each coordinate with the precision of its declared type. They are not
        checked. The viewpoint is that of the header; the default of the format, the origin, is none.

    Raises
    ------
    FileError
        If the file is missing, is not a PCD file, is cut off, or holds no points.
    """
    path = as_path(path)
    data = read_bytes(path)
    if b"\0" in data[:16]:
        raise file_error(path, f"a PCD file must start with a text header, it starts with {data[:8]!r}")
    lines, offset = split_header(path, data, last="DATA")
    header = parse_header(path, lines)
    if header.points == 0:
        raise file_error(path, "holds no points")
    names = [field.name for field in header.fields]
    more = [field for field in header.fields if field.count == 1 and names.count(field.name) == 1] if columns else []
    fields = [*header.axes, *(field for field in more if field not in header.axes and field.name != "_")]
    if header.encoding == "ascii":
        body = data[offset:].replace(b"\r", b"\n") if line_end(data) == b"\r" else data[offset:]
        values = _ascii_columns(path, body, header, fields)
    elif header.encoding == "binary":
        values = _binary_columns(path, data, offset, header, fields)
    else:
        values = _compressed_columns(path, data[offset:], header, fields)
    axes = len(header.axes)
    points = np.column_stack([column.astype(np.float64) for column in values[:axes]])
    found: dict[str, Column] = {}
    for field, column in zip(fields[axes:], values[axes:], strict=True):
        if field.name in ("rgb", "rgba") and column.dtype.itemsize == 4:
            found |= _unpacked(column)
        else:
            found[_PCL_NORMALS.get(field.name, field.name)] = column
    sensor = np.asarray(header.sensor[:axes])
    return PointCloud(points, found, sensor if np.isfinite(sensor).all() and sensor.any() else None)


def write(
    path: PathLike,
    points: ArrayLike,
    properties: Mapping[str, Column] | None = None,
    viewpoint: ArrayLike | None = None,
) -> None:
    """Write points as a binary PCD file of version 0.7, the coordinates with double precision.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace.
    points : array_like, shape (n, 3) or (n, 2)
        Finite coordinates, n >= 1. 2D points are written as x and y only.
    properties : mapping of str to ndarray, shape (n,), optional
        More columns, each in its own type. Normals and colours get the names of PCL: ``normal_x``, and ``rgb`` with
        8 bits for each colour.
    viewpoint : array_like, shape (d,), optional
        Position of the sensor, for the header.

    Raises
    ------
    FileError
        If the points are not finite numbers of this shape, if a column has another length or is not numbers, or if the
        operating system refuses the write.
    """
    path = as_path(path)
    array = checked_points(path, points, dimensions=(2, 3))
    count, axes = array.shape
    columns: dict[str, Column] = {axis: array[:, k] for k, axis in enumerate("xyz"[:axes])}
    given = {name: as_column(path, name, column, count) for name, column in (properties or {}).items()}
    if all(name in given for name in COLOURS):
        given = {"rgb": _packed(given), **{name: column for name, column in given.items() if name not in COLOURS}}
    theirs = {ours: name for name, ours in _PCL_NORMALS.items()} if all(name in given for name in NORMALS) else {}
    columns |= {theirs.get(name, name): column for name, column in given.items() if name not in columns}
    sensor = np.zeros(3)
    if viewpoint is not None:
        sensor[:axes] = as_column(path, "viewpoint", np.asarray(viewpoint, dtype=np.float64), axes)
    lines: dict[str, list[object]] = {
        "FIELDS": list(columns),
        "SIZE": [column.dtype.itemsize for column in columns.values()],
        "TYPE": [column.dtype.kind.upper() for column in columns.values()],
        "COUNT": [1] * len(columns),
        "WIDTH": [count],
        "HEIGHT": [1],
        "VIEWPOINT": [*(np.format_float_positional(x, trim="-") for x in sensor), 1, 0, 0, 0],
        "POINTS": [count],
        "DATA": ["binary"],
    }
    text = "".join(f"{key} {' '.join(map(str, words))}\n" for key, words in lines.items())
    table = np.empty(count, [(name, column.dtype.newbyteorder("<")) for name, column in columns.items()])
    for name, column in columns.items():
        table[name] = column
    with atomic_write(path) as temporary, temporary.open("wb") as stream:
        stream.write(f"# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n{text}".encode("ascii"))
        stream.write(table.tobytes())


def _unpacked(column: Column) -> dict[str, Column]:
    """Colours of 8 bits from one number of 32 bits: blue in the lowest byte."""
    bits = np.ascontiguousarray(column).view(np.uint32)
    return {name: (bits >> shift & 255).astype(np.uint8) for name, shift in zip(COLOURS, (16, 8, 0), strict=True)}


def _packed(columns: Mapping[str, Column]) -> NDArray[np.float32]:
    """Colours as PCL keeps them: one number of 32 bits, whose bytes stand in a float."""
    red, green, blue = (in_bits([columns[name] for name in COLOURS], 8)[k].astype(np.uint32) for k in range(3))
    packed: NDArray[np.float32] = (red << 16 | green << 8 | blue).view(np.float32)
    return packed


def _ascii_columns(path: Path, body: bytes, header: PcdHeader, fields: list[Field]) -> list[Column]:
    width = sum(field.count for field in header.fields)
    # A number takes at least a digit and a separator. The last separator of a file may be missing.
    _need(path, header, 2 * width * header.points, len(body) + 1)
    table = parse_rows(path, body_rows(path, body, 0, header.points), width)
    columns = []
    for wanted in fields:
        first = sum(field.count for field in header.fields[: header.fields.index(wanted)])
        columns.append(typed_column(path, wanted.name, table[:, first], wanted.dtype))
    return columns


def _binary_columns(path: Path, data: bytes, offset: int, header: PcdHeader, fields: list[Field]) -> list[Column]:
    _need(path, header, header.row_bytes * header.points, len(data) - offset)
    rows = np.frombuffer(data, np.uint8, count=header.row_bytes * header.points, offset=offset)
    grid = rows.reshape(header.points, header.row_bytes)
    columns = []
    for field in fields:
        start = header.start(field)
        column = np.ascontiguousarray(grid[:, start : start + field.dtype.itemsize])
        columns.append(column.view(field.dtype).ravel())
    return columns


def _compressed_columns(path: Path, body: bytes, header: PcdHeader, fields: list[Field]) -> list[Column]:
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
        np.frombuffer(data, field.dtype, count=header.points, offset=header.start(field) * header.points)
        for field in fields
    ]


def _need(path: Path, header: PcdHeader, needed: int, there: int) -> None:
    """Compare a declared size with the size of the file before memory is allocated."""
    if needed > there:
        what = f"{header.points} points need at least {needed} bytes"
        raise file_error(path, f"the body is cut off, {what}, the body has {there}")
