"""A point set as a surface: oriented places on a grid, and how well another surface lies on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svgm import _core
from svgm.geometry.points import Array
from svgm.geometry.scale import principal_axes

#: Means and normals as the loops take them.
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Surface:
    """Surfels: the mean of the points in each occupied cell, and the normal of the points in and around it.

    Attributes
    ----------
    means, normals
        (n, d); the sign of a normal means nothing.
    cell
        Size of the cells.
    """

    means: Floats
    normals: Floats
    cell: float

    def __len__(self) -> int:
        return len(self.means)

    def every(self, most: int) -> Surface:
        """At most about so many of the surfels, evenly."""
        stride = max(1, len(self) // most)
        return Surface(
            np.ascontiguousarray(self.means[::stride]),
            np.ascontiguousarray(self.normals[::stride]),
            self.cell,
        )

    def scaled(self, factor: float) -> Surface:
        """The same surface in another unit of length."""
        return Surface(self.means * np.float32(factor), self.normals, self.cell * factor)


def surface(points: Array, cell: float) -> Surface:
    """The surface of centred points (n, d), on a grid of cells along their principal axes.

    >>> x, y = np.meshgrid(np.linspace(-1, 1, 21), np.linspace(-2, 2, 41))
    >>> plane = surface(np.c_[x.ravel(), y.ravel(), 0 * x.ravel()], 0.5)
    >>> bool(np.allclose(np.abs(plane.normals), [0, 0, 1]))
    True
    """
    mean, _, axes = principal_axes(points, np.ones(len(points)))
    means, normals = _core.surfels((points - mean) @ axes, cell)
    turn = np.asarray(axes.T, dtype=np.float32)
    return Surface(means @ turn + mean.astype(np.float32), np.ascontiguousarray(normals @ turn), cell)


#: Occupied cells around an occupied one, in the mean, on a curve and on a surface without holes.
FILLED = {2: 1.7, 3: 8.0}

#: From one cell size tried to the next.
LADDER = 1.4


def filled_cell(points: Array, least: float, most: float) -> float:
    """The smallest cell, between the two sizes, in which the points fill a surface without holes.

    The distance to the nearest neighbour does not tell: along a laser scanner's rings it is much less than across.

    A flat patch never fills its cells, as those along its edge have fewer neighbours: where no size is filled, the
    fullest is taken.

    >>> angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    >>> cell = filled_cell(np.c_[np.cos(angle), np.sin(angle)], 0.001, 1.0)
    >>> 0.02 < cell < 0.06  # the points are 0.031 apart
    True
    """
    mean, _, axes = principal_axes(points, np.ones(len(points)))
    places, cell = (points - mean) @ axes, least
    tried: list[tuple[float, float]] = []
    while cell < most:
        neighbours = _core.occupied_neighbours(places, cell)
        if neighbours >= FILLED[points.shape[1]]:
            return cell
        tried.append((neighbours, cell))
        cell *= LADDER
    # Still growing at the largest: the points fill nothing yet.
    return most if not tried or max(tried) == tried[-1] else max(tried)[1]


class Contact:
    """A surface, the target, on which others come to lie.

    Places farther than `reach` from it do not know where it is.
    """

    def __init__(self, target: Surface, reach: float) -> None:
        self._table = _core.SurfaceTable(target.means, target.normals, target.cell, reach)

    def align(self, source: Surface, poses: Array, reaches: Array, threads: int) -> tuple[Array, Array]:
        """Each of the poses (B, d+1, d+1), moved so that the source comes to lie on the target, and its score (B,).

        One step for each of the reaches, each a weighted least squares of the distances along the target's normals; the
        score is the mean weight, 1 if every surfel lies on one of the same orientation.
        """
        return _core.align_to_surface(
            self._table, source.means, source.normals, poses, np.asarray(reaches, dtype=np.float32), threads
        )

    def residuals(self, source: Surface, pose: Array) -> tuple[Array, Array, Array]:
        """For each surfel of the moved source, to the nearest one of the target: the distance, the distance along its
        normal, and the cosine between the normals."""
        found = _core.surface_residuals(self._table, source.means, source.normals, np.ascontiguousarray(pose))
        return found[:, 0], found[:, 1], found[:, 2]
