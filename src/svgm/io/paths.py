"""The path of a file as a caller gives it, and the size and the bytes of the file there."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TypeAlias

from svgm.checks.errors import FileError
from svgm.io.errors import file_error, reason, shown

PathLike: TypeAlias = "str | os.PathLike[str]"


def as_path(path: PathLike) -> Path:
    """Turn an argument into a path.

    Parameters
    ----------
    path : str or os.PathLike
        The argument as the caller gave it.

    Returns
    -------
    Path
        The same path.

    Raises
    ------
    FileError
        If the argument is neither text nor a path.
    """
    try:
        return Path(path)
    except TypeError:
        raise FileError(f"the path of a file must be a str or an os.PathLike, got {shown(path)}") from None


def file_size(path: PathLike) -> int:
    """Size in bytes of a regular file that is not empty.

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
        If the file is missing, empty, a folder or a device.
    """
    path = as_path(path)
    try:
        status = path.stat()
    except FileNotFoundError:
        raise file_error(path, "no such file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL inside the name
        raise file_error(path, f"cannot be opened ({reason(error)})") from None
    if stat.S_ISDIR(status.st_mode):
        raise file_error(path, "is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        # The counts in a header are compared with the size of the file, and a pipe or a device has no size.
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
        If the file is missing, empty, a folder or a device, or cannot be read.
    """
    path = as_path(path)
    file_size(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise file_error(path, f"cannot be read ({reason(error)})") from None
