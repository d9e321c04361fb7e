"""What every format promises of a point set: two axes, at least one point, every coordinate finite."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.io.source import file_error


def checked_points(path: Path, points: ArrayLike, dimensions: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    """Return the points as a C-contiguous float64 array, or name what is wrong with them.

    Parameters
    ----------
    path : Path
        The file read or written, for the message.
    points : array_like, shape (n, d)
        Real numbers.
    dimensions : tuple of int, optional
        The values of d the format can hold; any by default.

    Returns
    -------
    ndarray, shape (n, d)
        float64, C-contiguous, finite, n and d at least 1.

    Raises
    ------
    FileError
        If there is no point, the shape is wrong, or a coordinate is not a finite real number.
    """
    try:
        given = np.asarray(points)
    except ValueError:
        raise file_error(path, "points must be an (n, d) array, their rows differ in length") from None
    if given.ndim != 2:
        raise file_error(path, f"points must be an (n, d) array, the shape is {given.shape}")
    if given.shape[0] == 0:
        raise file_error(path, "holds no points")
    if given.dtype.kind not in "fiu":
        raise file_error(path, f"points must be real numbers, the type is {given.dtype}")
    if given.shape[1] == 0 or (dimensions is not None and given.shape[1] not in dimensions):
        allowed = " or ".join(map(str, dimensions)) if dimensions else "at least 1"
        raise file_error(path, f"points must have {allowed} coordinates here, they have {given.shape[1]}")
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(given, dtype=np.float64)
    bad = ~np.isfinite(array).all(axis=1)
    if bad.any():
        count, first = int(np.count_nonzero(bad)), int(np.argmax(bad))
        raise file_error(
            path, f"every coordinate must be finite, {count} of {len(array)} points are not, the first is point {first}"
        )
    return array
