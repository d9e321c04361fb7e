"""STL files (.stl), through trimesh."""

from __future__ import annotations

from io import BytesIO

import numpy as np

from svgm.io.cloud import PointCloud
from svgm.io.errors import file_error, file_errors
from svgm.io.formats.optional_library import require
from svgm.io.paths import PathLike, as_path, read_bytes

_LIBRARY = "trimesh"
_HEAD_BYTES = 84
_FACE_BYTES = 50


def load(path: PathLike, columns: bool = True) -> PointCloud:
    """Read the corners of the triangles in the order of the file, without duplicates.

    Parameters
    ----------
    path : str or os.PathLike
        An STL file, binary or ASCII.
    columns : bool, default True
        There are none in these files.

    Returns
    -------
    PointCloud
        The vertices. They are not checked.

    Raises
    ------
    FileError
        If trimesh is not installed, or if the file is missing, damaged or cut off or holds no points.
    """
    path = as_path(path)
    data = read_bytes(path)
    trimesh = require(path, _LIBRARY)
    if data.lstrip()[:5].lower() != b"solid":
        # A binary file has 80 free bytes, the number of triangles, and the triangles.
        faces = int.from_bytes(data[80:_HEAD_BYTES], "little")
        if len(data) < _HEAD_BYTES + _FACE_BYTES * faces:
            raise file_error(path, f"is cut off, {faces} triangles do not fit into {len(data)} bytes")
    with file_errors(path, f"{_LIBRARY} cannot process it"):
        mesh = trimesh.load_mesh(BytesIO(data), file_type="stl", process=False)
        vertices = np.asarray(mesh.vertices, dtype=np.float64).reshape(-1, 3)
    # The file lists three corners for each triangle, so a corner that triangles share is listed several times.
    _, first = np.unique(vertices, axis=0, return_index=True)
    return PointCloud(vertices[np.sort(first)])
