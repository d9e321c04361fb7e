"""The file a reader works on: its path, its bytes, and the one-line error that names it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from svgm.checks.arguments import shown as short
from svgm.checks.errors import FileError

PathLike: TypeAlias = "str | os.PathLike[str]"

_SHOWN = 40
_LONGEST = 200


def file_error(path: Path, message: str) -> FileError:
    """Make the error that names the file, kept to one short line whatever the file put into the message.

    Parameters
    ----------
    path : Path
        The file at fault.
    message : str
        The rule and the value that breaks it.

    Returns
    -------
    FileError
        To be raised by the caller.
    """
    return FileError(printable(" ".join(f"{_cut(str(path))}: {_cut(message)}".split())))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"


@contextmanager
def file_errors(path: Path, problem: str) -> Iterator[None]:
    """Turn whatever a block raises on a damaged file into one FileError; what it raises as FileError is kept.

    Parameters
    ----------
    path : Path
        The file that the block reads.
    problem : str
        What is wrong then, for the message; the error's own words follow it.

    Raises
    ------
    FileError
        In place of any error raised inside the block.
    """
    try:
        yield
    except (FileError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except MemoryError:
        raise file_error(path, "does not fit into memory") from None
    except BaseException as error:
        # BaseException: a panic of an extension written in Rust is not an Exception.
        if isinstance(error, OSError) and error.strerror:
            problem = "cannot be read"
        raise file_error(path, f"{problem} ({_reason(error) or type(error).__name__})") from error


def printable(text: str) -> str:
    r"""Text for a terminal, a log or a page: other characters (control codes, bytes that are no UTF-8) are escaped.

    >>> print(printable("caf\u00e9 \udcff \x1b[1m"))
    café \udcff \x1b[1m
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shown(value: object) -> str:
    """Quote a value from a file, cut to a readable length."""
    return short(value, _SHOWN + len("..."))


def as_path(path: PathLike) -> Path:
    """Turn an argument into a path.

    Parameters
    ----------
    path : str or os.PathLike
        The argument as the caller gave it.

    Returns
    -------
    Path
        The same place.

    Raises
    ------
    FileError
        If it is neither text nor a path.
    """
    try:
        return Path(path)
    except TypeError:
        raise FileError(f"a file is named by a str or a path, not by {shown(path)}") from None


def file_size(path: PathLike) -> int:
    """Size of a readable, regular, non-empty file in bytes.

    Parameters
    ----------
    path : str or os.PathLike
        The file.

    Returns
    -------
    int
        Bytes, at least 1.

    Raises
    ------
    FileError
        If the file is missing, a folder, a device or empty.
    """
    path = as_path(path)
    try:
        status = path.stat()
    except FileNotFoundError:
        raise file_error(path, "no such file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL inside the name
        raise file_error(path, f"cannot be opened ({_reason(error)})") from None
    if stat.S_ISDIR(status.st_mode):
        raise file_error(path, "is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        # A pipe or device has no size to hold a header's promises against.
        raise file_error(path, "is not a regular file")
    if status.st_size == 0:
        raise file_error(path, "is empty (0 bytes)")
    return status.st_size


def read_bytes(path: PathLike) -> bytes:
    """Read a whole file.

    Parameters
    ----------
    path : str or os.PathLike
        The file.

    Returns
    -------
    bytes
        Its content, at least one byte.

    Raises
    ------
    FileError
        As `file_size`, or if the file cannot be read.
    """
    path = as_path(path)
    file_size(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise file_error(path, f"cannot be read ({_reason(error)})") from None


def _reason(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
