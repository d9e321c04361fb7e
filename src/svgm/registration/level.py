"""One level of the annealing: eq. (14) at one scale, minimised from several poses."""

from __future__ import annotations

from dataclasses import dataclass

from svgm.checks.types import Array
from svgm.registration.minimise import Minimum, minimise
from svgm.registration.objective import Objective
from svgm.registration.stage import Stage
from svgm.registration.tuning import TUNING


@dataclass(frozen=True)
class Level:
    """The objective of the two mixtures at one gamma, and the sigma of their Gaussians in normalised coordinates."""

    gamma: float
    sigma: float
    objective: Objective

    def minimise(self, poses: Array, max_iterations: int) -> Minimum:
        """The minima next to these poses; of two starts that meet, one goes on."""
        return minimise(
            self.objective,
            poses,
            radius=TUNING.first_radius * self.sigma,
            max_radius=TUNING.largest_radius * self.sigma,
            step_tolerance=TUNING.level_step * self.sigma,
            max_iterations=max_iterations,
            same=TUNING.same_candidate * self.sigma,
        )


@dataclass(frozen=True)
class SearchOutcome:
    """What a search found: poses in normalised coordinates, the answer first; the finest level; a record per level."""

    poses: Array
    level: Level
    stages: tuple[Stage, ...]
