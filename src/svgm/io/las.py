"""LAS and LAZ files (.las .laz), through laspy."""

from __future__ import annotations

import logging
import math
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.atomic import atomic_write
from svgm.io.checks import checked_points
from svgm.io.extras import require
from svgm.io.las_header import HEADER_BYTES, check_header
from svgm.io.laz_chunks import check_chunks
from svgm.io.source import PathLike, as_path, file_error, file_errors, file_size

_LIBRARY = "laspy"
_CHUNK = 1_000_000
_MAX_RATIO = 1000
_DECODER_BYTES = 8 << 20
_STEPS = 2.0e9
_FINEST = 1e-9
# What laspy logs of a damaged file it raises as well: nothing goes to stderr unless a caller asks for logs.
logging.getLogger(_LIBRARY).addHandler(logging.NullHandler())


def read(path: PathLike) -> NDArray[np.float64]:
    """Read the scaled coordinates of all points.

    Parameters
    ----------
    path : str or os.PathLike
        A LAS file, or a LAZ file, its compressed form.

    Returns
    -------
    ndarray, shape (n, 3)
        The points.

    Raises
    ------
    FileError
        If laspy is missing, or the file is damaged, cut off or holds no points.
    """
    path = as_path(path)
    size = file_size(path)
    laspy = require(path, _LIBRARY)
    parts: list[NDArray[np.float64]] = []
    with file_errors(path, f"{_LIBRARY} cannot process it"), path.open("rb") as stream, np.errstate(all="ignore"):
        check_header(path, stream.read(HEADER_BYTES), size)
        stream.seek(0)
        # The parallel backend trusts the table of chunks and ends the whole process if that lies.
        reader = laspy.open(stream, closefd=False, laz_backend=laspy.LazBackend.Lazrs, read_evlrs=False)
        count, row_bytes = int(reader.header.point_count), int(reader.header.point_format.size)
        if count * row_bytes > size * (_MAX_RATIO if reader.header.are_points_compressed else 1):
            raise file_error(path, f"is cut off, {count} points of {row_bytes} bytes in a file of {size} bytes")
        if reader.header.are_points_compressed and count:
            _check_compressed(path, stream, reader.header, size)
            # The decoder ends the process where memory ends: what it takes must be there before it starts.
            np.empty(min(count, _CHUNK) * row_bytes + _DECODER_BYTES, dtype=np.uint8)
        for chunk in reader.chunk_iterator(_CHUNK):
            parts.append(np.column_stack([np.asarray(axis, dtype=np.float64) for axis in (chunk.x, chunk.y, chunk.z)]))
    points = np.concatenate(parts) if parts else np.empty((0, 3))
    if len(points) != count:
        raise file_error(path, f"is cut off, the header declares {count} points and {len(points)} are there")
    return checked_points(path, points)


def write(path: PathLike, points: ArrayLike) -> None:
    """Write points as LAS 1.4, or as LAZ if the suffix says so.

    The format stores whole multiples of a step. The step is a power of ten, the finest that spans the points but
    not below 1e-9: a cloud 1 km wide keeps micrometres.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace.
    points : array_like, shape (n, 3)
        Finite coordinates.

    Raises
    ------
    FileError
        If laspy is missing, the points cannot be written or the system refuses.
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
    header = laspy.LasHeader(point_format=6, version="1.4")
    header.scales = scales
    # Offsets on the grid of the step keep round coordinates round.
    header.offsets = np.round((low + span / 2) / scales) * scales
    las = laspy.LasData(header)
    content = BytesIO()
    with file_errors(path, f"{_LIBRARY} cannot process it"):
        las.x, las.y, las.z = array.T
        las.write(content, do_compress=path.suffix.lower() == ".laz")
    # Not by laspy, which does not say why a write failed.
    with atomic_write(path) as temporary:
        temporary.write_bytes(content.getbuffer())


def _check_compressed(path: Path, stream: BinaryIO, header: Any, size: int) -> None:
    """Hold the chunks against the file, and leave the stream where the points begin."""
    records = header.vlrs.get("LasZipVlr")
    if len(records) != 1:
        raise file_error(path, f"must have one record that tells its compression, it has {len(records)}")
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
    return max(_FINEST, 10.0 ** math.ceil(math.log10(extent / _STEPS))) if extent > 0 else _FINEST
