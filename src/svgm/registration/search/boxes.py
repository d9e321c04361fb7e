"""Boxes of poses that cover SE(d), each with a centre and a reach about it.

Translations are boxes of vectors.  Rotations are intervals of angles in 2D.  In 3D they are boxes in one of four
charts: chart c holds the unit quaternions whose component c is the largest in size, q ~ (1, a) with a in [-1, 1]³ for
the other three, and a = tan(theta), theta in [-pi/4, pi/4]³, which makes equal boxes nearly equal sets.  Rotations
within an angle below 180° of a centre are a convex cone of quaternions, and a box is the convex hull of its corners, so
a corner is farthest from its centre: the angle of a box is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from svgm.geometry.points import Array
from svgm.rigid import pose, rotation_exp

_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))

#: Angles are rounded up by this share, so that the covering has no cracks.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Boxes:
    """Charts (B,) of the rotations, and centres and half widths (B, k), k = 3 in 2D and 6 in 3D: rotation first.

    >>> whole = roots(2, 1.5)
    >>> halves = whole.split(np.array([0]))
    >>> len(halves), halves.angles() / np.pi
    (2, array([0.5, 0.5]))
    """

    charts: np.ndarray
    centres: Array
    halves: Array

    def __len__(self) -> int:
        return len(self.charts)

    @property
    def dimension(self) -> int:
        """Of the space that the poses move."""
        return 2 if self.centres.shape[1] == 3 else 3

    def __getitem__(self, chosen: np.ndarray | slice) -> Boxes:
        return Boxes(self.charts[chosen], self.centres[chosen], self.halves[chosen])

    def poses(self) -> Array:
        """The centres as poses, (B, d+1, d+1)."""
        d = self.dimension
        k = self.centres.shape[1] - d
        if d == 2:
            return pose(rotation_exp(self.centres[:, :k], 2), self.centres[:, k:])
        return pose(_rotation(_quaternion(self.charts, self.centres[:, :k])), self.centres[:, k:])

    def angles(self) -> Array:
        """The largest angle between a rotation of the box and that of its centre, (B,)."""
        if self.dimension == 2:
            return self.halves[:, 0] * (1.0 + _ROUNDING)
        centre = _quaternion(self.charts, self.centres[:, :3])
        squared = np.zeros(len(self))
        for corner in _CORNERS:
            # Unit quaternions an angle phi apart turn by 2 phi; tan(phi/2)² = |p - q|² / |p + q|².
            other = _quaternion(self.charts, self.centres[:, :3] + corner * self.halves[:, :3])
            apart, along = other - centre, other + centre
            np.maximum(squared, np.einsum("ij,ij->i", apart, apart) / np.einsum("ij,ij->i", along, along), out=squared)
        angles: Array = 4.0 * np.arctan(np.sqrt(squared)) * (1.0 + _ROUNDING) + _ROUNDING
        return angles

    def shifts(self) -> Array:
        """Half widths of the translations, (B, d)."""
        return np.ascontiguousarray(self.halves[:, -self.dimension :])

    def extents(self) -> Array:
        """How far each side reaches from the centre, roughly: angles and lengths, (B, k)."""
        extents = self.halves.copy()
        if self.dimension == 3:
            a = np.tan(self.centres[:, :3])
            norm = 1.0 + np.einsum("ij,ij->i", a, a)[:, None]
            # |dq| of a unit quaternion by dtheta, twice as an angle.
            extents[:, :3] *= 2.0 * (1.0 + a * a) * np.sqrt((1.0 - a * a / norm) / norm)
        return extents

    def split(self, sides: np.ndarray) -> Boxes:
        """Each box halved across one of its sides (B,): first all lower halves, then all upper ones."""
        rows = np.arange(len(self))
        halves = self.halves.copy()
        halves[rows, sides] *= 0.5
        centres = np.concatenate([self.centres, self.centres])
        step = halves[rows, sides]
        centres[rows, sides] -= step
        centres[len(self) + rows, sides] += step
        return Boxes(np.concatenate([self.charts, self.charts]), centres, np.concatenate([halves, halves]))


def roots(dimension: int, extent: float) -> Boxes:
    """Boxes that hold every rotation with every translation of at most `extent` in each coordinate."""
    if dimension == 2:
        return Boxes(np.zeros(1, np.int64), np.zeros((1, 3)), np.array([[np.pi, extent, extent]]))
    half = np.r_[np.full(3, np.pi / 4), np.full(3, extent)]
    return Boxes(np.arange(4), np.zeros((4, 6)), np.tile(half, (4, 1)))


def join(parts: list[Boxes]) -> Boxes:
    """All boxes of some batches, in order."""
    return Boxes(
        np.concatenate([part.charts for part in parts]),
        np.concatenate([part.centres for part in parts]),
        np.concatenate([part.halves for part in parts]),
    )


def _quaternion(charts: np.ndarray, theta: Array) -> Array:
    """Unit quaternions (w, x, y, z) of places in the charts, (B, 4)."""
    quaternion = np.empty((len(theta), 4))
    # In chart c, component c is the 1 and the others follow around.
    rows = np.arange(len(theta))
    quaternion[rows, charts] = 1.0
    for k in range(3):
        quaternion[rows, (charts + 1 + k) % 4] = np.tan(theta[:, k])
    quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
    return quaternion


def _rotation(quaternion: Array) -> Array:
    """Rotation matrices (B, 3, 3) of unit quaternions (w, x, y, z)."""
    w, x, y, z = quaternion.T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)
