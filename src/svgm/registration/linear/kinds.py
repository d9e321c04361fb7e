"""Kinds of linear motions: rigid motions, similarities and affine maps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from svgm.checks.errors import InputError
from svgm.checks.types import Array, PoseLike
from svgm.geometry.transforms import Affine, Rigid, Similarity
from svgm.rigid import as_pose

#: The classes of their values.
KINDS: Mapping[str, type[Affine]] = {"rigid": Rigid, "similarity": Similarity, "affine": Affine}


def as_map(value: PoseLike, dimension: int, name: str, kind: str) -> Array:
    """A checked matrix (d+1, d+1) of a kind: "rigid", "similarity" or "affine"; InputError for another one.

    The linear start of a non-rigid registration is a rigid motion.

    >>> as_map([[0.0, -2.0, 3.0], [2.0, 0.0, 4.0], [0.0, 0.0, 1.0]], 2, "init", "similarity").shape
    (3, 3)
    """
    if kind in ("rigid", "nonrigid"):
        return as_pose(value, dimension, name)
    try:
        matrix = KINDS[kind](value).matrix  # type: ignore[arg-type]
    except InputError as error:
        raise InputError(str(error).replace("matrix", name, 1)) from None
    size = dimension + 1
    if matrix.shape != (size, size):
        raise InputError(f"{name} must be a {size}x{size} matrix for {dimension}D points, got shape {matrix.shape}")
    if np.linalg.det(matrix[:-1, :-1]) < 0:
        raise InputError(f"{name} must hold no reflection, got a negative determinant")
    return np.array(matrix)
