"""Two sets that are registered: their mixtures and surfaces at any scale, in one frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.frame import Frame
from svgm.mixture import Mixture
from svgm.representation import Prepared, train_both
from svgm.search.judge import Judge

#: Cells of the surfaces, as fractions of sigma-hat.
COARSE_CELL = 1.0 / 11.0
FINE_CELL = 1.0 / 30.0

#: Finest cells in units of the points' spacing: fewer points a cell have no normal.
FEWEST = 1.2

#: A set with fewer surfels has no surface to speak of.
FEWEST_SURFELS = 8


@dataclass(frozen=True)
class Pair:
    """The set that moves and the one that stays, their common frame and sigma-hat."""

    moving: Prepared
    fixed: Prepared
    frame: Frame
    scale: float
    threads: int

    @property
    def dimension(self) -> int:
        """Of both."""
        return self.moving.dimension

    def sigma(self, gamma: float) -> float:
        """Of the mixtures at a multiple of gamma-hat, in the points' unit."""
        return float(self.scale / np.sqrt(gamma))

    def width(self, gamma: float) -> float:
        """The same in the frame."""
        return self.sigma(gamma) / self.frame.unit

    def mixtures(self, gamma: float) -> tuple[Mixture, Mixture]:
        """Both sets at one scale: lines 4 and 5 of Algorithm 1."""
        return train_both(self.moving, self.fixed, self.sigma(gamma), self.frame.unit, self.threads)

    def judge(self) -> Judge | None:
        """Both sets as surfaces; None if one of them has none, as a handful of landmarks."""
        spacing = FEWEST * max(self.moving.resolution, self.fixed.resolution)
        fine = max(FINE_CELL * self.scale, spacing)
        coarse = max(COARSE_CELL * self.scale, fine)
        source, target = (
            (prepared.surface(coarse, self.frame.unit), prepared.surface(fine, self.frame.unit))
            for prepared in (self.moving, self.fixed)
        )
        if min(len(surface) for surface in (*source, *target)) < FEWEST_SURFELS:
            return None
        return Judge(source, target)
