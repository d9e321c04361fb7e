"""Input checks of points: what a caller passes becomes a checked (n, d) array of float64."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import LARGEST as LARGEST
from svgm.checks.arguments import MOST_NUMBERS as MOST_NUMBERS
from svgm.checks.arguments import as_numbers as as_numbers
from svgm.checks.arguments import attribute, one_line, path_line, shown
from svgm.checks.errors import InputError
from svgm.checks.types import Array as Array
from svgm.checks.types import PointsLike

#: Positive lengths are at least this: squares of shorter ones lose digits or become zero.
SMALLEST = 1e-150

#: Coordinates of a point, at most: a covariance has d² numbers and needs d³ steps, and a box of a tree has 2d numbers.
#: Image descriptors have 128.  An array with more columns usually has one point in each column.
MOST_DIMENSIONS = 128


def as_points(value: PointsLike, name: str = "points", dimensions: tuple[int, ...] | None = None) -> Array:
    """Points as a C-contiguous array of float64, copied and checked.

    Parameters
    ----------
    value : PointsLike, shape (n, d)
        One point in each row, n >= 1: an array, nested lists, the path of a point file, an Open3D cloud (any object
        with an attribute ``points``, or with ``point.positions`` as ``open3d.t`` has), a torch tensor (any object with
        a method ``detach``), or a table of pandas or xarray with columns x, y and perhaps z.
    name : str, default "points"
        What messages call the value.
    dimensions : tuple of int, optional
        Allowed values of d.  Default: 1 to 128.

    Returns
    -------
    ndarray, shape (n, d)
        Finite numbers of absolute value up to 1e150.

    Raises
    ------
    InputError
        If the value has another shape, holds no point, or holds numbers that are not real, not finite or too large.
    FileError
        If the value is a path and the file cannot be read.

    Examples
    --------
    >>> as_points([[0, 1], [2, 3]]).shape
    (2, 2)
    """
    if isinstance(value, str | os.PathLike):
        from svgm.io import read_points

        points, name = read_points(value), f"{path_line(value)}: points"
    else:
        points = as_numbers(coordinates_of(value, name), name)
    if points.ndim != 2 or points.shape[1] < 1:
        raise InputError(f"{name} must have shape (n, d), one point a row, got shape {points.shape}")
    if not len(points):
        raise InputError(f"{name} must hold at least one point, got none")
    check_dimension(points.shape, name, dimensions)
    # If any number is not finite, an extreme is not finite either; extremes need no second array of this size.
    largest = max(points.max(), -points.min())
    if not np.isfinite(largest):
        bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
        raise InputError(f"{name} must be finite: {len(bad)} of {len(points)} rows are not, the first is row {bad[0]}")
    if largest > LARGEST:
        raise InputError(f"{name} must be within {LARGEST:g}, so that squares exist, got {largest:g}")
    return points


def coordinates_of(value: Any, name: str = "points") -> Any:
    """What holds the coordinates of an object of another library; any other value is returned as it is.

    >>> class Cloud:
    ...     points = [[0.0, 1.0]]
    >>> coordinates_of(Cloud()), coordinates_of([[2.0, 3.0]])
    ([[0.0, 1.0]], [[2.0, 3.0]])
    """
    if isinstance(value, np.ndarray | list | tuple):
        return value
    # A table first: a column may have any name, and pandas makes it an attribute. Tensor clouds before plain ones.
    columns = attribute(value, "data_vars")
    if columns is None and callable(attribute(value, "__array__")):
        columns = attribute(value, "columns")
    if columns is not None:
        return _of_table(value, columns, name)
    positions = attribute(attribute(value, "point"), "positions")
    if positions is not None:
        on_cpu = attribute(positions, "cpu")
        try:
            return on_cpu().numpy() if callable(on_cpu) else positions
        except Exception as error:
            raise InputError(f"{name} must be n rows of d coordinates: {one_line(str(error))}") from None
    return attribute(value, "points", value)


def _of_table(table: Any, columns: Any, name: str) -> Any:
    """The columns x, y and perhaps z of a table, or all columns of one whose columns have no names."""
    try:
        by_name = {column.strip().lower(): column for column in columns if isinstance(column, str)}
        # Coordinates of an xarray are beside its variables.
        by_name |= {axis: axis for axis in "xyz" if axis not in by_name and axis in (attribute(table, "coords") or ())}
        axes = [by_name[axis] for axis in "xyz" if axis in by_name]
        if [column.strip().lower() for column in axes][:2] == ["x", "y"]:
            return np.column_stack([np.asarray(table[axis], dtype=np.float64) for axis in axes])
        if by_name:
            raise InputError(f"{name} must have columns x and y, the table has {one_line(', '.join(by_name))}")
        return np.asarray(table)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{name} must be a table of numbers: {one_line(str(error))}") from None


def check_dimension(shape: tuple[int, ...], name: str, dimensions: tuple[int, ...] | None = None) -> None:
    """Raise an InputError if the dimension of points of this shape is not allowed.

    >>> check_dimension((3, 2000), "source", (3,))
    Traceback (most recent call last):
        ...
    svgm.InputError: source must have 3 coordinates a point, got shape (3, 2000): did you mean the transpose?
    """
    n, d = shape
    if d in dimensions if dimensions is not None else d <= MOST_DIMENSIONS:
        return
    rule = f"at most {MOST_DIMENSIONS}" if dimensions is None else " or ".join(map(str, dimensions))
    transposed = n < d and n in (dimensions or (2, 3))
    hint = ": did you mean the transpose?" if transposed or d > MOST_DIMENSIONS else ""
    raise InputError(f"{name} must have {rule} coordinates a point, got shape {shape}{hint}")


def as_weights(value: ArrayLike | None, count: int, name: str = "weights") -> Array:
    """Weights (n,) that are not negative and not all zero; None means all ones.

    >>> as_weights(None, 2)
    array([1., 1.])
    """
    if value is None:
        return np.ones(count)
    weights = as_numbers(value, name)
    if weights.shape != (count,):
        raise InputError(f"{name} must have shape ({count},), one number a point, got shape {weights.shape}")
    # The comparison is false for NaN.
    if not (weights.min() >= 0 and SMALLEST <= weights.max() <= LARGEST):
        rule = f"finite, non-negative and not all zero, the largest from {SMALLEST:g} to {LARGEST:g}"
        raise InputError(f"{name} must be {rule}, got {weights.min():g} to {weights.max():g}")
    return weights


def as_place(value: ArrayLike, dimension: int, name: str) -> Array:
    """Coordinates (d,) of one position, finite.

    >>> as_place([0, 1], 2, "viewpoint")
    array([0., 1.])
    """
    place = as_numbers(value, name)
    if place.shape != (dimension,) or not (np.abs(place) <= LARGEST).all():
        raise InputError(f"{name} must be {dimension} finite coordinates, got {shown(value)}")
    return place
