"""Whether a pose is right: surfaces that coincide do so to a fraction of their sampling, those that only resemble each
other do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svgm.geometry.points import Array
from svgm.registration.search.free_space import FreeSpace
from svgm.registration.search.surfels import Contact, Surface
from svgm.rigid import apply, invert

#: Surfels coincide if the distance along the normal is below this share of a fine cell ...
COINCIDE = 0.4

#: ... and lie beside each other if they are this near, in fine cells; the table of the target reaches so far.
BESIDE = 2.0

#: Surfels are in each other's neighbourhood if they are this near, in coarse cells.
NEIGHBOURHOOD = 2.5

#: Fine surfels of the source that are looked at, at most: counts of 8,000 are good to a percent.
SAMPLE = 8000

#: Reaches of an alignment of the coarse surfaces, in coarse cells, its steps, and the surfels that take part.
APPROACH = (NEIGHBOURHOOD, 1.0)
APPROACH_STEPS = 6
APPROACH_SAMPLE = 1000

#: Reaches of the last alignment, in fine cells, and its steps.
SETTLING = (BESIDE, 1.3)
SETTLING_STEPS = 5

#: Poses closer than so many coarse cells are one.
SAME = 1.0

#: Where this share of the surfaces stands in free space, the score falls by a factor e: at the true poses of the dragon
#: it is up to 0.02, at wrong ones mostly above 0.1.
BLOCKED = 0.02

#: Least eigenvalue of the normals' scatter, as a share of the mean one.
FLAT = 0.01


@dataclass(frozen=True)
class Verdict:
    """How much of the source coincides with the target, normals agreeing; how much lies on it, within a fine cell; how
    much is near it at all: shares of what holds the source in place.

    `overlap` is the share of the source's surface that lies on the target; `blocked` the shares, added, of the two
    surfaces that stand where the other one's sensor looked through, 0 if nothing is known of the sensors.
    """

    coinciding: float
    explained: float
    near: float
    overlap: float
    blocked: float

    @property
    def score(self) -> float:
        """The coinciding share, times the share of coinciding ones among those near the target: what is near the target
        and does not coincide with it speaks against the pose, as does what stands in free space."""
        return self.coinciding**2 / max(self.near, 1e-3) * float(np.exp(-self.blocked / BLOCKED))


class Judge:
    """Two sets as surfaces, coarse and fine, in one frame."""

    def __init__(
        self,
        coarse: tuple[Surface, Surface],
        fine: tuple[Surface, Surface],
        viewpoints: tuple[Array | None, Array | None] = (None, None),
    ) -> None:
        """Source and target at each of two cell sizes, and where their sensors stood, if that is known."""
        self._coarse, self._fine = coarse[0], fine[0].every(SAMPLE)
        self._on_coarse = Contact(coarse[1], NEIGHBOURHOOD * coarse[1].cell)
        self._on_fine = Contact(fine[1], BESIDE * fine[1].cell)
        self._whole = [_hold(surface, np.ones(len(surface))) for surface in (self._coarse, self._fine)]
        self._places = [surface.means.astype(np.float64) for surface in coarse]
        self._free = [
            None if viewpoint is None else FreeSpace(viewpoint, surface.means.astype(np.float64), surface.cell)
            for viewpoint, surface in zip(viewpoints, fine, strict=True)
        ]

    @property
    def cell(self) -> float:
        """Of the fine surfaces."""
        return self._fine.cell

    @property
    def same(self) -> float:
        """Poses closer than this are one: both come to lie in the same place."""
        return SAME * self._coarse.cell

    def approach(self, poses: Array, threads: int) -> tuple[Array, Array]:
        """Poses (B, d+1, d+1) moved so that the coarse surfaces come to lie on each other, and their scores (B,)."""
        reaches = self._coarse.cell * np.geomspace(*APPROACH, APPROACH_STEPS)
        return self._on_coarse.align(self._coarse.every(APPROACH_SAMPLE), poses, reaches, threads)

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
            blocked=self.blocked(pose),
        )

    def blocked(self, pose: Array) -> float:
        """Shares, added, of the surfaces that stand where the other one's sensor looked through."""
        by_source, by_target = self._free
        share = 0.0 if by_target is None else by_target.blocked(apply(pose, self._places[0]))
        return share + (0.0 if by_source is None else by_source.blocked(apply(invert(pose), self._places[1])))

    @property
    def knows_sensors(self) -> bool:
        """Whether free space is known."""
        return any(free is not None for free in self._free)


def _hold(surface: Surface, shares: Array | NDArray[np.bool_]) -> float:
    """How firmly these shares of the surfels hold the surface: the geometric mean of the eigenvalues of sum n nᵀ.

    However much of the ground lies on the ground, it is the walls that tell where one is.
    """
    d = surface.normals.shape[1]
    normals = surface.normals.astype(np.float64)
    information = (normals * shares[:, None]).T @ normals / len(normals)
    # Directions in which a flat set has no surface count a little, so that the rest can be compared.
    information += FLAT * np.trace(information) / d * np.eye(d)
    return float(np.linalg.det(information) ** (1.0 / d))
