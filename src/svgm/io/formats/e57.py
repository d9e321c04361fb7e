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
from svgm.io.cloud import Column, PointCloud
from svgm.io.errors import file_error, file_errors
from svgm.io.formats.optional_library import require
from svgm.io.paths import PathLike, as_path, file_size

_LIBRARY = "pye57"
_AXES = ("cartesianX", "cartesianY", "cartesianZ")
_COLUMNS = {"intensity": "intensity", "red": "colorRed", "green": "colorGreen", "blue": "colorBlue"}
#: Points that one byte can hold, at most: a point takes at least one bit.
_MOST_POINTS_PER_BYTE = 8


def load(path: PathLike, columns: bool = True) -> PointCloud:
    """Read all scans, moved into global coordinates by their poses, one after another.

    Points that a scan marks as invalid are left out.

    Parameters
    ----------
    path : str or os.PathLike
        An E57 file.
    columns : bool, default True
        Whether intensities and colours are read; all scans must have them.

    Returns
    -------
    PointCloud
        The points. The viewpoint is the origin of the scan, if there is one scan with a pose.

    Raises
    ------
    FileError
        If pye57 is not installed, or if the file is missing, damaged or cut off or holds no points.
    """
    path = as_path(path)
    size = file_size(path)
    pye57 = require(path, _LIBRARY)
    scans: list[NDArray[np.float64]] = []
    more: list[dict[str, Column]] = []
    viewpoint = None
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
                    asked = {"intensity": columns, "colors": columns}
                    scan = archive.read_scan(index, ignore_missing_fields=True, transform=True, **asked)
                    more.append({name: np.asarray(scan[theirs]) for name, theirs in _COLUMNS.items() if theirs in scan})
                    scans.append(np.column_stack([np.asarray(scan[axis], dtype=np.float64) for axis in _AXES]))
            if len(headers) == 1 and headers[0].has_pose():
                viewpoint = np.array(headers[0].translation, dtype=np.float64)
        finally:
            archive.close()
    # Here, and not where other formats are checked: NaN stands for points that are declared and not there.
    points = checked_points(path, np.concatenate(scans) if scans else np.empty((0, 3)))
    shared = [name for name in _COLUMNS if more and all(name in scan for scan in more)]
    found = {name: np.concatenate([scan[name] for scan in more]) for name in shared}
    if viewpoint is not None and not np.isfinite(viewpoint).all():
        viewpoint = None
    return PointCloud(points, {name: column for name, column in found.items() if len(column) == len(points)}, viewpoint)


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
