"""One point set fitted at many scales, as an annealing needs it: what the levels share is computed once."""

from __future__ import annotations

import numpy as np

from svgm.geometry.points import Array
from svgm.geometry.scale import principal_axes, scale_along
from svgm.geometry.thinning import thin
from svgm.mixture.fit import to_mixture
from svgm.mixture.mixture import Mixture

#: A level thins the points of a grid at least this many times finer than its own cells, instead of all points.
FINER = 4.0

#: From one such grid to the next.
COARSER = 8.0


class Levels:
    """Mixtures of one point set at any sigma, each the same whichever levels were asked for before.

    Cells of a few grids are powers of `COARSER`, from the set's extent down: a level thins the points of the coarsest
    grid that is still `FINER` times finer than its own cells, so only the finest levels look at all points.

    Parameters
    ----------
    points, weights
        (n, d) and (n,), already checked.
    resolution
        Spacing of the points, roughly: cells that small are not worth a grid.
    nu, thinning
        As in :func:`svgm.fit`.
    tolerance
        Of the duality gap relative to the objective, see :func:`svgm.mixture.svm.train_one_class`.

    Examples
    --------
    >>> angle = np.linspace(0, 2 * np.pi, 500)
    >>> levels = Levels(
    ...     np.c_[np.cos(angle), np.sin(angle)], np.ones(500), resolution=0.01, nu=0.01, thinning=0.35, tolerance=0.01
    ... )
    >>> [len(levels.at(sigma)) < 60 for sigma in (1.0, 0.3)]
    [True, True]
    """

    def __init__(
        self, points: Array, weights: Array, *, resolution: float, nu: float, thinning: float, tolerance: float
    ) -> None:
        mean, deviations, axes = principal_axes(points, weights)
        self._grid = mean, np.ascontiguousarray(axes)
        self._deviations = deviations
        self._nu, self._thinning, self._tolerance = nu, thinning, tolerance
        self._points = points, weights
        self._resolution = resolution
        self._grids: dict[int, tuple[Array, Array]] = {}

    @property
    def scale(self) -> float:
        """sigma-hat of eq. (3)."""
        return scale_along(self._deviations)

    def at(self, sigma: float) -> Mixture:
        """The mixture at one scale: trainSVM and toGMM of Algorithm 1."""
        points, weights = self._points
        if self._thinning > 0:
            cell = self._thinning * sigma
            points, weights = thin(*self._finer_than(cell / FINER), cell, self._grid)
        return to_mixture(points, weights, sigma, nu=self._nu, tolerance=self._tolerance, thinned=self._thinning > 0)

    def _finer_than(self, cell: float) -> tuple[Array, Array]:
        """The points in cells of at most this size, and their weights."""
        points, weights = self._points
        if not cell > self._resolution:
            return points, weights  # hardly two points would share a cell
        extent = float(self._deviations[0])
        if not extent > 0:
            return points, weights
        power = max(0, int(np.ceil(np.log(max(extent / cell, 1.0)) / np.log(COARSER))))
        if power not in self._grids:
            self._grids[power] = thin(points, weights, extent / COARSER**power, self._grid)
        return self._grids[power]
