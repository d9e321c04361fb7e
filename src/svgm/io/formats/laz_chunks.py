"""The chunks of a LAZ file. Their sizes are checked before decoding, because the decoder allocates what they declare.

The points begin with the position of the table of chunks. The chunks follow, and then their table. A chunk begins with
its first point, uncompressed. If the compression is layered, the number of points of the chunk and the size of each
layer follow, and then the layers.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from svgm.io.errors import file_error

_LAYERED = 3
_ITEMS_AT = 34
#: Layers of an item, by its type: point, colours, colours with infrared, wave packet; extra bytes have one each.
_LAYERS = {10: 9, 11: 1, 12: 2, 13: 1}
_EXTRA_BYTES = 14
_VARIABLE = 0xFFFFFFFF


def check_chunks(
    path: Path, stream: BinaryIO, record: bytes, *, points_at: int, count: int, row_bytes: int, size: int
) -> None:
    """Raise an error if the declared chunks do not fit into the file.

    Parameters
    ----------
    path : Path
        The file, for messages.
    stream : binary file
        The open file.
    record : bytes
        The record of LASzip, which describes how the points are compressed.
    points_at : int
        Position of the first byte of the points.
    count, row_bytes : int
        Number of points, and size of a point in bytes.
    size : int
        Size of the whole file in bytes.

    Raises
    ------
    FileError
        If a count or a size contradicts the size of the file.
    """
    if len(record) < _ITEMS_AT:
        raise file_error(path, f"the record of its compression is cut off, it has {len(record)} bytes")
    compressor, chunk_points, item_count = (
        struct.unpack_from(kind, record, at)[0] for kind, at in (("<H", 0), ("<I", 12), ("<H", 32))
    )
    if len(record) < _ITEMS_AT + 6 * item_count:
        raise file_error(path, f"the record of its compression has no room for {item_count} items")
    items = [struct.unpack_from("<HH", record, _ITEMS_AT + 6 * k) for k in range(item_count)]
    if sum(bytes_ for _, bytes_ in items) != row_bytes:
        raise file_error(path, f"its compression declares another size of a point than {row_bytes} bytes")
    table_at, chunks = _table(path, stream, points_at, size)
    # A chunk takes at least one byte.
    if chunks > table_at - points_at or chunk_points == 0:
        raise file_error(path, f"declares {chunks} chunks of {chunk_points} points in {table_at - points_at} bytes")
    if chunk_points != _VARIABLE and chunks * chunk_points < count:
        raise file_error(path, f"is cut off, {count} points in {chunks} chunks of {chunk_points}")
    if compressor == _LAYERED:
        layers = sum(bytes_ if kind == _EXTRA_BYTES else _LAYERS.get(kind, 0) for kind, bytes_ in items)
        _walk(path, stream, points_at + 8, table_at, chunks, row_bytes, layers)


def _table(path: Path, stream: BinaryIO, points_at: int, size: int) -> tuple[int, int]:
    """The position of the table of chunks, and the number of chunks that it declares."""
    stream.seek(points_at)
    (table_at,) = struct.unpack("<q", stream.read(8).ljust(8, b"\0"))
    if table_at == -1:
        # A writer that could not go back in the file wrote the position at the end.
        stream.seek(size - 8)
        (table_at,) = struct.unpack("<q", stream.read(8).ljust(8, b"\0"))
    if not points_at + 8 <= table_at <= size - 8:
        raise file_error(
            path, f"its table of chunks must lie between {points_at + 8} and {size - 8}, not at {table_at}"
        )
    stream.seek(table_at + 4)
    return table_at, int.from_bytes(stream.read(4), "little")


def _walk(path: Path, stream: BinaryIO, start: int, end: int, chunks: int, row_bytes: int, layers: int) -> None:
    for chunk in range(chunks):
        stream.seek(start + row_bytes + 4)
        sizes = stream.read(4 * layers)
        start += row_bytes + 4 + 4 * layers
        start += sum(struct.unpack(f"<{len(sizes) // 4}I", sizes[: len(sizes) // 4 * 4]))
        if start > end:
            raise file_error(path, f"is damaged, chunk {chunk} of {chunks} ends at {start}, the points at {end}")
