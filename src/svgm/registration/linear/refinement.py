"""Refinement of a similarity or an affine map, level by level.

The function is that of :mod:`svgm.registration.linear.objective`, so no level is won by shrinking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from svgm.checks.types import Array
from svgm.registration.linear.carried import carried, joined, split
from svgm.registration.linear.objective import LinearObjective
from svgm.registration.minimise import minimise
from svgm.registration.prepared import Prepared
from svgm.registration.problem import Problem, problem_of
from svgm.registration.tuning import TUNING

#: The last step of the last level, in sigmas; the others need not be exact.
EXACT_STEP = 1e-6


@dataclass(frozen=True)
class Refinement:
    """How maps between two sets are refined.

    Attributes
    ----------
    source, target
        The two sets.
    affine
        Whether all linear maps are allowed, or similarities only.
    full
        Whether the components of the fine levels may have full covariances.
    max_iterations
        Newton steps of a level, at most.
    threads
        Threads of the sums.
    """

    source: Prepared
    target: Prepared
    affine: bool
    full: bool
    max_iterations: int
    threads: int

    def __call__(self, matrix: Array, gammas: Sequence[float], *, exact: bool = False) -> tuple[Array, float]:
        """The minimum next to a matrix (d+1, d+1), and minus the correlation there at the last of the levels.

        Before each level the source is moved by the scale, or by the linear part, that is known so far, and its mixture
        is made anew.  So the Gaussians of both sets are of one size.
        """
        value = 0.0
        for number, gamma in enumerate(gammas):
            first, rest = split(matrix, affine=self.affine)
            moved = carried(self.source, first, affine=self.affine)
            with problem_of(moved, self.target, scale=self.target.scale, full=self.full, threads=1) as problem:
                found, value = self._minimum(problem, rest, gamma, exact and number == len(gammas) - 1)
            matrix = joined(found, first)
        return matrix, value

    def resolved(self, matrix: Array) -> float:
        """The finest gamma that both sets resolve, the source moved by this matrix."""
        first, _ = split(matrix, affine=self.affine)
        moved = carried(self.source, first, affine=self.affine)
        with problem_of(moved, self.target, scale=self.target.scale, full=self.full, threads=1) as problem:
            return problem.resolved()

    def _minimum(self, problem: Problem, start: Array, gamma: float, exact: bool) -> tuple[Array, float]:
        mixtures, sigma = problem.level_mixtures(gamma), problem.sigma(gamma) / problem.coordinates.unit
        pose = problem.coordinates.normalise(start)
        for search in (True, False) if exact else (True,):
            minimum = minimise(
                LinearObjective(*mixtures, affine=self.affine, search=search, threads=self.threads),
                pose[None],
                radius=TUNING.first_radius * sigma,
                max_radius=TUNING.largest_radius * sigma,
                step_tolerance=(TUNING.level_step if search else EXACT_STEP) * sigma,
                max_iterations=self.max_iterations,
            )
            pose = minimum.poses[0]
        return problem.coordinates.restore(pose), float(minimum.values[0])
