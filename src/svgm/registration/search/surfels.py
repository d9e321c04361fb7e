"""A point set as surfels: oriented places on a grid, and how the surfels of another set lie on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svgm import _core
from svgm.checks.types import Array
from svgm.geometry.scale import principal_axes
from svgm.registration.search.viewpoint import Viewpoint
from svgm.registration.tuning import TUNING

#: Means and normals as the core's loops take them.
Floats = NDArray[np.float32]

#: Factor from one cell size to the next that `filled_cell` tries.
CELL_FACTOR = 1.4


@dataclass(frozen=True)
class Surfels:
    """For each occupied cell of a grid, the mean of its points and the normal of the points in and around it.

    Attributes
    ----------
    means, normals
        (n, d).
    cell
        Side of a cell.
    sided
        Whether the sign of a normal has a meaning, (n,): it points to the side from which the surfel was seen.
    """

    means: Floats
    normals: Floats
    cell: float
    sided: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.means)

    def every(self, most: int) -> Surfels:
        """About `most` of the surfels at most, evenly chosen."""
        stride = max(1, len(self) // most)
        return Surfels(
            np.ascontiguousarray(self.means[::stride]),
            np.ascontiguousarray(self.normals[::stride]),
            self.cell,
            self.sided[::stride],
        )

    def facing(self, viewpoint: Viewpoint, hidden: NDArray[np.bool_]) -> Surfels:
        """The same surfels with the normals on the side of a sensor.

        If it is estimated where the sensor stood, the side is known only of what it sees, also from the other places
        where it may have stood.
        """
        apart = viewpoint.place - self.means
        facing = np.einsum("nd,nd->n", self.normals, apart) / np.maximum(np.linalg.norm(apart, axis=1), 1e-300)
        sided = viewpoint.side_known | (~hidden & (np.abs(facing) > np.sin(min(viewpoint.spread, 0.5 * np.pi))))
        return Surfels(self.means, np.where(facing[:, None] < 0, -self.normals, self.normals), self.cell, sided)

    def scaled(self, factor: float) -> Surfels:
        """The same surfels in another unit of length."""
        return Surfels(self.means * np.float32(factor), self.normals, self.cell * factor, self.sided)


@dataclass(frozen=True)
class AlongAxes:
    """Points along their principal axes: what surfels of all sizes share.

    Attributes
    ----------
    places
        (n, d), in the axes.
    weights
        How many points each place stands for, (n,); None: one.
    mean, axes
        (d,), and (d, d) as columns.
    """

    places: Array
    weights: Array | None
    mean: Array
    axes: Array

    @classmethod
    def of(cls, points: Array) -> AlongAxes:
        """Of points (n, d)."""
        mean, _, axes = principal_axes(points, np.ones(len(points)))
        return cls((points - mean) @ axes, None, mean, axes)


def make_surfels(points: Array | AlongAxes, cell: float) -> Surfels:
    """The surfels of centred points (n, d), on a grid along their principal axes.

    >>> x, y = np.meshgrid(np.linspace(-1, 1, 21), np.linspace(-2, 2, 41))
    >>> plane = make_surfels(np.c_[x.ravel(), y.ravel(), 0 * x.ravel()], 0.5)
    >>> bool(np.allclose(np.abs(plane.normals), [0, 0, 1]))
    True
    """
    along = points if isinstance(points, AlongAxes) else AlongAxes.of(points)
    means, normals = _core.surfels(along.places, along.weights, cell)
    turn = np.asarray(along.axes.T, dtype=np.float32)
    unknown = np.zeros(len(means), dtype=bool)
    return Surfels(means @ turn + along.mean.astype(np.float32), np.ascontiguousarray(normals @ turn), cell, unknown)


def filled_cell(points: Array | AlongAxes, least: float, most: float) -> float:
    """The smallest cell, between the two sizes, in which the points fill a surface without holes.

    The distance to the nearest neighbour is not enough: along the rings of a laser scanner it is much smaller than
    across them.

    A flat patch never fills its cells, since those along its edge have fewer neighbours.  If no size is filled, the
    fullest one is taken.

    >>> angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    >>> cell = filled_cell(np.c_[np.cos(angle), np.sin(angle)], 0.001, 1.0)
    >>> 0.02 < cell < 0.06  # the points are 0.031 apart
    True
    """
    places, cell = (points if isinstance(points, AlongAxes) else AlongAxes.of(points)).places, least
    tried: list[tuple[float, float]] = []
    while cell < most:
        neighbours = _core.occupied_neighbours(places, cell)
        if neighbours >= TUNING.filled_neighbours[places.shape[1]]:
            return cell
        tried.append((neighbours, cell))
        cell *= CELL_FACTOR
    # If the number still grows at the largest cell, the points fill no cell yet.
    return most if not tried or max(tried) == tried[-1] else max(tried)[1]


class SurfelTable:
    """The surfels of the target in a table by place, so that the nearest one is found at once.

    Places farther than `reach` from all surfels have no nearest one.
    """

    def __init__(self, target: Surfels, reach: float) -> None:
        self._table = _core.SurfaceTable(target.means, target.normals, target.cell, reach)

    def align(self, source: Surfels, poses: Array, reaches: Array, threads: int) -> tuple[Array, Array]:
        """Align the source to the target from each of the poses (B, d+1, d+1): the new poses and their scores (B,).

        Each of the `reaches` is one step: weighted least squares of the distances along the target's normals.  The
        score is the mean weight: 1 if every surfel lies on one of the same orientation.
        """
        return _core.align_to_surface(
            self._table, source.means, source.normals, poses, np.asarray(reaches, dtype=np.float32), threads
        )

    def residuals(self, source: Surfels, pose: Array) -> tuple[Array, Array, Array, NDArray[np.intp]]:
        """For each surfel of the moved source and the nearest one of the target: the distance, the distance along the
        target's normal, the cosine between the normals, with its sign, and its index, -1 if all are far away."""
        found = _core.surface_residuals(self._table, source.means, source.normals, np.ascontiguousarray(pose))
        return found[:, 0], found[:, 1], found[:, 2], found[:, 3].astype(np.intp)
