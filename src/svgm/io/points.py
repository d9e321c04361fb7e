"""Point sets from and to files. The suffix of a file tells its format."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.errors import file_errors
from svgm.io.formats.registry import READABLE, WRITABLE, format_module
from svgm.io.paths import PathLike, as_path


def read_points(path: PathLike) -> NDArray[np.float64]:
    """Read a point set from a file.

    Parameters
    ----------
    path : str or os.PathLike
        The file. Its suffix, in upper or lower case, is one of `READABLE` and tells the format.

    Returns
    -------
    ndarray, shape (n, d)
        The points in the order of the file: float64, C-contiguous, all finite, n >= 1. d is 2 or 3; a NumPy file may
        hold another d. A PCD file marks a missing measurement by NaN, so points with a NaN coordinate are dropped
        there. In every other format NaN is an error.

    Raises
    ------
    FileError
        If the file is missing, damaged or cut off, if its suffix is unknown, if it holds no points, or if a coordinate
        is not finite. The message is one line. A file is read whole or not at all.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "triangle.csv"
    ...     _ = path.write_text("x,y\\n0,0\\n1,0\\n0,1\\n")
    ...     read_points(path)
    array([[0., 0.],
           [1., 0.],
           [0., 1.]])
    >>> ".csv" in READABLE
    True
    """
    path = as_path(path)
    module = format_module(path, "read", READABLE)
    with file_errors(path, "is damaged"):
        points: NDArray[np.float64] = module.read(path)
    return points


def write_points(path: PathLike, points: ArrayLike) -> None:
    """Write a point set to a file. If writing fails, no file is left behind and an old file stays as it was.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace. Its suffix, one of `WRITABLE`, tells the format.
    points : array_like, shape (n, d)
        Finite coordinates, n >= 1. d is 2 or 3; LAS needs 3, NumPy files take any d. Reading the file again gives the
        same float64 numbers, except for LAS, which rounds them to a fine grid.

    Raises
    ------
    FileError
        If the suffix cannot be written, if the points do not fit the format, if the folder does not exist, or if the
        operating system refuses the write.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "square.ply"
    ...     write_points(path, [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    ...     read_points(path).shape
    (4, 2)
    >>> ".las" in WRITABLE, ".e57" in WRITABLE
    (True, False)
    """
    path = as_path(path)
    format_module(path, "written", WRITABLE).write(path, points)


def read_properties(path: PathLike) -> dict[str, NDArray[np.generic]]:
    """Read every scalar property of the points of a PLY file: coordinates, normals, colours, intensities.

    Parameters
    ----------
    path : str or os.PathLike
        A ``.ply`` file.

    Returns
    -------
    dict of str to ndarray, shape (n,)
        The properties in the order of the file, each in the type that the file declares. The values are not checked:
        they may be NaN or infinite.

    Raises
    ------
    FileError
        If the file is not a PLY file, is missing, damaged or cut off, or holds no points.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "pair.ply"
    ...     write_points(path, [[0.0, 0.5], [1.0, 2.0]])
    ...     read_properties(path)["y"]
    array([0.5, 2. ])
    """
    path = as_path(path)
    module = format_module(path, "read for properties", (".ply",))
    with file_errors(path, "is damaged"):
        properties: dict[str, NDArray[np.generic]] = module.read_properties(path)
    return properties
