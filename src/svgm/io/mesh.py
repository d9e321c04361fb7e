"""Mesh files: edges and faces in PLY, ``l`` and ``f`` lines in Wavefront OBJ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.array_checks import checked_points
from svgm.io.atomic import atomic_write
from svgm.io.errors import file_error
from svgm.io.paths import PathLike, as_path

MESH_SUFFIXES = (".ply", ".obj")
"""Suffixes of files that `write_mesh` writes."""

_COLOURS = ("red", "green", "blue")


def write_mesh(
    path: PathLike,
    vertices: ArrayLike,
    simplices: NDArray[np.int64],
    *,
    normals: NDArray[np.float64] | None = None,
    colours: NDArray[np.float64] | None = None,
) -> None:
    """Write a mesh to a file, atomically.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace: ``.ply`` (binary, double precision) or ``.obj`` (text with all digits).
    vertices : array_like, shape (n, 3) or (n, 2)
        Finite coordinates, n >= 1. OBJ has three coordinates, so for 2D vertices the third one is 0.
    simplices : ndarray, shape (m, d)
        Indices of vertices, 0 to n - 1: three for a triangle in 3D, two for a segment in 2D.

    normals : ndarray, shape (n, 3), optional
        Normals of the vertices.
    colours : ndarray, shape (n, 3), optional
        Colours of the vertices, from 0 to 1. In PLY they have 8 bits.

    Raises
    ------
    FileError
        If the suffix is another one, the vertices are not finite, or the operating system refuses the write.
    """
    path = as_path(path)
    suffix = path.suffix.lower()
    if suffix not in MESH_SUFFIXES:
        raise file_error(path, f"a mesh cannot be written as {suffix!r}, only as {' '.join(MESH_SUFFIXES)}")
    array = checked_points(path, vertices, dimensions=(2, 3))
    with atomic_write(path) as temporary:
        (_write_ply if suffix == ".ply" else _write_obj)(temporary, array, simplices, normals, colours)


def _write_ply(
    path: Path,
    vertices: NDArray[np.float64],
    simplices: NDArray[np.int64],
    normals: NDArray[np.float64] | None,
    colours: NDArray[np.float64] | None,
) -> None:
    d = vertices.shape[1]
    columns = {axis: vertices[:, k] for k, axis in enumerate("xyz"[:d])}
    columns |= {} if normals is None else {f"n{axis}": normals[:, k] for k, axis in enumerate("xyz")}
    table = np.empty(
        len(vertices), [(name, "<f8") for name in columns] + ([] if colours is None else [(c, "u1") for c in _COLOURS])
    )
    for name, column in columns.items():
        table[name] = column
    if colours is not None:
        for k, name in enumerate(_COLOURS):
            table[name] = np.round(255.0 * colours[:, k])
    kinds = {name: "double" if name in columns else "uchar" for name in table.dtype.names or ()}
    properties = "".join(f"property {kind} {name}\n" for name, kind in kinds.items())
    kind = "edge" if d == 2 else "face"
    indices = "property int vertex1\nproperty int vertex2\n" if d == 2 else "property list uchar int vertex_indices\n"
    header = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\n{properties}"
        f"element {kind} {len(simplices)}\n{indices}end_header\n"
    )
    row = np.dtype([("corners", "<i4", (d,))] if d == 2 else [("count", "u1"), ("corners", "<i4", (d,))])
    rows = np.zeros(len(simplices), row)
    rows["corners"] = simplices
    if d == 3:
        rows["count"] = 3
    with path.open("wb") as stream:
        stream.write(header.encode("ascii"))
        stream.write(table.tobytes())
        stream.write(rows.tobytes())


def _write_obj(
    path: Path,
    vertices: NDArray[np.float64],
    simplices: NDArray[np.int64],
    normals: NDArray[np.float64] | None,
    colours: NDArray[np.float64] | None,
) -> None:
    kind = "l" if vertices.shape[1] == 2 else "f"
    places = vertices if kind == "f" else np.column_stack([vertices, np.zeros(len(vertices))])
    rows = places if colours is None else np.column_stack([places, colours])
    corner = "{0}" if normals is None else "{0}//{0}"
    with path.open("w", encoding="ascii", newline="\n") as stream:
        stream.writelines(f"v {' '.join(map(repr, row))}\n" for row in rows.tolist())
        if normals is not None:
            stream.writelines(f"vn {' '.join(map(repr, row))}\n" for row in normals.tolist())
        for row in (simplices + 1).tolist():
            stream.write(f"{kind} {' '.join(corner.format(index) for index in row)}\n")
