"""Replace points closer than a cell by their weighted mean: what the SVM cannot tell apart it need not be shown."""

from __future__ import annotations

import numpy as np

from svgm import _core
from svgm.geometry.points import Array
from svgm.geometry.scale import principal_axes


def thin(points: Array, weights: Array, cell: float, grid: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
    """Weighted means of the points in each cell of a grid, and the weight in each cell.

    The grid is laid along the principal axes with the middle of a cell at the mean, so it moves with the points:
    thinning a moved set gives the moved result (an axis that flips its sign maps cells onto cells, in another order),
    and a flat set lies inside one layer of cells.  `grid` is the centre (d,) and the axes (d, d) of another one.

    >>> np.sort(thin(np.array([[0.0, 0.0], [0.1, 0.0], [4.0, 0.0]]), np.ones(3), 3.0)[1])
    array([1., 2.])
    """
    centre, axes = thinning_grid(points, weights) if grid is None else grid
    return _core.thin(points, weights, centre, axes, cell)


def thinning_grid(points: Array, weights: Array) -> tuple[Array, Array]:
    """Centre (d,) and axes (d, d), as columns, of the grid that moves with the points.

    >>> centre, axes = thinning_grid(np.array([[0.0, 0.0], [0.0, 4.0], [1.0, 2.0], [-1.0, 2.0]]), np.ones(4))
    >>> centre.tolist(), np.abs(axes).tolist()
    ([0.0, 2.0], [[0.0, 1.0], [1.0, 0.0]])
    """
    mean, _, axes = principal_axes(points, weights)
    return mean, np.ascontiguousarray(axes)
