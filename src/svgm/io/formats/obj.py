"""Wavefront OBJ files (.obj): the ``v`` lines."""

from __future__ import annotations

from collections.abc import Iterator

from svgm.io.cloud import COLOURS, PointCloud
from svgm.io.errors import file_error, shown
from svgm.io.formats.number_rows import parse_rows
from svgm.io.paths import PathLike, as_path, read_bytes

_WIDTHS = (3, 4, 6, 7)


def load(path: PathLike, columns: bool = True) -> PointCloud:
    """Read the vertices in the order of the file, whether or not a face uses them.

    Parameters
    ----------
    path : str or os.PathLike
        An OBJ file. Weights after the coordinates are ignored.
    columns : bool, default True
        Whether colours after the coordinates are read; all vertices must have one.

    Returns
    -------
    PointCloud
        The vertices. They are not checked.

    Raises
    ------
    FileError
        If the file is missing or holds no vertices, or if a vertex does not have three coordinates.
    """
    path = as_path(path)
    data = read_bytes(path)
    nul = data.find(b"\0")
    if nul >= 0:
        raise file_error(path, f"is not a text file, byte {nul} is NUL")
    words = (line.split(None, 1) for line in _lines(data))
    # A line with "v" alone is kept, so that it is an error and is not skipped.
    rows = [pair[1] if len(pair) > 1 else b"v" for pair in words if pair[:1] == [b"v"]]
    if not rows:
        raise file_error(path, "holds no points")
    widths = [len(row.split()) for row in rows]
    bad = next((number for number, width in enumerate(widths) if width not in _WIDTHS), None)
    if bad is not None:
        vertex = shown(rows[bad].decode("latin-1"))
        raise file_error(path, f"vertex {bad + 1} must have 3 coordinates, it is {vertex}")
    width = min(widths)
    if width < max(widths):
        # Only some vertices have a colour.
        width, rows = 3, [b" ".join(row.split()[:3]) for row in rows]
    table = parse_rows(path, rows, width, unit="vertex")
    # Seven numbers are a weight and a colour.
    colours = dict(zip(COLOURS, table[:, width - 3 :].T, strict=True)) if columns and width >= 6 else {}
    return PointCloud(table[:, :3], colours)


def _lines(data: bytes) -> Iterator[bytes]:
    """Lines without comments. A line that ends in a backslash continues on the next line."""
    parts: list[bytes] = []
    for line in data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        parts.append(line.split(b"#", 1)[0])
        if parts[-1].endswith(b"\\"):
            parts[-1] = parts[-1][:-1]
            continue
        yield b" ".join(parts)
        parts = []
    yield b" ".join(parts)
