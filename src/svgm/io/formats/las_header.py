"""The counts in a LAS header, compared with the size of the file before laspy uses them."""

from __future__ import annotations

import struct
from pathlib import Path

from svgm.io.errors import file_error

HEADER_BYTES = 375
"""Size of the longest public header, that of version 1.4."""

_SHORTEST = 227
_RECORD_BYTES = 54
_EXTENDED_RECORD_BYTES = 60


def check_header(path: Path, head: bytes, size: int) -> None:
    """Raise an error if the header declares more records than fit into the file. laspy would read them for hours.

    Parameters
    ----------
    path : Path
        The file, for messages.
    head : bytes
        The first `HEADER_BYTES` bytes of the file, or all bytes if the file is shorter.
    size : int
        Size of the whole file in bytes.

    Raises
    ------
    FileError
        If the file is not a LAS file, or if its header contradicts its size.
    """
    if not head.startswith(b"LASF"):
        raise file_error(path, f"a LAS file must start with 'LASF', it starts with {head[:4]!r}")
    if len(head) < _SHORTEST:
        raise file_error(path, f"the header is cut off, it has {len(head)} bytes")
    header_bytes, points_at, records = struct.unpack_from("<HII", head, 94)
    if not _SHORTEST <= header_bytes <= points_at <= size:
        raise file_error(
            path, f"the points must start between the header and the end {size}, they start at {points_at}"
        )
    if records * _RECORD_BYTES > points_at - header_bytes:
        raise file_error(path, f"{records} variable length records do not fit before the points at byte {points_at}")
    if header_bytes >= HEADER_BYTES and len(head) >= HEADER_BYTES:
        start, extended = struct.unpack_from("<QI", head, 235)
        if extended and start + extended * _EXTENDED_RECORD_BYTES > size:
            raise file_error(path, f"{extended} extended records at {start} do not fit into {size} bytes")
