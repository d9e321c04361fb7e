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

#: Reaches of the last alignment, in fine cells, and its steps.
SETTLING = (BESIDE, 1.3)
SETTLING_STEPS = 5

#: Poses closer than so many coarse cells are one.
SAME = 2.0

#: Least eigenvalue of the normals' scatter, as a share of the mean one.
FLAT = 0.01


@dataclass(frozen=True)
class Verdict:
    """Shares of the source's surfels: `coinciding` with the target's, their normals agreeing; `explained`, lying on the
    target within a fine cell; and `near` it at all."""

    coinciding: float
    explained: float
    near: float
    overlap: float

    @property
    def score(self) -> float:
        """The coinciding share, times the share of coinciding ones among those near the target: what is near the target
        and does not coincide with it speaks against the pose."""
        return self.coinciding**2 / max(self.near, 1e-3)


class Judge:
    """Two sets as surfaces, coarse and fine, in one frame."""

    def __init__(self, coarse: tuple[Surface, Surface], fine: tuple[Surface, Surface]) -> None:
        """Source and target at each of two cell sizes."""
        self._coarse, self._fine = coarse[0], fine[0].every(SAMPLE)
        self._on_coarse = Contact(coarse[1], NEIGHBOURHOOD * coarse[1].cell)
        self._on_fine = Contact(fine[1], BESIDE * fine[1].cell)
        self._whole = [_hold(surface, np.ones(len(surface))) for surface in (self._coarse, self._fine)]

    @property
    def same(self) -> float:
        """Poses closer than this are one: both come to lie in the same place."""
        return SAME * self._coarse.cell

    def settle(self, poses: Array, threads: int) -> Array:
        """Poses (B, d+1, d+1) moved so that the fine surfaces coincide, if they nearly do."""
        reaches = self._fine.cell * np.geomspace(*SETTLING, SETTLING_STEPS)
        return self._on_fine.align(self._fine, poses, reaches, threads)[0]

    def __call__(self, pose: Array) -> Verdict:
        """How the source lies on the target under this pose."""
        cell = self._fine.cell
        distance, along, cosine = self._on_fine.residuals(self._fine, pose)
        beside = distance < BESIDE * cell
        coinciding = beside * (1.0 - (np.minimum(along, COINCIDE * cell) / (COINCIDE * cell)) ** 2) * cosine**4
        explained = beside & (along < cell)
        around, _, _ = self._on_coarse.residuals(self._coarse, pose)
        return Verdict(
            coinciding=_hold(self._fine, coinciding) / self._whole[1],
            explained=_hold(self._fine, explained) / self._whole[1],
            near=_hold(self._coarse, around < NEIGHBOURHOOD * self._coarse.cell) / self._whole[0],
            overlap=float(explained.mean()),
        )


def _hold(surface: Surface, shares: Array) -> float:
    """How firmly these shares of the surfels hold the surface in all directions: the geometric mean of the eigenvalues of
    their mean n nᵀ.  However much of the ground lies on the ground, it is the walls that tell where one is."""
    d = surface.normals.shape[1]
    normals = surface.normals.astype(np.float64)
    information = (normals * shares[:, None]).T @ normals / len(normals)
    # Directions in which a flat set has no surface count a little, so that the rest can be compared.
    information += FLAT * np.trace(information) / d * np.eye(d)
    return float(np.linalg.det(information) ** (1.0 / d))
