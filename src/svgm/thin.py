"""Replace points closer than a cell by their weighted mean: what the SVM cannot tell apart it need not be shown."""

from __future__ import annotations

import numpy as np

from svgm.points import Array
from svgm.scale import principal_axes


def thin(points: Array, weights: Array, cell: float) -> tuple[Array, Array]:
    """Weighted means of the points in each cell of a grid, and the weight in each cell.

    The grid is laid along the principal axes with the middle of a cell at the mean, so it moves with the points:
    thinning a moved set gives the moved result (an axis that flips its sign maps cells onto cells, in another order),
    and a flat set lies inside one layer of cells.

    >>> np.sort(thin(np.array([[0.0, 0.0], [0.1, 0.0], [4.0, 0.0]]), np.ones(3), 3.0)[1])
    array([1., 2.])
    """
    mean, _, axes = principal_axes(points, weights)
    local = (points - mean) @ axes
    cells = np.rint(local / cell)
    order = np.lexsort((*local.T[::-1], *cells.T[::-1]))
    ordered = cells[order]
    first = np.flatnonzero(np.r_[True, (ordered[1:] != ordered[:-1]).any(axis=1)])
    mass = np.add.reduceat(weights[order], first)
    kept = mass > 0
    sums = np.add.reduceat((points - mean)[order] * weights[order, None], first, axis=0)
    means: Array = sums[kept] / mass[kept, None] + mean
    return means, mass[kept]
