"""A registration problem: two prepared sets in normalised coordinates, and its levels: eq. (14) at any scale."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from svgm import _core
from svgm.checks.errors import InputError
from svgm.checks.types import Array
from svgm.mixture.mixture import Mixture
from svgm.registration.minimise import Minimum, minimise
from svgm.registration.objective import Objective
from svgm.registration.prepared import Prepared
from svgm.registration.search.surface_score import SurfaceScorer
from svgm.registration.search.surfels import Surfels
from svgm.registration.search.viewpoint import Viewpoint, estimate_viewpoint
from svgm.registration.stage import Stage
from svgm.registration.tuning import TUNING
from svgm.rigid import pose

#: Largest number of pairs of components that a level may sum over (a few tenths of a second).  If a level needs more,
#: no finer level follows.  Surfaces stay far below (dragon 23 million, outdoor scans 36 million).  Points that fill a
#: volume evenly would need a hundred times as much at the finest levels (lab notes).
AFFORDABLE_PAIRS = 1e8

#: About how many evaluations the refinement of one answer takes.
REFINEMENT_EVALUATIONS = 10

#: Surfels of a set in the global search, at most: surfaces have some 5,000, points that fill a volume up to 90,000.
MOST_SEARCH_SURFELS = 20_000

#: Ratio of the sizes of the two sets, at most: beyond it the smaller set is like one point beside the larger one.
LARGEST_RATIO = 1e12


#: Makes the mixture of one sigma in a unit of length.
Train = Callable[[float, float], Mixture]


@dataclass(frozen=True)
class Coordinates:
    """Normalised coordinates: both sets centred, one unit of length.

    Survey coordinates of 1e6 lose no digits there, and a result cannot depend on the unit of length.  One radian moves
    a typical source point by one unit, so rotations and translations weigh the same in a trust region.
    """

    source_centre: Array
    target_centre: Array
    unit: float

    def normalise(self, T: Array) -> Array:
        """A pose between the sets, as a pose between the normalised sets."""
        d = len(self.source_centre)
        shift = T[:d, :d] @ self.source_centre + T[:d, d] - self.target_centre
        return pose(T[:d, :d], shift / self.unit)

    def restore(self, T: Array) -> Array:
        """The inverse of :meth:`normalise`."""
        d = len(self.source_centre)
        shift = self.unit * T[:d, d] + self.target_centre - T[:d, :d] @ self.source_centre
        return pose(T[:d, :d], shift)

    def restore_mixtures(self, source: Mixture, target: Mixture) -> tuple[Mixture, Mixture]:
        """Two normalised mixtures, each in the coordinates of its own set."""
        centres = self.source_centre, self.target_centre
        restored = [
            Mixture.unchecked(
                self.unit * mixture.means + centre,
                self.unit**2 * mixture.variance,
                mixture.weights,
                mixture.bias,
                covariances=None if mixture.covariances is None else self.unit**2 * mixture.covariances,
            )
            for mixture, centre in zip((source, target), centres, strict=True)
        ]
        return restored[0], restored[1]


@dataclass(frozen=True)
class Level:
    """The objective of the two mixtures at one gamma, and the sigma of their Gaussians in normalised coordinates."""

    gamma: float
    sigma: float
    objective: Objective

    @property
    def full(self) -> bool:
        """Whether the components have full covariances."""
        return self.objective.source.covariances is not None

    def minimise(self, poses: Array, max_iterations: int) -> Minimum:
        """The minima next to these poses; if two starts come to the same pose, one of them is dropped."""
        return minimise(
            self.objective,
            poses,
            radius=TUNING.first_radius * self.sigma,
            max_radius=TUNING.largest_radius * self.sigma,
            step_tolerance=TUNING.level_step * self.sigma,
            max_iterations=max_iterations,
            same=TUNING.same_candidate * self.sigma,
        )

    def affordable(self, evaluations: int = 0) -> bool:
        """Whether this number of evaluations, and the refinement of one pose, sum over few enough pairs."""
        counted = max(REFINEMENT_EVALUATIONS, evaluations)
        at_most = len(self.objective.source) * len(self.objective.target)
        return counted * at_most <= AFFORDABLE_PAIRS or counted * self.objective.near_pairs() <= AFFORDABLE_PAIRS


@dataclass(frozen=True)
class SearchOutcome:
    """What a search found: poses in normalised coordinates, the answer first; the finest level; a record per level."""

    poses: Array
    level: Level
    stages: tuple[Stage, ...]

    def starting_with(self, chosen: int) -> SearchOutcome:
        """The same with this pose as the answer."""
        order = np.r_[chosen, np.delete(np.arange(len(self.poses)), chosen)]
        return replace(self, poses=self.poses[order])


@dataclass(frozen=True)
class Problem:
    """The two sets, their coordinates, the sigma-hat to which gammas refer, whether the finest components have full
    covariances, and the threads that train the SVMs."""

    source: Prepared
    target: Prepared
    coordinates: Coordinates
    scale: float
    full: bool
    threads: int
    pool: ThreadPoolExecutor | None

    def sigma(self, gamma: float) -> float:
        """Sigma of the mixtures at this gamma, in the unit of the points."""
        return float(self.scale / np.sqrt(gamma))

    def mixtures(self, gamma: float) -> tuple[Mixture, Mixture]:
        """Both sets at one scale, normalised: lines 4 and 5 of Algorithm 1."""
        return self._both(self.source.mixture, self.target.mixture, gamma)

    def _both(self, source: Train, target: Train, gamma: float) -> tuple[Mixture, Mixture]:
        sigma, unit = self.sigma(gamma), self.coordinates.unit
        if self.pool is None:
            return source(sigma, unit), target(sigma, unit)
        stop = _core.Stop()
        try:
            # Inside: Ctrl-C may come as soon as the other thread has begun.
            other = self.pool.submit(stop.run, target, sigma, unit)
            return source(sigma, unit), other.result()
        except BaseException:
            stop.set()  # only the main thread receives Ctrl-C, and the pool waits for its own thread
            raise

    def level(self, gamma: float, *, far: bool = False, full_from: float | None = None) -> Level:
        """The level of a gamma; with `far`, pairs of components are summed at any distance.

        From the gamma `full_from` on (default `TUNING.full_from`) its components have full covariances, if they may.
        """
        mixtures = self.level_mixtures(gamma, TUNING.full_from if full_from is None else full_from)
        objective = Objective(*mixtures, search=True, far=far, threads=self.threads)
        return Level(gamma, self.sigma(gamma) / self.coordinates.unit, objective)

    def level_mixtures(self, gamma: float, full_from: float = TUNING.full_from) -> tuple[Mixture, Mixture]:
        """Both sets at one scale, normalised; from the gamma `full_from` on with full covariances, if they may."""
        if not self.full or gamma < full_from:
            return self.mixtures(gamma)
        spacing = TUNING.full_spacing if gamma > 0.9 * self.resolved() else TUNING.coarse_spacing
        source, target = (partial(each.full_mixture, spacing=spacing) for each in (self.source, self.target))
        return self._both(source, target, gamma)

    def resolved(self) -> float:
        """The finest gamma worth a level: where sigma is the sets' spacing or, with full covariances, `full_sigma`."""
        if not self.full:
            return (self.scale / max(self.source.resolution, self.target.resolution)) ** 2
        return min(_surface_gamma(self.source, self.target, self.scale), TUNING.finest_gamma)

    def descend(self, gammas: Sequence[float], poses: Array, max_iterations: int) -> SearchOutcome:
        """Minimise eq. (14) from these poses, level by level; the best answer comes first."""
        stages = []
        for gamma in gammas:
            level = self.level(gamma)
            minimum = level.minimise(poses, max_iterations)
            order = np.argsort(minimum.values, kind="stable")
            poses = minimum.poses[order[~minimum.given_up[order]]]
            stages.append(self.stage(level, minimum, poses[0], float(minimum.values.min())))
        return SearchOutcome(poses, level, tuple(stages))

    def stage(self, level: Level, minimum: Minimum, best: Array, value: float) -> Stage:
        """The record of a level whose best answer is this pose."""
        source, target = level.objective.source, level.objective.target
        return Stage(
            gamma=float(level.gamma),
            sigma=self.sigma(level.gamma),
            components=(len(source), len(target)),
            candidates=len(minimum.poses),
            iterations=int(minimum.iterations.sum()),
            objective=value,
            transformation=self.coordinates.restore(best),
            mixtures=self.coordinates.restore_mixtures(source, target),
        )

    def scorer(self, viewpoints: tuple[Array | None, Array | None], *, estimated: bool = False) -> SurfaceScorer | None:
        """Scores poses by the surfaces of both sets; None if one of them has no surface, such as a few landmarks.

        `viewpoints` are those of the source's and the target's sensor, each in the coordinates of its set, if known.
        If `estimated`, the others are estimated.
        """
        fine = max(self.source.cell, self.target.cell)
        coarse_pair, fine_pair = self._surfels(TUNING.coarse_factor * fine), self._surfels(fine)
        if min(len(surfels) for surfels in (*coarse_pair, *fine_pair)) < TUNING.fewest_surfels:
            return None
        known: list[Viewpoint | None] = []
        for prepared, place in zip((self.source, self.target), viewpoints, strict=True):
            if place is not None:
                known.append(Viewpoint((place - prepared.centre) / self.coordinates.unit, side_known=True))
            else:
                known.append(self._estimated_viewpoint(prepared) if estimated else None)
        return SurfaceScorer(coarse_pair, fine_pair, (known[0], known[1]))

    def _estimated_viewpoint(self, prepared: Prepared) -> Viewpoint:
        """Where the sensor of a set stood, by cells that its points fill."""
        surfels = prepared.surfels(max(TUNING.search_cell * self.scale, prepared.cell), self.coordinates.unit)
        return estimate_viewpoint(surfels.means.astype(np.float64), surfels.cell, self.threads)

    def search_surfels(self) -> tuple[Surfels, Surfels] | None:
        """Surfels of both sets for the global search, or None."""
        spacing = TUNING.search_spacings * max(self.source.resolution, self.target.resolution)
        cell = max(TUNING.search_cell * self.scale, spacing)
        surfels = self._surfels(cell)
        while max(map(len, surfels)) > MOST_SEARCH_SURFELS:
            cell *= 1.5
            surfels = self._surfels(cell)
        return None if min(map(len, surfels)) < TUNING.fewest_surfels else surfels

    def _surfels(self, cell: float) -> tuple[Surfels, Surfels]:
        unit = self.coordinates.unit
        return self.source.surfels(cell, unit), self.target.surfels(cell, unit)


