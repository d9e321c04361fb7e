"""Point sets from and to files. The suffix of a file tells its format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.checks.errors import InputError
from svgm.io.bags import holds_bag
from svgm.io.cloud import COLOURS, PointCloud, finished
from svgm.io.errors import file_error, file_errors, shown
from svgm.io.formats.columns import in_bits
from svgm.io.formats.registry import COLUMNS_WRITABLE, READABLE, WRITABLE, format_module
from svgm.io.paths import PathLike, as_path


def read_points(path: PathLike, drop_nan: bool = False) -> NDArray[np.float64]:
    """Read a point set from a file.

    Parameters
    ----------
    path : str or os.PathLike
        The file. Its suffix, in upper or lower case, is one of `READABLE` and tells the format.
    drop_nan : bool, default False
        Whether points with a NaN coordinate are dropped. By default they are an error, except in PCD files and bags of
        ROS, where NaN marks a missing measurement.

    Returns
    -------
    ndarray, shape (n, d)
        The points in the order of the file: float64, C-contiguous, all finite, n >= 1. d is 2 or 3; a NumPy file may
        hold another d.

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
    ...     _ = path.write_text("x,y\\n0,0\\n1,0\\n0,1\\nnan,1\\n")
    ...     read_points(path, drop_nan=True)
    array([[0., 0.],
           [1., 0.],
           [0., 1.]])
    >>> ".csv" in READABLE
    True
    """
    return load_cloud(path, drop_nan, columns=False).points


def read_cloud(path: PathLike, drop_nan: bool = False) -> PointCloud:
    """Read a point set with its colours, normals, intensities, times and all other columns of numbers.

    Parameters
    ----------
    path : str or os.PathLike
        The file. Its suffix is one of `READABLE`.
    drop_nan : bool, default False
        As in :func:`svgm.read_points`. `PointCloud.dropped` counts the points that were dropped.

    Returns
    -------
    PointCloud
        The same points as :func:`svgm.read_points`, the columns, and the position of the sensor if the file holds one
        (PCD, E57 and PTX with one scan, KITTI, bags).

    Raises
    ------
    FileError
        As in :func:`svgm.read_points`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "two.csv"
    ...     _ = path.write_text("x,y,intensity\\n0,0,7\\n1,0,9\\n")
    ...     read_cloud(path).columns
    {'intensity': array([7, 9])}
    """
    return load_cloud(path, drop_nan, columns=True)


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


def write_cloud(path: PathLike, cloud: PointCloud) -> tuple[str, ...]:
    """Write a point set with its columns, and the position of the sensor if the format has a place for it.

    Parameters
    ----------
    path : str or os.PathLike
        The file to make or replace. Its suffix is one of `WRITABLE`.
    cloud : PointCloud
        The points and columns. PLY, PCD, LAS and named columns of text hold all columns. In PLY and PCD a colour has
        8 bits, in LAS 16.

    Returns
    -------
    tuple of str
        What the format cannot hold: names of columns, and "viewpoint".

    Raises
    ------
    FileError
        As :func:`svgm.write_points`, and if a column is not n numbers.

    Examples
    --------
    >>> import numpy as np, pathlib, tempfile
    >>> cloud = PointCloud(np.eye(3), {"intensity": np.array([1.0, 2.0, 3.0])})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_cloud(pathlib.Path(folder) / "a.pcd", cloud), write_cloud(pathlib.Path(folder) / "a.npy", cloud)
    ((), ('intensity',))
    >>> ".pcd" in COLUMNS_WRITABLE, ".npy" in COLUMNS_WRITABLE
    (True, False)
    """
    path = as_path(path)
    module = format_module(path, "written", WRITABLE)
    suffix = path.suffix.lower()
    if not isinstance(cloud, PointCloud):
        raise file_error(path, f"the cloud must be a svgm.io.PointCloud, got {shown(cloud)}")
    left_out = [name for name in cloud.columns if name not in ("x", "y", "z")]
    options: dict[str, Any] = {}
    if suffix in COLUMNS_WRITABLE:
        columns = dict(cloud.columns)
        if suffix == ".ply" and all(name in columns for name in COLOURS):
            columns |= dict(zip(COLOURS, in_bits([columns[name] for name in COLOURS], 8), strict=True))
        left_out, options = [], {"properties": columns}
    if suffix == ".pcd":
        options["viewpoint"] = cloud.viewpoint
    elif cloud.viewpoint is not None:
        left_out.append("viewpoint")
    module.write(path, cloud.points, **options)
    return tuple(left_out)


def load_cloud(path: PathLike, drop_nan: bool = False, *, columns: bool = True) -> PointCloud:
    """Read a point file, with or without its columns; reading the coordinates alone is faster."""
    path = as_path(path)
    if not isinstance(drop_nan, bool | np.bool_):
        raise InputError(f"drop_nan must be True or False, got {shown(drop_nan)}")
    is_folder = os.path.isdir(path)  # noqa: PTH112 false, and no error, for a name that no file can have
    if is_folder and not holds_bag(path):
        raise file_error(path, f"is a folder, not a file{_inside(path)}")
    module = format_module(Path("folder.bag") if is_folder else path, "read", READABLE)
    with file_errors(path, "is damaged"):
        cloud: PointCloud = module.load(path, columns=columns)
        return finished(path, cloud, drop_nan or getattr(module, "MARKS_MISSING", False))


def _inside(path: Path) -> str:
    """What to do with a folder of scans."""
    try:
        files = sorted(file.name for file in path.iterdir() if file.suffix.lower() in READABLE)
    except OSError:
        return ""
    if not files:
        return ""
    return f"; it holds {len(files)} point files such as {files[0]}, name one, or give the folder to svgm map"


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
