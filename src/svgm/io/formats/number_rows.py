"""Rows of decimal numbers, which are the body of every text format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svgm.checks.errors import FileError
from svgm.io.errors import file_error, shown


def body_rows(path: Path, body: bytes, skip: int, count: int) -> list[bytes]:
    """Cut the wanted lines out of the body of an ASCII file.

    Parameters
    ----------
    path : Path
        The file, for messages.
    body : bytes
        Lines that end in LF. Blank lines are not counted.
    skip, count : int
        Number of lines to skip, and number of lines to return. The caller has checked that the body is large enough.

    Returns
    -------
    list of bytes
        `count` lines.

    Raises
    ------
    FileError
        If the body has fewer lines.
    """
    wanted = skip + count
    rows = body.split(b"\n", wanted)[:wanted]
    if not all(map(bytes.strip, rows)):
        rows = [row for row in body.split(b"\n") if row.strip()][:wanted]
    if len(rows) < wanted:
        raise file_error(path, f"the body is cut off, the header declares {wanted} rows, the body has {len(rows)}")
    return rows[skip:]


def parse_rows(
    path: Path,
    rows: Sequence[bytes] | Sequence[str],
    columns: int,
    delimiter: str | None = None,
    use: Sequence[int] | None = None,
    unit: str = "row",
) -> NDArray[np.float64]:
    """Parse rows of numbers.

    Parameters
    ----------
    path : Path
        The file, for messages.
    rows : sequence of bytes or of str
        The rows. Empty rows are skipped. At least one row is not empty.
    columns : int
        Number of columns that each row must have.
    delimiter : str, optional
        Character between two numbers. By default white space.
    use : sequence of int, optional
        Indices of the columns to parse. The other columns may hold anything. By default all columns are parsed.
    unit : str
        What a row is called in messages. Its number, counted from 1, follows.

    Returns
    -------
    ndarray, shape (n, columns) or (n, len(use))
        The numbers. They may be NaN or infinite.

    Raises
    ------
    FileError
        If a row has another number of columns or a token is not a number.
    """
    if use is not None:
        # With selected columns the parser would accept rows of any length.
        _find_fault(path, rows, columns, delimiter, use, unit)
    try:
        table: NDArray[np.float64] = np.loadtxt(
            rows, dtype=np.float64, comments=None, delimiter=delimiter, usecols=use, ndmin=2, encoding="latin-1"
        )
    except ValueError as error:
        _find_fault(path, rows, columns, delimiter, range(columns), unit)
        raise file_error(path, str(error)) from None
    if use is None and table.shape[1] != columns:
        _find_fault(path, rows, columns, delimiter, range(columns), unit)
        raise file_error(path, f"every {unit} must have {columns} columns, they have {table.shape[1]}")
    return table


def _find_fault(
    path: Path,
    rows: Sequence[bytes] | Sequence[str],
    columns: int,
    delimiter: str | None,
    use: Sequence[int],
    unit: str,
) -> None:
    """Raise an error for the first row that breaks a rule. This is slow, so it runs only when needed."""
    for index, row in enumerate(rows, start=1):
        text = row.decode("latin-1") if isinstance(row, bytes) else str(row)
        if not text.strip():
            continue
        tokens = text.split(delimiter)
        if len(tokens) != columns:
            raise file_error(path, f"{unit} {index} must have {columns} columns, it has {len(tokens)}")
        for column in use:
            try:
                float(tokens[column])
            except ValueError:
                raise _not_a_number(path, f"{unit} {index}", tokens[column]) from None


def _not_a_number(path: Path, where: str, token: str) -> FileError:
    return file_error(path, f"{where}, {shown(token)} is not a number")


def typed_column(
    path: Path, name: str, values: NDArray[np.float64], dtype: np.dtype[np.generic]
) -> NDArray[np.generic]:
    """Convert parsed numbers to the type that the header declares, so that text and binary files give equal numbers.

    Parameters
    ----------
    path : Path
        The file, for messages.
    name : str
        Name of the column, for messages.
    values : ndarray, shape (n,)
        The parsed numbers.
    dtype : dtype
        The declared type.

    Returns
    -------
    ndarray, shape (n,)
        The numbers in the declared type.

    Raises
    ------
    FileError
        If the type is an integer type and a value is not a whole number or is out of range.
    """
    if dtype.kind in "iu":
        limits = np.iinfo(dtype.str)
        # limits.max + 1 is a power of two, which a float holds exactly. limits.max of 64 bits is not exact as a float.
        bad = ~((values >= limits.min) & (values < float(limits.max + 1)) & (values == np.floor(values)))
        if bad.any():
            first = int(np.argmax(bad))
            raise file_error(path, f"row {first + 1}, {name} = {values[first]!s} does not fit its type {dtype.name}")
    with np.errstate(over="ignore"):
        return values.astype(dtype)
