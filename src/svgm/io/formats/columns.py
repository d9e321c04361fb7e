"""Columns beside the coordinates: checked before they are written, and colours in the bits of a format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svgm.io.cloud import Column, shares
from svgm.io.errors import file_error, shown


def as_column(path: Path, name: str, values: Column, count: int) -> Column:
    """A column that can be written: so many numbers, and a name of printable characters without spaces.

    Parameters
    ----------
    path : Path
        The file that is written, for the message.
    name : str
        The name of the column.
    values : ndarray
        Whole numbers or floats.
    count : int
        Number of points.

    Returns
    -------
    ndarray, shape (n,)
        The column in its type, or as float64 for a float of another size.

    Raises
    ------
    FileError
        If the column is something else.
    """
    column = np.asarray(values)
    numbers = column.dtype.kind in "iuf" and column.shape == (count,)
    if not numbers or not isinstance(name, str) or not re.fullmatch(r"[!-~]+", name):
        raise file_error(path, f"the column {shown(name)} must be {count} numbers and have a name without spaces")
    return column.astype(np.float64) if column.dtype.kind == "f" and column.dtype.itemsize not in (4, 8) else column


def in_bits(colours: Sequence[Column], bits: int) -> list[NDArray[np.uint8] | NDArray[np.uint16]]:
    """Red, green and blue as whole numbers of 8 or 16 bits.

    Parameters
    ----------
    colours : sequence of ndarray
        Three columns: of 8 bits, of 16 bits, floats up to 1, or other numbers (8 bits if none is above 255).
    bits : {8, 16}
        The bits of the format.

    Returns
    -------
    list of ndarray
        The three columns.

    Examples
    --------
    >>> import numpy as np
    >>> in_bits([np.array([0.0, 1.0])] * 3, 8)[0], in_bits([np.array([7], np.uint8)] * 3, 16)[0]
    (array([  0, 255], dtype=uint8), array([1799], dtype=uint16))
    """
    full, kind = 2**bits - 1, np.dtype(f"u{bits // 8}")
    if all(column.dtype == kind for column in colours):
        return list(colours)  # type: ignore[arg-type]
    return [np.round(share * full).astype(kind) for share in shares(colours).T]
