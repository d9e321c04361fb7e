"""Two sets that are registered: their mixtures and surfaces at any scale, in one frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture
from svgm.registration.frame import Frame
from svgm.registration.prepared import Prepared, train_both
from svgm.registration.search.surface_score import Judge
from svgm.registration.search.surfels import Surface

#: Cells of the surfaces that a search aligns, as a fraction of sigma-hat, and at least in units of the points' spacing.
SEARCH_CELL = 1.0 / 11.0
FEWEST = 1.2

#: Cells of the judge's coarse surfaces, in its fine ones.
COARSER = 2.7

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

    def judge(self, viewpoints: tuple[Array | None, Array | None]) -> Judge | None:
        """Both sets as surfaces to judge poses by; None if one of them has none, as a handful of landmarks.

        `viewpoints` of the source's and the target's sensor, each in the coordinates of its set, if they are known.
        """
        fine = max(self.moving.grain, self.fixed.grain)
        coarse_pair, fine_pair = self._surfaces(COARSER * fine), self._surfaces(fine)
        if min(len(surface) for surface in (*coarse_pair, *fine_pair)) < FEWEST_SURFELS:
            return None
        centres = self.moving.centre, self.fixed.centre
        inside = [None if v is None else (v - c) / self.frame.unit for v, c in zip(viewpoints, centres, strict=True)]
        return Judge(coarse_pair, fine_pair, (inside[0], inside[1]))

    def search_surfaces(self) -> tuple[Surface, Surface] | None:
        """Both sets as surfaces that a search aligns, or None."""
        spacing = FEWEST * max(self.moving.resolution, self.fixed.resolution)
        surfaces = self._surfaces(max(SEARCH_CELL * self.scale, spacing))
        return None if min(map(len, surfaces)) < FEWEST_SURFELS else surfaces

    def _surfaces(self, cell: float) -> tuple[Surface, Surface]:
        unit = self.frame.unit
        return self.moving.surface(cell, unit), self.fixed.surface(cell, unit)
