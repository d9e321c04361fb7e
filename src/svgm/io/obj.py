"""Wavefront OBJ files (.obj): the ``v`` lines."""

from __future__ import annotations

from collections.abc import Iterator

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
        An OBJ file. A weight or a colour behind the coordinates, which not all need have, is left out.

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
    words = (line.split(None, 1) for line in _lines(data))
    # A bare "v" is kept as an empty marker, so that it is refused and not skipped.
    rows = [pair[1] if len(pair) > 1 else b"v" for pair in words if pair[:1] == [b"v"]]
    if not rows:
        raise file_error(path, "holds no points")
    widths = [len(row.split()) for row in rows]
    bad = next((number for number, width in enumerate(widths) if width not in _WIDTHS), None)
    if bad is not None:
        vertex = shown(rows[bad].decode("latin-1"))
        raise file_error(path, f"vertex {bad + 1} must have 3 coordinates, it is {vertex}")
    columns = min(widths)
    if columns < max(widths):
        # Only some vertices have a colour.
        columns, rows = 3, [b" ".join(row.split()[:3]) for row in rows]
    return checked_points(path, parse_rows(path, rows, columns, unit="vertex")[:, :3])


def _lines(data: bytes) -> Iterator[bytes]:
    """Lines without comments; one that ends in a backslash goes on in the next."""
    parts: list[bytes] = []
    for line in data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        parts.append(line.split(b"#", 1)[0])
        if parts[-1].endswith(b"\\"):
            parts[-1] = parts[-1][:-1]
            continue
        yield b" ".join(parts)
        parts = []
    yield b" ".join(parts)
