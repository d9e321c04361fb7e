"""A point set or a ready mixture, seen at any scale: what Algorithm 1 trains anew at every level of its annealing.

Each lives in a frame of its own, centred and of root mean square radius 1: survey coordinates of 1e6 lose no digits
there, and what was trained for one registration serves the next.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from svgm import _core
from svgm.checks.arguments import positive
from svgm.checks.errors import InputError
from svgm.geometry.points import Array, as_points, check_dimension
from svgm.geometry.scale import resolution_of
from svgm.geometry.strays import not_stray
from svgm.mixture.mixture import Mixture, is_mixture_file
from svgm.mixture.multiscale import Levels
from svgm.registration.recent import Recent
from svgm.registration.search.surfels import Surface, filled_cell, surface

#: Cells that are one point to the SVM, as a fraction of sigma: 0.35 finds no more dragon pairs, 0.7 loses some.
THINNING = 0.5

#: Of the SVM's duality gap, relative to its objective.
TOLERANCE = 0.03

#: A ready mixture serves levels up to this many times coarser than itself, half a step of the annealing.
FINE_ENOUGH = 1.34

#: Mixtures and surfaces kept, at most: a registration asks for up to twenty scales, a partner with another scale for
#: others.
KEPT_MIXTURES = 24
KEPT_SURFACES = 6

#: Dimensions in which sets are registered.
DIMENSIONS = (2, 3)

#: Finest and coarsest cells of a surface, as fractions of sigma-hat.
GRAINS = (1.0 / 30.0, 1.0 / 3.0)


class Prepared:
    """A point set ready to be registered, with the mixtures trained so far; see :func:`prepare`.

    Attributes
    ----------
    dimension
        Of the points.
    centre
        Their mean (d,).
    radius
        Their root mean square distance from it.
    scale
        Their sigma-hat, eq. (3).
    resolution
        The finest sigma worth training at: the points' spacing, or a ready mixture's own sigma.
    strays
        How many points were left out because they lie far from all others, see :mod:`svgm.geometry.strays`.

    Examples
    --------
    >>> from svgm import datasets, register
    >>> target = prepare(datasets.butterfly(300))
    >>> target.dimension, target.resolution < target.scale < target.radius
    (2, True)
    >>> register(datasets.butterfly(300, seed=1), target).converged
    True

    What it keeps are mixtures and surfaces at the scales that were asked for, about their centre and in a unit of
    length; `grain` is the smallest cell whose surface has no holes:

    >>> target.mixture(0.1, unit=1.0).sigma
    0.1
    >>> len(target.surface(target.grain, unit=1.0)) > 10
    True
    """

    def __init__(self, places: Array, nu: float, name: str, ready: Mixture | None = None, strays: int = 0) -> None:
        self.dimension = int(places.shape[1])
        self.strays = strays
        self.centre: Array = places.mean(axis=0)
        centred = places - self.centre
        self.radius = float(np.sqrt(np.einsum("ij,ij->", centred, centred) / len(centred)))
        if self.radius <= 1e-14 * max(1e-300, float(np.abs(places).max())):
            raise InputError(f"{name} must not be a single place: it holds no pose")
        centred /= self.radius
        spacing = resolution_of(centred)
        self._points = centred
        self._surfaces: Recent[Surface] = Recent(KEPT_SURFACES)
        self._grain: float | None = None
        self._levels = Levels(
            centred, np.ones(len(centred)), resolution=spacing, nu=nu, thinning=THINNING, tolerance=TOLERANCE
        )
        self._ready = ready
        self._mixtures: Recent[Mixture] = Recent(KEPT_MIXTURES)
        #: sigma-hat of eq. (3)
        self.scale = self.radius * self._levels.scale
        #: The finest sigma worth training at: the points' spacing, or a ready mixture's own sigma.
        self.resolution = self.radius * spacing if ready is None else ready.sigma

    def mixture(self, sigma: float, unit: float) -> Mixture:
        """Train and convert, lines 4 and 5 of Algorithm 1: the mixture of this sigma, centred, in this unit of length.

        A ready mixture stays as it is where training on its means would make it hardly coarser.
        """
        mixture, factor = self._mixtures.get(sigma, lambda: self._train(sigma)), self.radius / unit
        return Mixture.unchecked(mixture.means * factor, mixture.variance * factor**2, mixture.weights)

    def surface(self, cell: float, unit: float) -> Surface:
        """The set as a surface of cells this large, centred, in this unit of length."""
        made = self._surfaces.get(cell, lambda: surface(self._points, cell / self.radius))
        return made.scaled(self.radius / unit)

    @property
    def grain(self) -> float:
        """The smallest cells in which the points fill a surface without holes, between the fractions `GRAINS` of
        sigma-hat."""
        if self._grain is None:
            finest, coarsest = (share * self.scale / self.radius for share in GRAINS)
            self._grain = self.radius * filled_cell(self._points, finest, coarsest)
        return self._grain

    def _train(self, sigma: float) -> Mixture:
        ready = self._ready
        if ready is not None and sigma <= FINE_ENOUGH * ready.sigma:
            return Mixture((ready.means - self.centre) / self.radius, ready.variance / self.radius**2, ready.weights)
        return self._levels.at(sigma / self.radius)


def prepare(points: Any, *, nu: float = 0.01) -> Prepared:
    """A point set to register many times, as source or as target: its SVMs are trained once.

    Parameters
    ----------
    points
        What :func:`svgm.register` takes: points (n, d), a :class:`Mixture` or the path of either.
    nu
        Of the SVMs, in (0, 1].

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


def train_both(moving: Prepared, fixed: Prepared, sigma: float, unit: float, threads: int) -> tuple[Mixture, Mixture]:
    """Both sets at one sigma, at the same time if there are threads for it."""
    if threads == 1:
        return moving.mixture(sigma, unit), fixed.mixture(sigma, unit)
    from concurrent.futures import ThreadPoolExecutor

    stop = _core.Stop()
    with ThreadPoolExecutor(max_workers=1) as pool:
        other = pool.submit(stop.run, fixed.mixture, sigma, unit)
        try:
            return moving.mixture(sigma, unit), other.result()
        except BaseException:
            stop.set()  # signals are heard on the main thread alone, and the pool waits for the other one
            raise


def as_prepared(value: Any, nu: float, name: str) -> Prepared:
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
            value = Mixture.unchecked(value.means[near], value.variance, weights / weights.sum())
        # The means cover the surface at a spacing of about sigma, and an SVM heeds where points are, not how many, so
        # coarse levels come out as they would from the points behind the mixture.
        return Prepared(value.means[value.weights > 0], nu, name, value, strays)
    return Prepared(points if near is None else points[near], nu, name, strays=strays)
