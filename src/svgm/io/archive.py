"""Archives of named arrays (.npz). Pickled objects are refused, and declared sizes are checked before unpacking."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svgm.io.atomic import atomic_write
from svgm.io.errors import file_error, file_errors, shown
from svgm.io.paths import PathLike, as_path, file_size

#: An archive may unpack to this many times its size, or to `_ALWAYS_ALLOWED` bytes if that is more.
_MOST_EXPANSION = 1000
_ALWAYS_ALLOWED = 1 << 20
_PROBLEM = "is not a readable npz archive"


def archive_names(path: PathLike) -> list[str]:
    """The names of the arrays in an archive. Raises a FileError if the file is no readable archive."""
    path = as_path(path)
    file_size(path)
    with file_errors(path, _PROBLEM), path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
        return [member.filename.removesuffix(".npy") for member in archive.infolist()]


def read_archive(path: PathLike) -> dict[str, NDArray[Any]]:
    """All arrays of an archive by name. Raises a FileError if the archive is damaged or holds pickled objects."""
    path = as_path(path)
    size = file_size(path)
    with file_errors(path, _PROBLEM):
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > max(_ALWAYS_ALLOWED, _MOST_EXPANSION * size):
            raise file_error(
                path, f"must not unpack to more than {_MOST_EXPANSION} times its size, declares {unpacked} bytes"
            )
        with np.load(path, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
        # NumPy returns a member that is no array as bytes.
        for name, array in found.items():
            if not isinstance(array, np.ndarray):
                raise file_error(path, f"{_PROBLEM} ({shown(name)} is not an array)")
    return found


def write_archive(path: PathLike, **arrays: NDArray[Any]) -> None:
    """Write named arrays to a .npz file, atomically. Raises a FileError if the file cannot be written."""
    path = as_path(path)
    if path.suffix.lower() != ".npz":
        raise file_error(path, "must end in .npz")
    if any(np.asarray(array).dtype.hasobject for array in arrays.values()):
        raise file_error(path, "holds no Python objects, which would need pickle")
    with atomic_write(path) as temporary, temporary.open("wb") as stream:
        # Only newer versions of NumPy have the option allow_pickle: to older ones it would be one more array.
        save: Callable[..., None] = np.savez_compressed
        save(stream, **arrays)
