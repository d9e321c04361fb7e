"""The front door: what a caller hands over becomes a checked (n, d) float64 array."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svgm.errors import InputError

Array = NDArray[np.float64]

#: Coordinates beyond this have squares that overflow.
LARGEST = 1e150


def as_points(value: Any, name: str = "points") -> Array:
    """Points as a C-contiguous (n, d) float64 array, n >= 1, all finite.

    Accepts arrays and nested lists, paths of point files, Open3D clouds (anything with a ``points`` attribute) and
    torch tensors (anything with ``detach``), none of which is imported here.

    >>> as_points([[0, 1], [2, 3]]).shape
    (2, 2)
    """
    if isinstance(value, str | os.PathLike):
        from svgm.io import read_points

        return read_points(value)
    if hasattr(value, "points") and not isinstance(value, np.ndarray):
        value = value.points
    points = as_numbers(value, name)
    if points.ndim != 2 or points.shape[1] < 1:
        raise InputError(f"{name} must have shape (n, d), one point a row, got shape {points.shape}")
    if not len(points):
        raise InputError(f"{name} must hold at least one point, got none")
    # Extremes first: they are not finite if any number is not, and need no array of the size of the points.
    largest = max(points.max(), -points.min())
    if not np.isfinite(largest):
        bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
        raise InputError(f"{name} must be finite: {len(bad)} of {len(points)} rows are not, the first is row {bad[0]}")
    if largest > LARGEST:
        raise InputError(f"{name} must be within {LARGEST:g}, so that squares exist, got {largest:g}")
    return points


def as_numbers(value: Any, name: str) -> Array:
    """A float64 array of any shape; complex numbers, dates, text, masked values and ragged rows are refused."""
    if hasattr(value, "detach"):  # a torch tensor, perhaps of a graph or on another device
        value = value.detach().cpu().numpy()
    try:
        raw = np.asanyarray(value)
        if raw.dtype.kind not in "biufO":
            raise InputError(f"{name} must be real numbers, got {raw.dtype}")
        if np.ma.is_masked(raw):
            raise InputError(f"{name} must have no masked values")
        return np.array(raw, dtype=np.float64, order="C", subok=False)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers in n rows of d coordinates: {error}") from None


def as_weights(value: Any, count: int, name: str = "sample_weight") -> Array:
    """Non-negative weights (n,), not all zero; None is all ones."""
    if value is None:
        return np.ones(count)
    weights = as_numbers(value, name)
    if weights.shape != (count,):
        raise InputError(f"{name} must have shape ({count},), one number a point, got shape {weights.shape}")
    if not np.isfinite(weights).all() or weights.min() < 0 or weights.max() == 0:
        raise InputError(f"{name} must be finite, non-negative and not all zero")
    return weights
