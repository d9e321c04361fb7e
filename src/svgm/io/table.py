"""Rows of decimal numbers, the body of every text format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svgm.checks.errors import FileError
from svgm.io.source import file_error, shown


def body_rows(path: Path, body: bytes, skip: int, count: int) -> list[bytes]:
    """Cut the wanted lines out of the body of an ASCII file.

    Parameters
    ----------
    path : Path
        The file, for messages.
    body : bytes
        Lines that end in LF; blank ones do not count.
    skip, count : int
        Lines to leave out, and lines to return. The caller has compared them with the size of the body.

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
        raise file_error(path, f"the body is cut off, the header declares {wanted} rows and {len(rows)} are there")
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
        One row each; empty ones are skipped. At least one is not empty.
    columns : int
        Numbers that each row must have.
    delimiter : str, optional
        What stands between two numbers; white space by default.
    use : sequence of int, optional
        Columns to parse; the others may hold anything. All by default.
    unit : str
        What messages call a row, followed by its index counted from 1.

    Returns
    -------
    ndarray, shape (n, columns) or (n, len(use))
        The numbers; NaN and infinities are let through.

    Raises
    ------
    FileError
        If a row has another number of columns or a token is not a number.
    """
    if use is not None:
        # With selected columns the parser would let rows of any length pass.
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
    """Raise for the first row that breaks a rule; only slow paths come here."""
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
    """Give parsed numbers the type their header declares, so that text and binary files read alike.

    Parameters
    ----------
    path : Path
        The file, for messages.
    name : str
        Name of the column, for messages.
    values : ndarray, shape (n,)
        As parsed.
    dtype : dtype
        As declared.

    Returns
    -------
    ndarray, shape (n,)
        Of the declared type.

    Raises
    ------
    FileError
        If the type is of whole numbers and a value is not one, or is out of its range.
    """
    if dtype.kind in "iu":
        limits = np.iinfo(dtype.str)
        # One past the largest is a power of two and exact as a float, which the largest of 64 bits is not.
        bad = ~((values >= limits.min) & (values < float(limits.max + 1)) & (values == np.floor(values)))
        if bad.any():
            first = int(np.argmax(bad))
            raise file_error(path, f"row {first + 1}, {name} = {values[first]!s} does not fit its type {dtype.name}")
    with np.errstate(over="ignore"):
        return values.astype(dtype)
