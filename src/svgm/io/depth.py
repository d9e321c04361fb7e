"""Depth images: from pixels to points."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import as_numbers, positive, shown
from svgm.checks.errors import InputError
from svgm.io.cloud import COLOURS, PointCloud


def depth_to_points(
    depth: ArrayLike, intrinsics: ArrayLike, *, scale: float = 1.0, colours: ArrayLike | None = None
) -> PointCloud:
    """Turn a depth image into points, in the coordinates of the camera.

    The pixel in column u and row v with depth z is the point ((u - c_x) z / f_x, (v - c_y) z / f_y, z). The camera
    looks along the third axis, the first axis points right and the second one down.

    Parameters
    ----------
    depth : array_like, shape (h, w)
        Depths. A pixel without a measurement is 0, negative, NaN or infinite; it gives no point.
    intrinsics : array_like, shape (3, 3) or (4,)
        The camera: the matrix [[f_x, 0, c_x], [0, f_y, c_y], [0, 0, 1]], or f_x, f_y, c_x, c_y, in pixels.
    scale : float, default 1.0
        The length of one unit of `depth`, > 0: 0.001 for millimetres that become metres.
    colours : array_like, shape (h, w, 3), optional
        The colour image that belongs to the pixels, RGB.

    Returns
    -------
    PointCloud
        One point for each pixel with a measurement, row by row. The viewpoint is the camera's place, the origin.

    Raises
    ------
    InputError
        If a shape is another one, a focal length or the scale is not positive, or no pixel has a measurement.

    Examples
    --------
    >>> depth_to_points([[2.0, 0.0], [2.0, 4.0]], [1.0, 1.0, 0.0, 0.0]).points
    array([[0., 0., 2.],
           [0., 2., 2.],
           [4., 4., 4.]])
    """
    image = as_numbers(depth, "depth")
    if image.ndim != 2 or image.size == 0:
        raise InputError(f"depth must have shape (h, w), got shape {image.shape}")
    camera = as_numbers(intrinsics, "intrinsics")
    if camera.shape == (3, 3):
        rest = camera[[0, 1, 2, 2, 2], [1, 0, 0, 1, 2]]
        if not np.array_equal(rest, [0, 0, 0, 0, 1]):
            raise InputError(f"intrinsics must be [[fx, 0, cx], [0, fy, cy], [0, 0, 1]], got {shown(camera.tolist())}")
        camera = camera[[0, 1, 0, 1], [0, 1, 2, 2]]
    if camera.shape != (4,) or not np.isfinite(camera).all() or not (camera[:2] > 0).all():
        raise InputError(f"intrinsics must be finite fx, fy, cx, cy with fx, fy > 0, got {shown(intrinsics)}")
    length = positive("scale", scale)
    fx, fy, cx, cy = camera
    with np.errstate(over="ignore", invalid="ignore"):
        z = image * length
        rows, columns = np.nonzero(np.isfinite(z) & (z > 0))
        z = z[rows, columns]
        points = np.column_stack([(columns - cx) * z / fx, (rows - cy) * z / fy, z])
    if not len(points):
        raise InputError(f"depth must have a positive number, all {image.size} pixels are without a measurement")
    if not np.isfinite(points).all():
        raise InputError("depth and intrinsics must give finite points, these numbers are too large")
    found = {}
    if colours is not None:
        picture = as_numbers(colours, "colours")
        if picture.shape != (*image.shape, 3):
            rule = f"numbers of shape {(*image.shape, 3)}"
            raise InputError(f"colours must be {rule}, got shape {picture.shape}")
        kept = picture[rows, columns]
        if isinstance(colours, np.ndarray) and colours.dtype in (np.uint8, np.uint16):
            kept = kept.astype(colours.dtype)  # the type tells the range
        found = dict(zip(COLOURS, np.ascontiguousarray(kept.T), strict=True))
    return PointCloud(points, found, np.zeros(3))
