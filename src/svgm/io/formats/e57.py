"""E57 files (.e57), through pye57."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svgm.io.array_checks import checked_points
from svgm.io.errors import file_error, file_errors
from svgm.io.formats.optional_library import require
from svgm.io.paths import PathLike, as_path, file_size

_LIBRARY = "pye57"
_AXES = ("cartesianX", "cartesianY", "cartesianZ")
#: Points that one byte can hold, at most: a point takes at least one bit.
_MOST_POINTS_PER_BYTE = 8


def read(path: PathLike) -> NDArray[np.float64]:
    """Read all scans, moved into global coordinates by their poses, one after another.

    Points that a scan marks as invalid are left out.

    Parameters
    ----------
    path : str or os.PathLike
        An E57 file.

    Returns
    -------
    ndarray, shape (n, 3)
        The points.

    Raises
    ------
    FileError
        If pye57 is not installed, or if the file is missing, damaged or cut off or holds no points.
    """
    path = as_path(path)
    size = file_size(path)
    pye57 = require(path, _LIBRARY)
    scans: list[NDArray[np.float64]] = []
    with file_errors(path, f"{_LIBRARY} cannot process it"), _named_in_text(path) as name:
        archive = pye57.E57(name)
        archive.make_buffers = _filled(archive.make_buffers)
        try:
            headers = [archive.get_header(index) for index in range(archive.scan_count)]
            count = sum(int(header.point_count) for header in headers)
            if count > _MOST_POINTS_PER_BYTE * size:
                raise file_error(path, f"declares {count} points in a file of {size} bytes")
            for index, header in enumerate(headers):
                if header.point_count > 0:
                    scan = archive.read_scan(index, ignore_missing_fields=True, transform=True)
                    scans.append(np.column_stack([np.asarray(scan[axis], dtype=np.float64) for axis in _AXES]))
        finally:
            archive.close()
    return checked_points(path, np.concatenate(scans) if scans else np.empty((0, 3)))


def _filled(make_buffers: Callable[..., Any]) -> Callable[..., Any]:
    """Fill the buffers with NaN. pye57 does not tell how many points it read, and unread points would be random."""

    def filled(*args: Any) -> Any:
        data, buffers = make_buffers(*args)
        for array in data.values():
            array.fill(np.nan if array.dtype.kind == "f" else 0)
        return data, buffers

    return filled


@contextmanager
def _named_in_text(path: Path) -> Iterator[str]:
    """A path of the file that is valid UTF-8, which pye57 needs: its own path, or that of a symbolic link."""
    if str(path).isprintable():
        yield str(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder, "link.e57")
        link.symlink_to(path.absolute())
        yield str(link)
