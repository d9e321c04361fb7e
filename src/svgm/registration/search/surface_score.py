"""The surface score of a pose.

Two surfaces that belong together coincide to a fraction of their sampling.  Two that only look alike do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svgm.checks.types import Array
from svgm.registration.search.free_space import FreeSpace
from svgm.registration.search.surfels import Surfels, SurfelTable
from svgm.registration.search.viewpoint import Viewpoint
from svgm.registration.tuning import TUNING
from svgm.rigid import apply, invert

#: Cells across a place: a surfel's normal comes from the points of its cell and of the neighbouring ones.
PLACE = 3.0


@dataclass(frozen=True)
class SurfaceScore:
    """How the source lies on the target.

    The first three are shares of what holds the source in place (see `_hold`).

    Attributes
    ----------
    coinciding
        The share that coincides with the target, with equal normals.
    explained
        The share that lies on the target, within a fine cell.
    near
        The share that is near the target at all.
    overlap
        The share of the source's surfels that lie on the target.
    doubt
        How much the two sensors speak against the pose: what stands where the other sensor looked through, see
        `FreeSpace.doubt`.  0 if no viewpoint is known.
    places
        Number of independent places at which the source lies on the target.
    held
        How firmly what coincides holds the pose along the weakest direction, in [0, 1]: 0 for a wall on a wall.
    """

    coinciding: float
    explained: float
    near: float
    overlap: float
    doubt: float
    places: float
    held: float

    @property
    def score(self) -> float:
        """The coinciding share, times the share of the coinciding among the near.

        What is near the target and does not coincide with it speaks against the pose.  So does what stands in free
        space.
        """
        return self.coinciding**2 / max(self.near, 1e-3) * float(np.exp(-self.doubt))


class SurfaceScorer:
    """Scores poses of two sets by their surfels, coarse and fine.

    Parameters
    ----------
    coarse, fine
        The source's and the target's surfels at two cell sizes, in normalised coordinates.
    viewpoints
        Where the source's and the target's sensor stood, if that is known or estimated.
    """

    def __init__(
        self,
        coarse: tuple[Surfels, Surfels],
        fine: tuple[Surfels, Surfels],
        viewpoints: tuple[Viewpoint | None, Viewpoint | None] = (None, None),
    ) -> None:
        self._free = [
            None if viewpoint is None else FreeSpace(viewpoint, surfels.means.astype(np.float64), surfels.cell)
            for viewpoint, surfels in zip(viewpoints, fine, strict=True)
        ]
        moving, fixed = (
            surfels if viewpoint is None or free is None else surfels.facing(viewpoint, free.behind)
            for surfels, viewpoint, free in zip(fine, viewpoints, self._free, strict=True)
        )
        self._coarse, self._fine = coarse[0], moving.every(TUNING.scored_surfels)
        self._on_coarse = SurfelTable(coarse[1], TUNING.near * coarse[1].cell)
        self._on_fine = SurfelTable(fixed, TUNING.beside * fixed.cell)
        self._whole = [_hold(surfels, np.ones(len(surfels))) for surfels in (self._coarse, self._fine)]
        self._targets = coarse[1], fine[1]
        self._places = [surfels.means.astype(np.float64) for surfels in coarse]
        self._sided = fixed.sided

    @property
    def cell(self) -> float:
        """Side of the fine cells."""
        return self._fine.cell

    @property
    def same_pose(self) -> float:
        """Poses closer than this are one."""
        return TUNING.same_place * self._coarse.cell

    @property
    def knows_sensors(self) -> bool:
        """Whether free space is known or estimated."""
        return any(free is not None for free in self._free)

    def align_coarse(self, poses: Array, threads: int) -> tuple[Array, Array]:
        """Align the coarse surfels from each of the poses (B, d+1, d+1): the new poses and their scores (B,)."""
        reaches = self._coarse.cell * np.geomspace(TUNING.near, 1.0, TUNING.coarse_steps)
        return self._on_coarse.align(self._coarse.every(TUNING.coarse_surfels), poses, reaches, threads)

    def align_fine(self, poses: Array, threads: int) -> Array:
        """Align the fine surfels from each of the poses (B, d+1, d+1), which must be near already: the new poses."""
        reaches = self._fine.cell * np.geomspace(TUNING.beside, TUNING.fine_reach, TUNING.fine_steps)
        return self._on_fine.align(self._fine, poses, reaches, threads)[0]

    def __call__(self, pose: Array) -> SurfaceScore:
        """The score of a pose."""
        cell = self._fine.cell
        distance, along, cosine, nearest = self._on_fine.residuals(self._fine, pose)
        beside = distance < TUNING.beside * cell
        within = TUNING.coinciding * cell
        close = beside * (1.0 - (np.minimum(along, within) / within) ** 2)
        sided = self._fine.sided & self._sided[nearest]
        coinciding, doubt = _coinciding(close, cosine, sided, self._doubts(pose[None], self._places)[0])
        explained = beside & (along < cell)
        around, _, _, _ = self._on_coarse.residuals(self._coarse, pose)
        return SurfaceScore(
            coinciding=_hold(self._fine, coinciding) / self._whole[1],
            explained=_hold(self._fine, explained) / self._whole[1],
            near=_hold(self._coarse, around < TUNING.near * self._coarse.cell) / self._whole[0],
            overlap=float(explained.mean()),
            doubt=doubt,
            places=float(explained.sum()) / PLACE ** (self._fine.means.shape[1] - 1),
            held=_held(self._fine, coinciding),
        )

    def partners(self, pose: Array) -> list[tuple[Array, Array, Array]]:
        """Of the moved source's coarse and fine surfels that lie beside one of the target: means, normals, and the
        normals of the nearest of the target, (n, d) each."""
        found = []
        sets = (self._coarse, self._on_coarse, self._targets[0]), (self._fine, self._on_fine, self._targets[1])
        for source, table, target in sets:
            distances, _, _, nearest = table.residuals(source, pose)
            beside = distances < TUNING.fine_reach * source.cell
            places = apply(pose, source.means[beside].astype(np.float64))
            normals = source.normals[beside].astype(np.float64) @ pose[:-1, :-1].T
            found.append((places, normals, target.normals[nearest[beside]].astype(np.float64)))
        return found

    def doubts(self, poses: Array, reach: float, threads: int) -> Array:
        """How much the sensors speak against each of the poses (B, d+1, d+1), which may be off by `reach`: (B,)."""
        few = [places[:: max(1, len(places) // TUNING.doubting_places)] for places in self._places]
        doubts: Array = self._doubts(poses, few, margin=reach, threads=threads).min(axis=(1, 2))
        return doubts

    def _doubts(self, poses: Array, places: list[Array], *, margin: float = 0.0, threads: int = 1) -> Array:
        """(B, 2, 2): by the side on which the source's sensor stood, and by that of the target's."""
        doubts = np.zeros((len(poses), 2, 2))
        by_source, by_target = self._free
        if by_source is not None:
            doubts += by_source.doubt(places[1], invert(poses), margin=margin, threads=threads)[:, :, None]
        if by_target is not None:
            doubts += by_target.doubt(places[0], np.ascontiguousarray(poses), margin=margin, threads=threads)[:, None]
        return doubts


def _coinciding(close: Array, cosine: Array, sided: NDArray[np.bool_], doubts: Array) -> tuple[Array, float]:
    """How well each surfel coincides, and the doubt, with the sensors on those sides that speak most for the pose.

    No sensor sees a surface from behind: what both saw, both saw from one side, where that is known (`sided`).
    """
    same, opposite = (
        close * np.where(sided, np.maximum(cosines, 0.0), np.abs(cosines)) ** 4 for cosines in (cosine, -cosine)
    )
    both = float(np.diag(doubts).min()), float(np.diag(doubts[::-1]).min())
    # As in the score: twice as much that coincides makes up for a doubt of ln 4.
    better = same.sum() ** 2 * np.exp(-both[0]) >= opposite.sum() ** 2 * np.exp(-both[1])
    return (same, both[0]) if better else (opposite, both[1])


def _hold(surfels: Surfels, shares: Array | NDArray[np.bool_]) -> float:
    """How firmly these shares of the surfels hold the set: the geometric mean of the eigenvalues of sum n nᵀ.

    However much of the ground lies on the ground, only the walls tell where the scanner stood.
    """
    d = surfels.normals.shape[1]
    normals = surfels.normals.astype(np.float64)
    information = (normals * shares[:, None]).T @ normals / len(normals)
    # Directions in which a flat set has no surface count a little, so that the rest can be compared.
    information += TUNING.flat_share * np.trace(information) / d * np.eye(d)
    return float(np.linalg.det(information) ** (1.0 / d))


def _cross(levers: Array, normals: Array) -> Array:
    """(n, 1) or (n, 3): the torques of forces along the normals."""
    x, n = levers.T, normals.T
    if len(x) == 2:
        return np.asarray(x[0] * n[1] - x[1] * n[0])[:, None]
    torques = x[1] * n[2] - x[2] * n[1], x[2] * n[0] - x[0] * n[2], x[0] * n[1] - x[1] * n[0]
    return np.stack(torques, axis=1)


def _held(surfels: Surfels, shares: Array) -> float:
    """The least eigenvalue of the mean information that these shares of the surfels give about the pose.

    A surfel says where the set is along its normal only.  Rotations are about the middle of the shares, in radians of
    the places' root mean square distance from there, so the figure has no unit.
    """
    total = float(shares.sum())
    if not total > 0.0:
        return 0.0
    weights = shares / total
    normals, places = surfels.normals.astype(np.float64), surfels.means.astype(np.float64)
    levers = places - weights @ places
    radius = np.sqrt(weights @ (levers**2).sum(axis=1))
    gradients = np.hstack([_cross(levers, normals) / max(radius, 1e-12), normals])
    return float(max(0.0, np.linalg.eigvalsh((weights[:, None] * gradients).T @ gradients)[0]))
