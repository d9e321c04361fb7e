"""Whether a pose is right: surfaces that coincide do so to a fraction of their sampling, those that only resemble each
other do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svgm.points import Array
from svgm.search.surface import Contact, Surface

#: Surfels coincide if the distance along the normal is below this share of a fine cell ...
COINCIDE = 0.4

#: ... and lie beside each other if they are this near, in fine cells; the table of the target reaches so far.
BESIDE = 2.0

#: Surfels are in each other's neighbourhood if they are this near, in coarse cells.
NEIGHBOURHOOD = 2.5

#: Fine surfels of the source that are looked at, at most: counts of 8,000 are good to a percent.
SAMPLE = 8000

#: How far the coarse table reaches, in coarse cells.
REACH = 5.0


@dataclass(frozen=True)
class Verdict:
    """Shares of the source's surfels: `coinciding` with the target's, their normals agreeing; `explained`, lying on the
    target within a fine cell; and `near` it at all."""

    coinciding: float
    explained: float
    near: float

    @property
    def score(self) -> float:
        """The coinciding share, times the share of coinciding ones among those near the target: what is near the target
        and does not coincide with it speaks against the pose."""
        return self.coinciding**2 / max(self.near, 1e-3)


class Judge:
    """Two sets as surfaces, coarse and fine, in one frame."""

    def __init__(self, source: tuple[Surface, Surface], target: tuple[Surface, Surface]) -> None:
        self.coarse, self.fine = source
        self.on_coarse = Contact(target[0], REACH * target[0].cell)
        self.on_fine = Contact(target[1], BESIDE * target[1].cell)
        self._sample = self.fine.every(SAMPLE)

    def __call__(self, pose: Array) -> Verdict:
        """How the source lies on the target under this pose."""
        cell = self.fine.cell
        distance, along, cosine = self.on_fine.residuals(self._sample, pose)
        beside = distance < BESIDE * cell
        share = np.where(beside, 1.0 - (np.minimum(along, COINCIDE * cell) / (COINCIDE * cell)) ** 2, 0.0) * cosine**4
        around, _, _ = self.on_coarse.residuals(self.coarse, pose)
        return Verdict(
            coinciding=float(share.mean()),
            explained=float((beside & (along < cell)).mean()),
            near=float((around < NEIGHBOURHOOD * self.coarse.cell).mean()),
        )
