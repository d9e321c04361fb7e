"""Text headers in front of a body, as PLY and PCD have them."""

from __future__ import annotations

from pathlib import Path

from svgm.io.source import file_error, shown

HEADER_LIMIT = 1 << 20
"""Longest header in bytes; a real one has a few hundred."""

_COUNT_DIGITS = 18


def split_header(path: Path, data: bytes, last: str) -> tuple[list[str], int]:
    """Split the header lines from the body.

    Parameters
    ----------
    path : Path
        The file, for messages.
    data : bytes
        The whole file. Lines end in LF, CR LF, or, if the first line does, in a lone CR.
    last : str
        First word of the line that ends the header.

    Returns
    -------
    lines : list of str
        Header lines without line ends, the last one included.
    offset : int
        Where the body starts.

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
        raise file_error(path, f"the header must end within {HEADER_LIMIT} bytes, no '{last}' line is there")
    raise file_error(path, f"the header is cut off, no '{last}' line in {len(data)} bytes")


def line_end(data: bytes) -> bytes:
    r"""Tell the byte that ends lines: ``\n`` (perhaps after ``\r``), or ``\r`` alone in files of old systems."""
    carriage = data.find(b"\r", 0, HEADER_LIMIT)
    newline = data.find(b"\n", 0, HEADER_LIMIT)
    lone = carriage >= 0 and carriage + 1 != newline and (newline < 0 or carriage < newline)
    return b"\r" if lone else b"\n"


def parse_count(path: Path, what: str, token: str) -> int:
    """Read a count from a header.

    Parameters
    ----------
    path : Path
        The file, for messages.
    what : str
        What is counted, as in "element vertex".
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
