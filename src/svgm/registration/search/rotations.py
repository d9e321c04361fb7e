"""Rotations spread evenly over SO(2) and SO(3)."""

from __future__ import annotations

import numpy as np

from svgm.geometry.points import Array
from svgm.rigid import quaternion_rotation, rotation_exp

#: The root of psi⁴ = psi + 4 above 1: with sqrt(2) it makes the two angles of the spiral badly approximable together
#: (Alexa, "Super-Fibonacci Spirals", CVPR 2022).
_PSI = 1.533751168755204288118041


def even_rotations(count: int, dimension: int) -> Array:
    """So many rotations (count, d, d), as far from each other as that many can be, nearly: the same ones every time.

    In 2D equal steps of the angle; in 3D the super-Fibonacci spiral on the sphere of unit quaternions.

    >>> even_rotations(4, 2).round(3)[1].tolist()
    [[0.0, -1.0], [1.0, 0.0]]
    """
    if dimension == 2:
        angles: Array = 2.0 * np.pi / count * np.arange(count, dtype=np.float64)[:, None]
        return rotation_exp(angles, 2)
    middle = np.arange(count) + 0.5
    inner, outer = np.sqrt(middle / count), np.sqrt(1.0 - middle / count)
    alpha, beta = 2.0 * np.pi * middle / np.sqrt(2.0), 2.0 * np.pi * middle / _PSI
    pairs = inner * np.sin(alpha), inner * np.cos(alpha), outer * np.sin(beta), outer * np.cos(beta)
    return quaternion_rotation(np.stack(pairs, axis=-1))
