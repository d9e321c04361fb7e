"""A point set or a ready mixture, prepared for registrations: its mixtures and surfels at any scale.

Each set is kept centred, with a root mean square radius of 1.  Survey coordinates of 1e6 lose no digits that way, and
what was trained for one registration serves the next one.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from svgm import _core
from svgm.checks.arguments import positive
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PointsLike
from svgm.geometry.clutter import not_clutter
from svgm.geometry.points import as_points, check_dimension
from svgm.geometry.scale import resolution_of
from svgm.geometry.strays import not_stray
from svgm.mixture.mixture import Mixture, is_mixture_file
from svgm.mixture.multiscale import Multiscale
from svgm.registration.search.surfels import AlongAxes, Surfels, filled_cell, make_surfels
from svgm.registration.tuning import TUNING

#: Mixtures and surfels that a set keeps: a registration asks for up to twenty scales, and a partner with another scale
#: asks for others.
KEPT_MIXTURES = 24
KEPT_SURFELS = 6

#: Largest number of points that are compared to find repeated ones; of a larger set every k-th point is taken.
MOST_COMPARED_POINTS = 5_000

#: Dimensions in which sets are registered.
DIMENSIONS = (2, 3)


class Prepared:
    """A point set ready to be registered, with the mixtures trained so far; see :func:`prepare`.

    Attributes
    ----------
    dimension : int
        2 or 3.
    centre : (d,) array
        Mean of the points.
    radius : float
        Root mean square distance of the points from the centre.
    scale : float
        sigma-hat of eq. (3).
    resolution : float
        The finest sigma worth training at: the points' spacing, or a ready mixture's own sigma.
    count, strays, clutter : int
        How many points there are, and how many others were left out because they lie far from all others, see
        :mod:`svgm.geometry.strays`, or are clutter, see :mod:`svgm.geometry.clutter`.

    Examples
    --------
    >>> from svgm import datasets, register
    >>> target = prepare(datasets.butterfly(300))
    >>> target.dimension, target.resolution < target.full_sigma < target.scale < target.radius
    (2, True)
    >>> register(datasets.butterfly(300, seed=1), target).converged
    True

    A prepared set gives mixtures and surfels at any scale, about its centre and in a unit of length:

    >>> target.mixture(0.1, unit=1.0).sigma, target.full_mixture(0.1, unit=1.0, spacing=1.0).sigma
    (0.1, 0.1)
    >>> len(target.surfels(target.cell, unit=1.0)) > 10
    True

    It says what it was prepared from, and where most of its points are:

    >>> place, share = target.most_frequent
    >>> target.is_mixture, target.count, round(share * target.count)
    (False, 300, 1)
    """

    def __init__(
        self,
        places: Array,
        nu: float,
        name: str,
        ready: Mixture | None = None,
        *,
        strays: int = 0,
        clutter: int = 0,
    ) -> None:
        self.dimension = int(places.shape[1])
        self.count, self.strays, self.clutter = len(places), strays, clutter
        low, high, total = _core.bounds_and_sums(places)
        self.centre: Array = total / len(places)
        centred = places - self.centre
        self.radius = float(np.sqrt(np.einsum("ij,ij->", centred, centred) / len(centred)))
        if self.radius <= 1e-14 * max(1e-300, float(np.abs([low, high]).max())):
            raise InputError(f"{name} must not be a single place: it holds no pose")
        centred /= self.radius
        spacing = resolution_of(centred)
        self._points = centred
        self._frequent: tuple[Array, float] | None = None
        self._cell: float | None = None
        self._levels = Multiscale(
            centred,
            np.ones(len(centred)),
            resolution=spacing,
            nu=nu,
            thinning=TUNING.thinning,
            tolerance=TUNING.svm_gap,
        )
        self._ready = None
        if ready is not None:
            means, variance = (ready.means - self.centre) / self.radius, ready.variance / self.radius**2
            own = None if ready.covariances is None else ready.covariances / self.radius**2
            self._ready = Mixture(means, variance, ready.weights, ready.bias, covariances=own)
        self.scale = self.radius * self._levels.scale
        self.resolution = self.radius * spacing if ready is None else ready.sigma
        self._keep_recent()

    def _keep_recent(self) -> None:
        """Keep the most recently used mixtures and surfels, also for several threads."""
        self._trained = lru_cache(KEPT_MIXTURES)(partial(_train, self._levels, self._ready))
        self._shaped = lru_cache(KEPT_MIXTURES)(partial(_shape, self._levels, self._ready))
        self._along = lru_cache(1)(partial(_along_axes, self._levels, self._points))
        self._made = lru_cache(KEPT_SURFELS)(partial(_make, self._along))

    def __getstate__(self) -> dict[str, Any]:
        # What was kept is made anew where it is needed.
        kept = ("_trained", "_shaped", "_along", "_made")
        return {name: value for name, value in self.__dict__.items() if name not in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._keep_recent()

    def mixture(self, sigma: float, unit: float) -> Mixture:
        """Train and convert, lines 4 and 5 of Algorithm 1: the mixture of this sigma, centred, in this unit of length.

        A ready mixture stays as it is if training on its means would make it hardly coarser.
        """
        trained, factor = self._trained(sigma / self.radius), self.radius / unit
        return Mixture.unchecked(trained.means * factor, trained.variance * factor**2, trained.weights, trained.bias)

    @property
    def normalised(self) -> Array:
        """The points (n, d) without strays, about the centre and in units of the radius.

        >>> prepare([[0.0, 0.0], [4.0, 0.0]]).normalised.tolist()
        [[-1.0, 0.0], [1.0, 0.0]]
        """
        points: Array = self._points
        return points

    @property
    def is_mixture(self) -> bool:
        """Whether it was prepared from a ready mixture, not from points."""
        return self._ready is not None

    @property
    def most_frequent(self) -> tuple[Array, float]:
        """The place (d,) where most points are, and their share of all points."""
        if self._frequent is None:
            points = self._points[:: -(-self.count // MOST_COMPARED_POINTS)]
            ordered = points[np.lexsort(points.T)]
            starts = np.flatnonzero(np.r_[True, (ordered[1:] != ordered[:-1]).any(axis=1)])
            counts = np.diff(np.r_[starts, len(points)])
            most = int(np.argmax(counts))
            place = self.centre + self.radius * ordered[starts[most]]
            # To the digits that the scaling keeps.
            digits = 12 - int(np.ceil(np.log10(np.abs(self.centre).max() + self.radius)))
            self._frequent = place.round(digits), float(counts[most] / len(points))
        return self._frequent

    @property
    def full_sigma(self) -> float:
        """The finest sigma at which the points show their surface: less, and neighbours no longer make a plane."""
        if self._ready is not None and self._ready.covariances is not None:
            return self.resolution
        return max(TUNING.full_cells * self.cell, TUNING.full_spacings * self.resolution)

    def full_mixture(self, sigma: float, unit: float, spacing: float) -> Mixture:
        """The mixture of this sigma with full covariances, centred, in this unit of length: one component in each cell
        of `spacing` sigmas."""
        shaped, factor = self._shaped(sigma / self.radius, spacing), self.radius / unit
        return Mixture.unchecked(
            shaped.means * factor,
            shaped.variance * factor**2,
            shaped.weights,
            shaped.bias,
            covariances=None if shaped.covariances is None else shaped.covariances * factor**2,
        )

    def surfels(self, cell: float, unit: float) -> Surfels:
        """The surfels in cells of this size, centred, in this unit of length."""
        return self._made(cell / self.radius).scaled(self.radius / unit)

    @property
    def cell(self) -> float:
        """The smallest cells in which the points fill a surface without holes, within bounds relative to sigma-hat."""
        if self._cell is None:
            finest = TUNING.finest_cell * self.scale / self.radius
            coarsest = TUNING.coarsest_cell * self.scale / self.radius
            self._cell = self.radius * filled_cell(self._along(), finest, coarsest)
        return self._cell


def prepare(points: PointsLike | Mixture | Prepared, *, nu: float = 0.01) -> Prepared:
    """Prepare a point set to register it many times, as source or as target: its SVMs are trained once.

    Parameters
    ----------
    points : PointsLike or Mixture
        Points (n, d) in 2D or 3D, a :class:`Mixture`, or the path of either.
    nu : float
        Of the SVMs, in (0, 1].  Default 0.01.

    Returns
    -------
    Prepared

    Raises
    ------
    InputError
        If the points are not finite, not in 2D or 3D, or all at one place.
    FileError
        If a path cannot be read.

    Examples
    --------
    >>> from svgm import register
    >>> square = np.array([[x, y] for x in range(6) for y in range(9) if x * y == 0])
    >>> target = prepare(square)
    >>> shifts = np.array([[1, 0], [0, 2]])
    >>> bool(np.allclose([register(square + s, target).translation for s in shifts], -shifts, atol=1e-3))
    True
    """
    return as_prepared(points, positive("nu", nu, most=1), "points")


def as_prepared(value: PointsLike | Mixture | Prepared, nu: float, name: str) -> Prepared:
    """What a caller hands over: a prepared set, a mixture, the path of one, or anything that `as_points` takes."""
    if isinstance(value, Prepared):
        return value
    if isinstance(value, str | os.PathLike) and is_mixture_file(value):
        value = Mixture.load(value)
    points = value.means if isinstance(value, Mixture) else as_points(value, name, DIMENSIONS)
    check_dimension(points.shape, name, DIMENSIONS)
    near = not_stray(points)
    strays = 0 if near is None else len(points) - int(near.sum())
    if isinstance(value, Mixture):
        if near is not None and (weights := np.maximum(value.weights[near], 0.0)).any():
            own = None if value.covariances is None else value.covariances[near]
            value = Mixture.unchecked(value.means[near], value.variance, weights / weights.sum(), covariances=own)
        # The means cover the surface at a spacing of about sigma, and an SVM depends on where points are, not on how
        # many there are.  So coarse levels come out as they would from the points behind the mixture.
        return Prepared(value.means[value.weights > 0], nu, name, value, strays=strays)
    points = points if near is None else points[near]
    kept = not_clutter(points)
    clutter = 0 if kept is None else len(points) - int(kept.sum())
    return Prepared(points if kept is None else points[kept], nu, name, strays=strays, clutter=clutter)


def _along_axes(levels: Multiscale, points: Array) -> AlongAxes:
    """The points of a set, or the cells that stand for them, along their principal axes."""
    if levels.cells is None:
        return AlongAxes.of(points)
    (mean, axes), (places, weights) = levels.axes, levels.cells
    return AlongAxes((places - mean) @ axes, weights, mean, axes)


def _make(along: Callable[[], AlongAxes], cell: float) -> Surfels:
    """The surfels of a set in cells of this size."""
    return make_surfels(along(), cell)


def _train(levels: Multiscale, ready: Mixture | None, sigma: float) -> Mixture:
    """The mixture of a set at one sigma: trained, or the ready one if that is about as coarse."""
    if ready is not None and sigma <= TUNING.ready_factor * ready.sigma:
        return ready
    return levels.fit(sigma)


def _shape(levels: Multiscale, ready: Mixture | None, sigma: float, spacing: float) -> Mixture:
    """The mixture of a set at one sigma with full covariances; the ready one if it has them and is about as coarse."""
    if ready is not None and ready.covariances is not None and sigma <= TUNING.ready_factor * ready.sigma:
        return ready
    return levels.fit_full(sigma, spacing)


def scatter_of(prepared: Prepared) -> Array:
    """The covariance of the points of a set, (d, d), in their unit squared."""
    places = prepared._points
    return np.asarray(prepared.radius**2 * np.einsum("ni,nj->ij", places, places) / len(places), dtype=np.float64)


def scaled(prepared: Prepared, factor: float) -> Prepared:
    """The same set with all coordinates times a factor; it shares what was trained."""
    other = copy.copy(prepared)
    other.centre, other.radius = prepared.centre * factor, prepared.radius * factor
    other.scale, other.resolution = prepared.scale * factor, prepared.resolution * factor
    other._cell = prepared.cell * factor
    other._frequent = None
    return other


def mapped(prepared: Prepared, linear: Array) -> Prepared:
    """The set after a linear map (d, d) that may stretch and shear it, prepared anew."""
    places = (prepared.radius * prepared._points + prepared.centre) @ linear.T
    ready = prepared._ready
    if ready is not None:
        whole = np.eye(prepared.dimension + 1)
        whole[:-1, :-1], whole[:-1, -1] = prepared.radius * linear, linear @ prepared.centre
        ready = ready.transformed(whole)
    return Prepared(places, prepared._levels.nu, "source", ready, strays=prepared.strays, clutter=prepared.clutter)
