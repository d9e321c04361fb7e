"""Multiscale: mixtures of one point set at many values of sigma; what they share is computed once."""

from __future__ import annotations

import numpy as np

from svgm import _core
from svgm.checks.types import Array
from svgm.geometry.scale import principal_axes, scale_along
from svgm.geometry.thinning import thin
from svgm.mixture.fit import checked_sigma, to_mixture
from svgm.mixture.mixture import Mixture

#: A fit starts from points on a grid at least this many times finer than its own cells, instead of all points.
LEAST_REFINEMENT = 4.0

#: Ratio of the cells of one such grid to those of the next finer one.
GRID_RATIO = 8.0

#: Cells of the grid from which coarser ones are made, in a sigma-hat.  The levels of a registration with full
#: covariances and its surfaces need no finer one.
DENSE_CELLS = 64.0

#: That grid is made if it has at most this share of the points, and only tried if the points are closer together than
#: this share of its cells.
DENSE_SHARE, DENSE_SPACING = 0.4, 0.4

#: Pseudo-points of a ball in the covariance of a component of a registration, see `_core.local_shapes`.  Chosen among
#: 0.02 to 0.6 on dragon pairs (2,000 points, seeds 0 to 2) and generated bodies.
FULL_PRIOR = 0.05

#: For that covariance, the points in one cell of this size, in sigmas, are taken as one weighted point: it saves time.
SHAPE_CELL = 0.5

#: It is computed in single precision if all coordinates are below this many sigmas.
SINGLE_EXTENT = 500.0

#: The window of that covariance ends where it is exp(-4.5), at three sigmas.
WINDOW_END = 4.5


class Multiscale:
    """Mixtures of one point set at any sigma.  A mixture does not depend on which were fitted before.

    The points are thinned to a few grids, whose cells are the set's extent divided by powers of `GRID_RATIO`.  A fit
    starts from the coarsest grid that is still `LEAST_REFINEMENT` times finer than its own cells, so only the finest
    fits go through all points.

    Where many points share the cells of a grid of sigma-hat / `DENSE_CELLS`, the coarser grids are made from that one:
    so all points are thinned once, however many there are.

    Parameters
    ----------
    points, weights : ndarray, shapes (n, d) and (n,)
        Already checked.
    resolution : float
        Distance between neighbouring points, approximately.  A grid with smaller cells would save nothing.
    nu, thinning : float
        As in :func:`svgm.fit`.
    tolerance : float
        The duality gap relative to the objective, see :func:`svgm.mixture.svm.train_one_class`.

    Examples
    --------
    >>> angle = np.linspace(0, 2 * np.pi, 500)
    >>> ring = np.c_[np.cos(angle), np.sin(angle)]
    >>> scales = Multiscale(ring, np.ones(500), resolution=0.01, nu=0.01, thinning=0.35, tolerance=0.01)
    >>> [len(scales.fit(sigma)) < 60 for sigma in (1.0, 0.3)]
    [True, True]
    """

    def __init__(
        self, points: Array, weights: Array, *, resolution: float, nu: float, thinning: float, tolerance: float
    ) -> None:
        mean, deviations, axes = principal_axes(points, weights)
        self._axes = mean, np.ascontiguousarray(axes)
        self._deviations = deviations
        self._nu, self._thinning, self._tolerance = nu, thinning, tolerance
        self._points = points, weights
        self._resolution = resolution
        self._thinned: dict[int, tuple[Array, Array]] = {}
        self._dense_cell = self.scale / DENSE_CELLS if deviations[0] > 0 else 0.0
        self._dense = self._dense_grid()

    @property
    def nu(self) -> float:
        """Parameter of the SVMs."""
        return self._nu

    @property
    def scale(self) -> float:
        """sigma-hat of eq. (3)."""
        return scale_along(self._deviations)

    @property
    def axes(self) -> tuple[Array, Array]:
        """Centre (d,) and principal axes (d, d), as columns, of the points."""
        return self._axes

    @property
    def cells(self) -> tuple[Array, Array] | None:
        """Means and numbers of the points in cells that are finer than any surface element; None if few points share
        one."""
        return self._dense

    def _dense_grid(self) -> tuple[Array, Array] | None:
        points, weights = self._points
        if not self._resolution < DENSE_SPACING * self._dense_cell:
            return None
        cells = thin(points, weights, self._dense_cell, self._axes)
        return cells if len(cells[0]) <= DENSE_SHARE * len(points) else None

    def fit(self, sigma: float) -> Mixture:
        """The mixture at one sigma: trainSVM and toGMM of Algorithm 1."""
        checked_sigma(sigma)
        points, weights = self._points
        if self._thinning > 0:
            cell = self._thinning * sigma
            points, weights = thin(*self._finer_than(cell / LEAST_REFINEMENT), cell, self._axes)
        return to_mixture(points, weights, sigma, nu=self._nu, tolerance=self._tolerance, thinned=self._thinning > 0)

    def fit_full(self, sigma: float, spacing: float) -> Mixture:
        """The mixture at one sigma with full covariances: one component in each cell of `spacing` sigmas.

        This is the limit nu = 1 of the one-class SVM, where every cell counts alike: with covariances along the surface
        a few components cover it, so no SVM is needed to leave others out.  The weights are phi ~ |Sigma|^¼, so that
        the overlap of each component with itself is the same, as it is for an SVM's kernel.  With equal weights the
        flattest parts, such as the ground of a street, would decide alone.
        """
        checked_sigma(sigma)
        cell = spacing * sigma
        points, weights = self._finer_than(cell / LEAST_REFINEMENT)
        cells, _ = thin(points, weights, cell, self._axes)
        tree = _core.BoxTree(*thin(points, weights, SHAPE_CELL * sigma, self._axes), sorted=True)
        # Single precision has too few digits for coordinates of many sigmas.
        single = bool(np.abs(cells).max() < SINGLE_EXTENT * sigma)
        means, covariances = _core.local_shapes(tree, cells, sigma, FULL_PRIOR, WINDOW_END, single, 1)
        determinants = np.linalg.det(covariances / sigma**2)
        weights = determinants**0.25 / (determinants**0.25).sum()
        # Inside is where the density is at least that of the weakest component at its mean.
        bias = float((weights / np.sqrt(determinants)).min())
        return Mixture.unchecked(means, sigma**2, weights, bias, covariances=covariances)

    def _finer_than(self, cell: float) -> tuple[Array, Array]:
        """The points thinned with cells of at most this size, and their weights."""
        points, weights = self._points
        if not cell > self._resolution:
            return points, weights  # hardly any cell would hold two points
        extent = float(self._deviations[0])
        if not extent > 0:
            return points, weights
        if self._dense is not None and cell >= self._dense_cell:
            points, weights = self._dense
            if cell < LEAST_REFINEMENT * self._dense_cell:
                return points, weights
        power = max(0, int(np.ceil(np.log(max(extent / cell, 1.0)) / np.log(GRID_RATIO))))
        if power not in self._thinned:
            self._thinned[power] = thin(points, weights, extent / GRID_RATIO**power, self._axes)
        return self._thinned[power]
