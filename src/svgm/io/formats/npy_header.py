"""The header of a .npy file. It is parsed before the data, so that the declared sizes are checked first."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from svgm.io.errors import file_error, shown

HEADER_BYTES = 10_000
"""Largest header that is read, in bytes. The header of a plain array has 128."""

_MAGIC = b"\x93NUMPY"
_LENGTH_BYTES = {1: 2, 2: 4, 3: 4}
_REAL = re.compile(r"[<>|=](f[248]|[iu][1248])")


@dataclass(frozen=True)
class NpyHeader:
    """Type, shape, memory order and position of the data."""

    dtype: np.dtype[np.generic]
    shape: tuple[int, int]
    fortran_order: bool
    offset: int


def parse_header(path: Path, data: bytes, size: int) -> NpyHeader:
    """Parse the header and compare it with the size of the file.

    Parameters
    ----------
    path : Path
        The file, for messages.
    data : bytes
        At least the first `HEADER_BYTES` of the file.
    size : int
        Size of the whole file in bytes.

    Returns
    -------
    NpyHeader
        The header of a two-dimensional array of real numbers that fits into the file.

    Raises
    ------
    FileError
        If the header is damaged, the array is of another kind, or the file is cut off.
    """
    version = data[6] if len(data) > 8 else 0
    if not data.startswith(_MAGIC) or version not in _LENGTH_BYTES:
        raise file_error(path, f"is not a NumPy array file, it starts with {data[:8]!r}")
    start = 8 + _LENGTH_BYTES[version]
    offset = start + int.from_bytes(data[8:start], "little")
    if offset > min(HEADER_BYTES, len(data)):
        raise file_error(path, f"the header is cut off or too long, it declares {offset} bytes")
    try:
        fields = ast.literal_eval(data[start:offset].decode("latin-1").strip())
        descr, fortran, shape = fields["descr"], fields["fortran_order"], fields["shape"]
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        raise file_error(path, f"the header is damaged, {shown(data[start:offset])}") from None
    if isinstance(descr, str) and "O" in descr:
        raise file_error(path, "must hold plain numbers, it holds pickled Python objects")
    if not (isinstance(descr, str) and _REAL.fullmatch(descr)):
        raise file_error(path, f"must hold real numbers, the type is {shown(descr)}")
    if not (isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)) or type(fortran) is not bool:
        raise file_error(path, f"the header is damaged, shape {shown(shape)}, fortran_order {shown(fortran)}")
    if len(shape) != 2:
        raise file_error(path, f"points must be an (n, d) array, the shape is {shown(shape)}")
    dtype: np.dtype[np.generic] = np.dtype(descr)
    needed = shape[0] * shape[1] * dtype.itemsize
    if needed > size - offset:
        raise file_error(
            path, f"is cut off, the shape {shown(shape)} needs {needed} bytes, the file has {size - offset}"
        )
    return NpyHeader(dtype, (shape[0], shape[1]), fortran, offset)
