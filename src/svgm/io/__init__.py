"""Point sets from and to files; the suffix tells the format.

| suffix                   | format                           | writes |
|--------------------------|----------------------------------|--------|
| .ply                     | PLY, ASCII or binary             | yes    |
| .pcd                     | PCD, ASCII, binary or compressed | yes    |
| .xyz .txt .csv .asc .pts | columns of text                  | yes    |
| .npy .npz                | NumPy                            | yes    |
| .las .laz                | LAS through laspy                | yes    |
| .e57                     | E57 through pye57                | no     |
| .obj                     | Wavefront OBJ                    | no     |
| .stl                     | STL through trimesh              | no     |
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.atomic import atomic_write
from svgm.io.source import PathLike, as_path, file_error, file_errors

__all__ = ["READABLE", "WRITABLE", "atomic_write", "read_points", "read_properties", "write_points"]

_MODULES = {
    ".ply": "ply",
    ".pcd": "pcd",
    ".xyz": "text",
    ".txt": "text",
    ".csv": "text",
    ".asc": "text",
    ".pts": "text",
    ".npy": "npy",
    ".npz": "npy",
    ".las": "las",
    ".laz": "las",
    ".e57": "e57",
    ".obj": "obj",
    ".stl": "stl",
}

READABLE = tuple(_MODULES)
"""Suffixes that `read_points` knows."""

WRITABLE = tuple(suffix for suffix, module in _MODULES.items() if module not in ("e57", "obj", "stl"))
"""Suffixes that `write_points` knows."""


def read_points(path: PathLike) -> NDArray[np.float64]:
    """Read a point set from a file.

    Parameters
    ----------
    path : str or os.PathLike
        The file; its suffix, in upper or lower case, tells the format.

    Returns
    -------
    ndarray, shape (n, d)
        The points in the order of the file: float64, C-contiguous, finite, n at least 1. d is 2 or 3; NumPy files
        may have another. PCD files drop points with a NaN coordinate, which is their mark for "no measurement";
        in every other format NaN is an error.

    Raises
    ------
    FileError
        If the file is missing, damaged, cut off or of an unknown format, holds no points, or holds a coordinate that
        is not finite. The message is one line; nothing is ever read in part.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "triangle.csv"
    ...     _ = path.write_text("x,y\\n0,0\\n1,0\\n0,1\\n")
    ...     read_points(path)
    array([[0., 0.],
           [1., 0.],
           [0., 1.]])
    >>> ".csv" in READABLE
    True
    """
    path = as_path(path)
    module = _module(path, "read", READABLE)
    with file_errors(path, "is damaged"):
        points: NDArray[np.float64] = module.read(path)
    return points


def write_points(path: PathLike, points: ArrayLike) -> None:
    """Write a point set to a file, whole or not at all.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace; its suffix tells the format.
    points : array_like, shape (n, d)
        Finite coordinates. d is 2 or 3; 3 for LAS, any for NumPy files. All formats but LAS, which rounds to a fine
        grid, give back the same float64 numbers.

    Raises
    ------
    FileError
        If the format cannot be written, the points do not fit it, the folder is missing or the system refuses.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "square.ply"
    ...     write_points(path, [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    ...     read_points(path).shape
    (4, 2)
    >>> ".las" in WRITABLE, ".e57" in WRITABLE
    (True, False)
    """
    path = as_path(path)
    _module(path, "written", WRITABLE).write(path, points)


def read_properties(path: PathLike) -> dict[str, NDArray[np.generic]]:
    """Read every scalar property of the points of a PLY file: normals, colours, intensities.

    Parameters
    ----------
    path : str or os.PathLike
        A ``.ply`` file.

    Returns
    -------
    dict of str to ndarray, shape (n,)
        In the order of the file, each in its declared type. Values are not checked.

    Raises
    ------
    FileError
        If the file is not a PLY file, is damaged, cut off or holds no points.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pair.ply"
    ...     write_points(path, [[0.0, 0.5], [1.0, 2.0]])
    ...     read_properties(path)["y"]
    array([0.5, 2. ])
    """
    path = as_path(path)
    module = _module(path, "read for properties", (".ply",))
    with file_errors(path, "is damaged"):
        properties: dict[str, NDArray[np.generic]] = module.read_properties(path)
    return properties


def _module(path: Path, action: str, suffixes: tuple[str, ...]) -> ModuleType:
    """Import the format's module on first use: no format costs anything before it is asked for."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        raise file_error(path, f"files {suffix!r} cannot be {action}, those that can are {' '.join(suffixes)}")
    return importlib.import_module(f"svgm.io.{_MODULES[suffix]}")
