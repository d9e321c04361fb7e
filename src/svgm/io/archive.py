"""Archives of named arrays (.npz), without pickled objects and without trust in what they declare."""

from __future__ import annotations

import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svgm.io.atomic import atomic_write
from svgm.io.source import PathLike, as_path, file_error, file_errors, file_size, shown

#: An archive may unpack to so many times its size, or to this many bytes if that is more.
_MAX_RATIO = 1000
_SMALL = 1 << 20
_PROBLEM = "is not a readable npz archive"


def archive_names(path: PathLike) -> list[str]:
    """Names of the arrays in an archive."""
    path = as_path(path)
    file_size(path)
    with file_errors(path, _PROBLEM), path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
        return [member.filename.removesuffix(".npy") for member in archive.infolist()]


def read_archive(path: PathLike) -> dict[str, NDArray[Any]]:
    """All arrays of an archive by name; a damaged, hostile or pickled one is one FileError."""
    path = as_path(path)
    size = file_size(path)
    with file_errors(path, _PROBLEM):
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > max(_SMALL, _MAX_RATIO * size):
            raise file_error(
                path, f"must not unpack to more than {_MAX_RATIO} times its size, declares {unpacked} bytes"
            )
        with np.load(path, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
        # NumPy gives a member that does not begin as an array does as bytes.
        for name, array in found.items():
            if not isinstance(array, np.ndarray):
                raise file_error(path, f"{_PROBLEM} ({shown(name)} is no array)")
    return found


def write_archive(path: PathLike, **arrays: NDArray[Any]) -> None:
    """Write named arrays to a .npz file, whole or not at all."""
    path = as_path(path)
    if path.suffix.lower() != ".npz":
        raise file_error(path, "must end in .npz")
    with atomic_write(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)
