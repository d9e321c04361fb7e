"""Thinning: points within one cell of a grid become their weighted mean, because the SVM cannot distinguish them."""

from __future__ import annotations

import numpy as np

from svgm import _core
from svgm.checks.types import Array
from svgm.geometry.scale import principal_axes


def thin(points: Array, weights: Array, cell: float, grid: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
    """Weighted mean of the points in each cell of a grid, and the sum of their weights.

    The grid follows the principal axes of the points, and the mean is the centre of a cell.  So the grid moves with the
    points: thinning a moved set gives the moved result.  (If an axis changes its sign, the cells are the same in
    another order.)  A flat set lies in one layer of cells.

    Parameters
    ----------
    points : ndarray, shape (n, d)
        Points, already checked.
    weights : ndarray, shape (n,)
        Their weights, not negative and not all zero.
    cell : float
        Side of a cell, positive, in the unit of the points.
    grid : tuple of ndarray, optional
        Centre (d,) and axes (d, d), as columns, of the grid.  Default: mean and principal axes of the points.

    Returns
    -------
    points : ndarray, shape (m, d)
        One point for each cell that holds points, m <= n.
    weights : ndarray, shape (m,)
        The weight in each cell.

    Examples
    --------
    >>> np.sort(thin(np.array([[0.0, 0.0], [0.1, 0.0], [4.0, 0.0]]), np.ones(3), 3.0)[1])
    array([1., 2.])
    """
    if grid is None:
        mean, _, axes = principal_axes(points, weights)
        grid = mean, np.ascontiguousarray(axes)
    return _core.thin(points, weights, *grid, cell)
