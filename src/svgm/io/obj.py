"""Wavefront OBJ files (.obj): the ``v`` lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svgm.io.checks import checked_points
from svgm.io.source import PathLike, as_path, file_error, read_bytes, shown
from svgm.io.table import parse_rows

_WIDTHS = (3, 4, 6, 7)


def read(path: PathLike) -> NDArray[np.float64]:
    """Read the vertices in the order of the file, whether or not a face uses them.

    Parameters
    ----------
    path : str or os.PathLike
        An OBJ file. A weight or a colour behind the coordinates is left out.

    Returns
    -------
    ndarray, shape (n, 3)
        The vertices.

    Raises
    ------
    FileError
        If the file holds no vertices, or one of them has no three finite coordinates.
    """
    path = as_path(path)
    data = read_bytes(path)
    nul = data.find(b"\0")
    if nul >= 0:
        raise file_error(path, f"is not a text file, byte {nul} is NUL")
    lines = (line.split(b"#", 1)[0].split(None, 1) for line in data.replace(b"\r", b"\n").split(b"\n"))
    # A bare "v" is kept as an empty marker, so that it is refused and not skipped.
    rows = [words[1] if len(words) > 1 else b"v" for words in lines if words[:1] == [b"v"]]
    if not rows:
        raise file_error(path, "holds no points")
    columns = len(rows[0].split())
    if columns not in _WIDTHS:
        raise file_error(path, f"a vertex must have 3 coordinates, the first is {shown(rows[0].decode('latin-1'))}")
    return checked_points(path, parse_rows(path, rows, columns, unit="vertex")[:, :3])
