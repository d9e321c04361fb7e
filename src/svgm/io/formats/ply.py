"""PLY files (.ply): ASCII and binary of either byte order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.array_checks import checked_points
from svgm.io.atomic import atomic_write
from svgm.io.cloud import PointCloud
from svgm.io.errors import file_error, shown
from svgm.io.formats.header_lines import line_end, split_header
from svgm.io.formats.number_rows import body_rows, parse_rows, typed_column
from svgm.io.formats.ply_header import Element, PlyHeader, parse_header
from svgm.io.paths import PathLike, as_path, read_bytes

#: The names of the types of numbers in PLY.
TYPE_NAMES = {
    "i1": "char",
    "u1": "uchar",
    "i2": "short",
    "u2": "ushort",
    "i4": "int",
    "u4": "uint",
    "f4": "float",
    "f8": "double",
}

#: Names of colours and normals in the files of other programs, by the usual name.
_ALIASES = {
    **{f"{before}{colour}": colour for before in ("diffuse_", "r_") for colour in ("red", "green", "blue")},
    **{f"normal_{axis}": f"n{axis}" for axis in "xyz"},
    "scalar_Intensity": "intensity",
    "scalar_intensity": "intensity",
}


def load(path: PathLike, columns: bool = True) -> PointCloud:
    """Read the vertices.

    Parameters
    ----------
    path : str or os.PathLike
        A PLY file whose vertices have the properties x, y and perhaps z, in any order. Properties that are lists and
        other elements are ignored.
    columns : bool, default True
        Whether the other scalar properties are read.

    Returns
    -------
    PointCloud
        The points, each coordinate with the precision of its declared type. They are not checked.

    Raises
    ------
    FileError
        If the file is missing, is not a PLY file, is cut off, or holds no points.
    """
    path = as_path(path)
    data = read_bytes(path)
    header = _header(path, data)
    names = [scalar.name for scalar in header.vertex.scalars]
    axes: list[str] = [axis for axis in ("x", "y", "z") if axis in names]
    if axes not in (["x", "y"], ["x", "y", "z"]):
        raise file_error(path, f"vertices must have the properties x and y, they have {', '.join(names) or 'none'}")
    found = _vertex_columns(path, data, header, names if columns else axes)
    points = np.column_stack([found.pop(axis).astype(np.float64) for axis in axes])
    return PointCloud(points, {_ALIASES.get(name, name): column for name, column in found.items()})


def read_properties(path: PathLike) -> dict[str, NDArray[np.generic]]:
    """Read all scalar properties of the vertices: coordinates, normals, colours, intensities.

    Parameters
    ----------
    path : str or os.PathLike
        A PLY file.

    Returns
    -------
    dict of str to ndarray, shape (n,)
        The properties in the order of the file, each in its declared type and in the byte order of the machine. The
        values are not checked: a normal may be NaN.

    Raises
    ------
    FileError
        If the file is missing, is not a PLY file, is cut off, or holds no points.
    """
    path = as_path(path)
    data = read_bytes(path)
    header = _header(path, data)
    return _vertex_columns(path, data, header, [scalar.name for scalar in header.vertex.scalars])


def write(
    path: PathLike,
    points: ArrayLike,
    format: Literal["binary_little_endian", "ascii"] = "binary_little_endian",
    properties: Mapping[str, NDArray[np.generic]] | None = None,
) -> None:
    """Write points as vertices of type double, and other properties in their own types.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace.
    points : array_like, shape (n, 3) or (n, 2)
        Finite coordinates, n >= 1. 2D points are written as x and y only.
    format : {"binary_little_endian", "ascii"}, default "binary_little_endian"
        Encoding of the body. ASCII has all digits, so that reading the file gives the same numbers.
    properties : mapping of str to ndarray, shape (n,), optional
        More columns, as :func:`read_properties` returns them. Columns named x, y and z are left out.

    Raises
    ------
    FileError
        If the points are not finite numbers of this shape, if a property has another length or a type that PLY does not
        have, if the format is another one, or if the operating system refuses the write.
    """
    path = as_path(path)
    array = checked_points(path, points, dimensions=(2, 3))
    if format not in ("binary_little_endian", "ascii"):
        raise file_error(path, f"the format must be 'binary_little_endian' or 'ascii', it is {format!r}")
    columns: dict[str, NDArray[np.generic]] = {axis: array[:, k] for k, axis in enumerate("xyz"[: array.shape[1]])}
    given = dict(properties or {})
    columns |= {
        name: _column(path, name, values, len(array)) for name, values in given.items() if name not in ("x", "y", "z")
    }
    lines = "".join(f"property {TYPE_NAMES[values.dtype.str[1:]]} {name}\n" for name, values in columns.items())
    header = f"ply\nformat {format} 1.0\nelement vertex {len(array)}\n{lines}end_header\n"
    with atomic_write(path) as temporary, temporary.open("wb") as stream:
        stream.write(header.encode("ascii"))
        if format == "ascii":
            rows = zip(*(values.tolist() for values in columns.values()), strict=True)
            stream.writelines(" ".join(map(repr, row)).encode("ascii") + b"\n" for row in rows)
        else:
            table = np.empty(
                len(array), dtype=[(name, values.dtype.newbyteorder("<")) for name, values in columns.items()]
            )
            for name, values in columns.items():
                table[name] = values
            stream.write(table.tobytes())


def _column(path: Path, name: str, values: NDArray[np.generic], count: int) -> NDArray[np.generic]:
    column = np.asarray(values)
    if column.shape != (count,) or column.dtype.str[1:] not in TYPE_NAMES or not re.fullmatch(r"[!-~]+", name):
        raise file_error(path, f"the property {shown(name)} must be {count} numbers of a type that PLY has")
    return column


def _header(path: Path, data: bytes) -> PlyHeader:
    # This is checked first, so that a file of another kind is not reported as cut off.
    if data[:3] != b"ply" or data[3:4] not in (b"\n", b"\r", b" ", b""):
        raise file_error(path, f"a PLY file must start with the line 'ply', it starts with {data[:8]!r}")
    lines, offset = split_header(path, data, last="end_header")
    header = parse_header(path, lines, offset)
    if header.vertex.lists:
        name = header.vertex.lists[0].name
        raise file_error(path, f"vertices with a list property are not supported, {shown(name)} is one")
    if header.vertex.count == 0:
        raise file_error(path, "holds no points")
    return header


def _vertex_columns(path: Path, data: bytes, header: PlyHeader, names: list[str]) -> dict[str, NDArray[np.generic]]:
    if header.byte_order is None:
        return _ascii_columns(path, data, header, names)
    offset = header.offset
    for element in header.before:
        offset = _skip_binary(path, data, offset, element)
    vertex = header.vertex
    _need(path, vertex, vertex.row_bytes * vertex.count, len(data) - offset)
    dtype = np.dtype([(scalar.name, scalar.dtype) for scalar in vertex.scalars])
    rows = np.frombuffer(data, dtype, count=vertex.count, offset=offset)
    return {name: rows[name].astype(rows[name].dtype.newbyteorder("=")) for name in names}


def _ascii_columns(path: Path, data: bytes, header: PlyHeader, names: list[str]) -> dict[str, NDArray[np.generic]]:
    body = data[header.offset :]
    if line_end(data) == b"\r":
        body = body.replace(b"\r", b"\n")
    vertex, before = header.vertex, [element for element in header.before if element.width > 0]
    for element in [*before, vertex]:
        # A number takes at least a digit and a separator. The last separator of a file may be missing.
        _need(path, element, 2 * element.width * element.count, len(body) + 1)
    rows = body_rows(path, body, sum(element.count for element in before), vertex.count)
    table = parse_rows(path, rows, len(vertex.scalars), unit="vertex row")
    return {
        scalar.name: typed_column(path, scalar.name, table[:, column], scalar.dtype.newbyteorder("="))
        for column, scalar in enumerate(vertex.scalars)
        if scalar.name in names
    }


def _skip_binary(path: Path, data: bytes, offset: int, element: Element) -> int:
    """The position where an element ends. Rows with lists have different lengths, so they are read one by one."""
    _need(path, element, element.row_bytes * element.count, len(data) - offset)
    if not element.lists:
        return offset + element.row_bytes * element.count
    steps = [(p.dtype.itemsize, p.length, p.byte_order) for p in element.properties.values()]
    for _ in range(element.count):
        for size, length, byte_order in steps:
            if length is None:
                offset += size
                continue
            field = data[offset : offset + length.itemsize]
            items = int.from_bytes(field, byte_order, signed=length.kind == "i")
            if items < 0:
                raise file_error(path, f"a list of element {element.name} must not have a length below 0, {items}")
            offset += length.itemsize + items * size
        if offset > len(data):
            raise file_error(path, f"the body is cut off inside element {element.name}")
    return offset


def _need(path: Path, element: Element, needed: int, there: int) -> None:
    """Compare a declared size with the size of the file before memory is allocated."""
    if needed > there:
        what = f"{element.count} rows of element {element.name}"
        raise file_error(path, f"the body is cut off, {what} need at least {needed} bytes, the body has {there}")
