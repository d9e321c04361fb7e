"""LAS and LAZ files (.las .laz), through laspy."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.array_checks import checked_points
from svgm.io.atomic import atomic_write
from svgm.io.cloud import COLOURS, Column, PointCloud
from svgm.io.errors import file_error, file_errors
from svgm.io.formats.columns import as_column, in_bits
from svgm.io.formats.las_header import HEADER_BYTES, check_header
from svgm.io.formats.laz_chunks import check_chunks
from svgm.io.formats.optional_library import require
from svgm.io.paths import PathLike, as_path, file_size

_LIBRARY = "laspy"
#: Points that are read at a time.
_CHUNK_POINTS = 1_000_000
#: A compressed file may unpack to this many times its size, at most.
_MOST_EXPANSION = 1000
#: Columns by the names of LAS.
_STANDARD = {"intensity": "intensity", **{name: name for name in COLOURS}, "time": "gps_time"} | {
    "classification": "classification"
}
#: The extra dimension of an intensity that is not whole numbers of 16 bits.
_INTENSITY = "intensity_float"
_AXES = ("x", "y", "z", "X", "Y", "Z")
#: Memory that the decoder of LAZ needs beside the points, in bytes.
_DECODER_BYTES = 8 << 20
#: Coordinates are stored as 32-bit integers: multiples of a step, of which there are about this many.
_STEPS_PER_AXIS = 2.0e9
_SMALLEST_STEP = 1e-9
# laspy logs the errors that it raises. A log should reach stderr only if a caller asks for logs.
logging.getLogger(_LIBRARY).addHandler(logging.NullHandler())


def load(path: PathLike, columns: bool = True) -> PointCloud:
    """Read the scaled coordinates of all points, intensities, colours, times and extra dimensions.

    Parameters
    ----------
    path : str or os.PathLike
        A LAS file, or a LAZ file, its compressed form.
    columns : bool, default True
        Whether all but the coordinates is read too.

    Returns
    -------
    PointCloud
        The points. They are not checked. A column that is zero for all points was not written, so it is left out.

    Raises
    ------
    FileError
        If laspy is not installed, or if the file is missing, damaged or cut off or holds no points.
    """
    path = as_path(path)
    size = file_size(path)
    laspy = require(path, _LIBRARY)
    parts: list[NDArray[np.float64]] = []
    more: dict[str, list[Column]] = {}
    with file_errors(path, f"{_LIBRARY} cannot process it"), path.open("rb") as stream, np.errstate(all="ignore"):
        check_header(path, stream.read(HEADER_BYTES), size)
        stream.seek(0)
        # The parallel backend does not check the table of chunks. A wrong table would end the whole process.
        reader = laspy.open(stream, closefd=False, laz_backend=laspy.LazBackend.Lazrs, read_evlrs=False)
        count, row_bytes = int(reader.header.point_count), int(reader.header.point_format.size)
        if count * row_bytes > size * (_MOST_EXPANSION if reader.header.are_points_compressed else 1):
            raise file_error(path, f"is cut off, {count} points of {row_bytes} bytes in a file of {size} bytes")
        if reader.header.are_points_compressed and count:
            _check_compressed(path, stream, reader.header, size)
            # Without enough memory the decoder ends the process, so the memory is allocated once before it starts.
            np.empty(min(count, _CHUNK_POINTS) * row_bytes + _DECODER_BYTES, dtype=np.uint8)
        names = _columns(reader.header.point_format) if columns else {}
        for chunk in reader.chunk_iterator(_CHUNK_POINTS):
            for name, theirs in names.items():
                more.setdefault(name, []).append(np.array(chunk[theirs]))
            parts.append(np.column_stack([np.asarray(axis, dtype=np.float64) for axis in (chunk.x, chunk.y, chunk.z)]))
    points = np.concatenate(parts) if parts else np.empty((0, 3))
    if len(points) != count:
        raise file_error(path, f"is cut off, the header declares {count} points, the file has {len(points)}")
    found = {name: np.concatenate(values) for name, values in more.items()}
    found = {name: column for name, column in found.items() if column.ndim == 1 and column.any()}
    if all(name in found for name in COLOURS) and all(found[name].max() <= 255 for name in COLOURS):
        found |= {name: found[name].astype(np.uint8) for name in COLOURS}  # written by a program that knows 8 bits only
    return PointCloud(points, found)


def write(path: PathLike, points: ArrayLike, properties: Mapping[str, Column] | None = None) -> None:
    """Write points as LAS 1.4, or as LAZ if the suffix says so.

    The format stores coordinates as whole multiples of a step. The step is the smallest power of ten with which the
    range of the points can be stored, but at least 1e-9. A cloud of 1 km keeps micrometres.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace.
    points : array_like, shape (n, 3)
        Finite coordinates.
    properties : mapping of str to ndarray, shape (n,), optional
        More columns. ``intensity``, ``classification``, ``red green blue`` and ``time`` are written as LAS does, with
        16 bits for a colour. An intensity that is not whole numbers of 16 bits and all other columns become extra
        dimensions.

    Raises
    ------
    FileError
        If laspy is not installed, if the points are not finite numbers of this shape, if their range is not finite, or
        if the operating system refuses the write.
    """
    path = as_path(path)
    array = checked_points(path, points, dimensions=(3,))
    laspy = require(path, _LIBRARY, "writing")
    low, high = array.min(axis=0), array.max(axis=0)
    with np.errstate(over="ignore"):
        span = high - low
    if not np.isfinite(span).all():
        raise file_error(path, f"points must span a finite range, they reach from {low.min()} to {high.max()}")
    scales = np.array([_step(extent) for extent in span])
    given = {name: as_column(path, name, column, len(array)) for name, column in (properties or {}).items()}
    given = {name: column for name, column in given.items() if name not in ("x", "y", "z")}
    coloured = all(name in given for name in COLOURS)
    header = laspy.LasHeader(point_format=7 if coloured else 6, version="1.4")
    standard = {"time": "gps_time"} | ({name: name for name in COLOURS} if coloured else {})
    if "classification" in given and _whole(given["classification"], 255):
        standard["classification"] = "classification"
    intensity = given.get("intensity")
    if intensity is not None and _whole(intensity, 65535):
        standard["intensity"] = "intensity"
    elif intensity is not None:
        given[_INTENSITY] = given.pop("intensity")
    if coloured:
        given |= dict(zip(COLOURS, in_bits([given[name] for name in COLOURS], 16), strict=True))
    reserved = {*header.point_format.dimension_names, *_AXES}
    extra = {name: f"{name}_" if name in reserved else name for name in given if name not in standard}
    for name in extra:
        header.add_extra_dim(laspy.ExtraBytesParams(name=extra[name], type=given[name].dtype))
    header.scales = scales
    # An offset that is a multiple of the step keeps round coordinates round.
    header.offsets = np.round((low + span / 2) / scales) * scales
    las = laspy.LasData(header)
    content = BytesIO()
    with file_errors(path, f"{_LIBRARY} cannot process it"):
        las.x, las.y, las.z = array.T
        for name, column in given.items():
            las[standard.get(name) or extra[name]] = column
        las.write(content, do_compress=path.suffix.lower() == ".laz")
    # laspy does not write the file itself because its errors do not say why a write failed.
    with atomic_write(path) as temporary:
        temporary.write_bytes(content.getbuffer())


def _columns(form: Any) -> dict[str, str]:
    """The dimensions of a point format that are columns, by our names."""
    here, extra = set(form.dimension_names), set(form.extra_dimension_names)
    names = {name: theirs for name, theirs in _STANDARD.items() if theirs in here}
    return names | {("intensity" if name == _INTENSITY else name): name for name in sorted(extra)}


def _whole(values: Column, most: int) -> bool:
    """Whether all numbers are whole, from 0 to the largest."""
    numbers = values.astype(np.float64)
    return bool(np.all((numbers >= 0) & (numbers <= most) & (numbers == np.floor(numbers))))


def _check_compressed(path: Path, stream: BinaryIO, header: Any, size: int) -> None:
    """Check the chunks against the size of the file. Afterwards the stream is at the first point."""
    records = header.vlrs.get("LasZipVlr")
    if len(records) != 1:
        raise file_error(path, f"must have one record that describes its compression, it has {len(records)}")
    points_at = int(header.offset_to_point_data)
    check_chunks(
        path,
        stream,
        bytes(records[0].record_data),
        points_at=points_at,
        count=int(header.point_count),
        row_bytes=int(header.point_format.size),
        size=size,
    )
    stream.seek(points_at)


def _step(extent: float) -> float:
    return (
        max(_SMALLEST_STEP, 10.0 ** math.ceil(math.log10(extent / _STEPS_PER_AXIS))) if extent > 0 else _SMALLEST_STEP
    )