def _surface_gamma(source: Prepared, target: Prepared, scale: float) -> float:
    """The gamma at which sigma is as fine as both sets show their surfaces."""
    return float((scale / max(source.full_sigma, target.full_sigma)) ** 2)


@contextmanager
def problem_of(
    source: Prepared, target: Prepared, *, scale: float | None = None, full: bool = False, threads: int = 1
) -> Iterator[Problem]:
    """The problem of registering two sets, with a second thread for training if `threads` is larger than 1.

    `scale` is the sigma-hat to which gammas refer; default: the geometric mean of the two sets' own.  If `full`, the
    components of the fine levels have full covariances, unless the points are too sparse to show a surface there.
    """
    check_pair(source, target)
    coordinates = Coordinates(source.centre, target.centre, source.radius)
    common = float(np.sqrt(source.scale * target.scale)) if scale is None else scale
    full = full and _surface_gamma(source, target, common) >= TUNING.full_from
    if threads == 1:
        yield Problem(source, target, coordinates, common, full, threads, None)
        return
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield Problem(source, target, coordinates, common, full, threads, pool)


def check_pair(source: Prepared, target: Prepared) -> None:
    """Raise an InputError if two sets cannot be registered."""
    if source.dimension != target.dimension:
        raise InputError(
            f"source and target must have the same dimension, got {source.dimension} and {target.dimension}"
        )
    ratio = max(source.radius / target.radius, target.radius / source.radius)
    if ratio > LARGEST_RATIO:
        raise InputError(f"source and target differ in size by a factor of {ratio:.1g}: are both in one unit?")
