"""The front door: what a caller hands over becomes a checked (n, d) float64 array."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from svgm.checks.arguments import LARGEST as LARGEST
from svgm.checks.arguments import MOST_NUMBERS as MOST_NUMBERS
from svgm.checks.arguments import Array as Array
from svgm.checks.arguments import as_numbers as as_numbers
from svgm.checks.arguments import attribute, path_line, shown
from svgm.checks.errors import InputError

#: Lengths below this have squares that lose digits or vanish, as those beyond `LARGEST` overflow.
SMALLEST = 1e-150

#: Coordinates of a point, at most: a scatter has d² numbers and takes d³ steps, each box of a tree has 2d numbers.
#: Image descriptors have as many; an array with more is mostly one point a column.
MOST_DIMENSIONS = 128


def as_points(value: Any, name: str = "points", dimensions: tuple[int, ...] | None = None) -> Array:
    """Points as a C-contiguous (n, d) float64 array, n >= 1, all finite; d is one of `dimensions`, if they are given.

    Accepts arrays and nested lists, paths of point files, Open3D clouds (anything with a ``points`` attribute) and
    torch tensors (anything with ``detach``), none of which is imported here.

    >>> as_points([[0, 1], [2, 3]]).shape
    (2, 2)
    """
    if isinstance(value, str | os.PathLike):
        from svgm.io import read_points

        points, name = read_points(value), f"{path_line(value)}: points"
    else:
        if not isinstance(value, np.ndarray):
            value = attribute(value, "points", value)
        points = as_numbers(value, name)
    if points.ndim != 2 or points.shape[1] < 1:
        raise InputError(f"{name} must have shape (n, d), one point a row, got shape {points.shape}")
    if not len(points):
        raise InputError(f"{name} must hold at least one point, got none")
    check_dimension(points.shape, name, dimensions)
    # Extremes first: they are not finite if any number is not, and need no array of the size of the points.
    largest = max(points.max(), -points.min())
    if not np.isfinite(largest):
        bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
        raise InputError(f"{name} must be finite: {len(bad)} of {len(points)} rows are not, the first is row {bad[0]}")
    if largest > LARGEST:
        raise InputError(f"{name} must be within {LARGEST:g}, so that squares exist, got {largest:g}")
    return points


def check_dimension(shape: tuple[int, ...], name: str, dimensions: tuple[int, ...] | None = None) -> None:
    """Raise an InputError unless points of this shape have a dimension that is allowed.

    >>> check_dimension((3, 2000), "source", (3,))
    Traceback (most recent call last):
        ...
    svgm.InputError: source must have 3 coordinates a point, got shape (3, 2000): did you mean the transpose?
    """
    n, d = shape
    if d in dimensions if dimensions is not None else d <= MOST_DIMENSIONS:
        return
    rule = f"at most {MOST_DIMENSIONS}" if dimensions is None else " or ".join(map(str, dimensions))
    turned = n < d and n in (dimensions or (2, 3))
    hint = ": did you mean the transpose?" if turned or d > MOST_DIMENSIONS else ""
    raise InputError(f"{name} must have {rule} coordinates a point, got shape {shape}{hint}")


def as_weights(value: Any, count: int, name: str = "sample_weight") -> Array:
    """Non-negative weights (n,), not all zero; None is all ones."""
    if value is None:
        return np.ones(count)
    weights = as_numbers(value, name)
    if weights.shape != (count,):
        raise InputError(f"{name} must have shape ({count},), one number a point, got shape {weights.shape}")
    # Written so that NaN fails.
    if not (weights.min() >= 0 and SMALLEST <= weights.max() <= LARGEST):
        rule = f"finite, non-negative and not all zero, the largest from {SMALLEST:g} to {LARGEST:g}"
        raise InputError(f"{name} must be {rule}, got {weights.min():g} to {weights.max():g}")
    return weights


def as_place(value: Any, dimension: int, name: str) -> Array:
    """Coordinates (d,) of one place, finite.

    >>> as_place([0, 1], 2, "viewpoint")
    array([0., 1.])
    """
    place = as_numbers(value, name)
    if place.shape != (dimension,) or not (np.abs(place) <= LARGEST).all():
        raise InputError(f"{name} must be {dimension} finite coordinates, got {shown(value)}")
    return place
