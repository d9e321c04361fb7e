"""STL files (.stl), through trimesh."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from svgm.io.checks import checked_points
from svgm.io.extras import require
from svgm.io.source import PathLike, as_path, file_error, file_errors, read_bytes

_LIBRARY = "trimesh"
_HEAD_BYTES = 84
_FACE_BYTES = 50


def read(path: PathLike) -> NDArray[np.float64]:
    """Read the corners of the triangles, each place once, in the order of the file.

    Parameters
    ----------
    path : str or os.PathLike
        An STL file, binary or ASCII.

    Returns
    -------
    ndarray, shape (n, 3)
        The vertices.

    Raises
    ------
    FileError
        If trimesh is missing, or the file is damaged, cut off or holds no points.
    """
    path = as_path(path)
    data = read_bytes(path)
    trimesh = require(path, _LIBRARY)
    if data.lstrip()[:5].lower() != b"solid":
        # Binary: 80 bytes of anything, the number of triangles, the triangles.
        faces = int.from_bytes(data[80:_HEAD_BYTES], "little")
        if len(data) < _HEAD_BYTES + _FACE_BYTES * faces:
            raise file_error(path, f"is cut off, {faces} triangles do not fit into {len(data)} bytes")
    with file_errors(path, f"{_LIBRARY} cannot process it"):
        mesh = trimesh.load_mesh(BytesIO(data), file_type="stl", process=False)
        vertices = np.asarray(mesh.vertices, dtype=np.float64).reshape(-1, 3)
    # Each triangle brings three corners of its own; the shared ones would count several times.
    _, first = np.unique(vertices, axis=0, return_index=True)
    return checked_points(path, vertices[np.sort(first)])
