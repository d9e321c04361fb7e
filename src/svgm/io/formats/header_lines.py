"""The lines of a text header before a body, as in PLY and PCD files."""

from __future__ import annotations

from pathlib import Path

from svgm.io.errors import file_error, shown

HEADER_LIMIT = 1 << 20
"""Largest size of a header in bytes. Usual headers have a few hundred."""

_COUNT_DIGITS = 18


def split_header(path: Path, data: bytes, last: str) -> tuple[list[str], int]:
    """Split a file into the lines of its header and its body.

    Parameters
    ----------
    path : Path
        The file, for messages.
    data : bytes
        The whole file. Lines end in LF or CR LF. If the first line ends in a lone CR, all lines do.
    last : str
        First word of the line that ends the header.

    Returns
    -------
    lines : list of str
        The lines of the header without their ends, including the last one.
    offset : int
        Position of the first byte of the body.

    Raises
    ------
    FileError
        If the last line is missing or the header is longer than `HEADER_LIMIT`.
    """
    end_of_line = line_end(data)
    lines: list[str] = []
    start = 0
    while True:
        stop = data.find(end_of_line, start, HEADER_LIMIT)
        if stop < 0:
            break
        # Comments may hold any bytes; Latin-1 maps each to one character and never fails.
        lines.append(data[start:stop].decode("latin-1").strip())
        start = stop + 1
        if lines[-1].split(maxsplit=1)[:1] == [last]:
            return lines, start
    if len(data) > HEADER_LIMIT:
        raise file_error(path, f"the header must end within {HEADER_LIMIT} bytes, it has no '{last}' line")
    raise file_error(path, f"the header is cut off, there is no '{last}' line in {len(data)} bytes")


def line_end(data: bytes) -> bytes:
    r"""The byte that ends a line: ``\n`` (perhaps after ``\r``), or a lone ``\r`` in files of old systems."""
    carriage = data.find(b"\r", 0, HEADER_LIMIT)
    newline = data.find(b"\n", 0, HEADER_LIMIT)
    lone = carriage >= 0 and carriage + 1 != newline and (newline < 0 or carriage < newline)
    return b"\r" if lone else b"\n"


def parse_count(path: Path, what: str, token: str) -> int:
    """Parse a count in a header.

    Parameters
    ----------
    path : Path
        The file, for messages.
    what : str
        What is counted, for the message, such as "element vertex".
    token : str
        The digits.

    Returns
    -------
    int
        At least 0.

    Raises
    ------
    FileError
        If the token is not a whole number, is negative or has more than 18 digits.
    """
    if not (token.isascii() and token.isdigit() and len(token) <= _COUNT_DIGITS):
        raise file_error(path, f"the count of {what} must be a whole number of at least 0, it is {shown(token)}")
    return int(token)
