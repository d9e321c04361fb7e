"""NumPy files (.npy .npz)."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from svgm.io.array_checks import checked_points
from svgm.io.atomic import atomic_write
from svgm.io.cloud import PointCloud
from svgm.io.errors import file_error, file_errors, shown
from svgm.io.formats.npy_header import HEADER_BYTES, parse_header
from svgm.io.paths import PathLike, as_path, file_size, read_bytes

#: A member of an archive may unpack to this many times the size of the archive, at most.
_MOST_EXPANSION = 1000
_KEY = "points"


def load(path: PathLike, columns: bool = True) -> PointCloud:
    """Read an array of points.

    Parameters
    ----------
    path : str or os.PathLike
        A ``.npy`` file, or a ``.npz`` archive with an array "points" or with one array only. Pickled objects are
        refused.
    columns : bool, default True
        There are none in these files.

    Returns
    -------
    PointCloud
        The points. They are not checked.

    Raises
    ------
    FileError
        If the file is missing or damaged, or if the array is not a two-dimensional array of real numbers.
    """
    path = as_path(path)
    data = _read_member(path) if path.suffix.lower() == ".npz" else read_bytes(path)
    header = parse_header(path, data, len(data))
    flat = np.frombuffer(data, header.dtype, count=header.shape[0] * header.shape[1], offset=header.offset)
    points = flat.reshape(header.shape, order="F" if header.fortran_order else "C")
    # The buffer of the file is read-only, so the points are copied.
    return PointCloud(points.copy() if points.dtype.kind != "f" else points.astype(np.float64))


def write(path: PathLike, points: ArrayLike) -> None:
    """Write points as float64.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace: ``.npy``, or ``.npz`` with the key "points".
    points : array_like, shape (n, d)
        Finite coordinates, any d >= 1.

    Raises
    ------
    FileError
        If the points are not finite numbers of this shape, or if the operating system refuses the write.
    """
    path = as_path(path)
    array = checked_points(path, points)
    # With an open stream NumPy does not add a suffix of its own to a name such as A.NPZ.
    with atomic_write(path) as temporary, temporary.open("wb") as stream:
        if path.suffix.lower() == ".npz":
            np.savez_compressed(stream, points=array)
        else:
            # np.save is not used because its errors do not say why a write failed.
            np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(array))
            stream.write(array.data)


def _read_member(path: Path) -> bytes:
    """Unpack the .npy file inside the archive, after a check of its declared size."""
    size = file_size(path)
    # For a damaged archive zipfile and its decompressors raise many unrelated types of errors.
    problem = "is not a readable npz archive"
    with file_errors(path, problem), path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
        member = _choose(path, archive)
        if member.file_size > _MOST_EXPANSION * size:
            ratio = f"{member.file_size} bytes in a file of {size}"
            raise file_error(path, f"must not unpack to more than {_MOST_EXPANSION} times its size, declares {ratio}")
        with archive.open(member) as packed:
            # The header of the array is compared with the declared size before the rest is unpacked.
            head = packed.read(HEADER_BYTES)
            parse_header(path, head, member.file_size)
            return head + packed.read(member.file_size - len(head) if member.file_size > len(head) else 0)


def _choose(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = archive.infolist()
    chosen = [member for member in members if member.filename == f"{_KEY}.npy"] or members
    if len(chosen) != 1:
        names = ", ".join(member.filename.removesuffix(".npy") for member in members) or "none"
        raise file_error(path, f"must have an array '{_KEY}' or one array only, it has {shown(names)}")
    return chosen[0]
