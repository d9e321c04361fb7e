"""A linear map as two: the scale or the whole linear part, which the source takes first, and a rigid motion after."""

from __future__ import annotations

import numpy as np

from svgm.checks.types import Array
from svgm.registration.prepared import Prepared, mapped, scaled


def scale_of(matrix: Array) -> float:
    """The scale of a linear map (d+1, d+1): the d-th root of its determinant.

    >>> round(scale_of(np.diag([2.0, 8.0, 1.0])), 9)
    4.0
    """
    d = len(matrix) - 1
    return float(np.abs(np.linalg.det(matrix[:d, :d])) ** (1.0 / d))


def split(matrix: Array, *, affine: bool) -> tuple[Array, Array]:
    """The linear map (d, d) that the source takes first, and the rigid motion (d+1, d+1) after it.

    The first one is the scale of a similarity.  Of an affine map it is the whole linear part, so that what follows is a
    translation.

    >>> first, rest = split(np.array([[0.0, -2.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), affine=False)
    >>> first.tolist(), rest.tolist()
    ([[2.0, 0.0], [0.0, 2.0]], [[0.0, -1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    """
    d = len(matrix) - 1
    rest = matrix.copy()
    if affine:
        rest[:d, :d] = np.eye(d)
        return matrix[:d, :d].copy(), rest
    scale = scale_of(matrix)
    rest[:d, :d] /= scale
    return scale * np.eye(d), rest


def carried(source: Prepared, first: Array, *, affine: bool) -> Prepared:
    """The source after the first of the two maps."""
    return mapped(source, first) if affine else scaled(source, float(first[0, 0]))


def joined(rest: Array, first: Array) -> Array:
    """The inverse of :func:`split`: one matrix (d+1, d+1), or a stack for a stack of rigid motions."""
    whole = np.eye(len(first) + 1)
    whole[:-1, :-1] = first
    product: Array = rest @ whole
    return product


def distance(a: Array, b: Array, source: Prepared) -> float:
    """How far apart two maps take a typical point of the source, in radii of the source as the first map takes it."""
    d = source.dimension
    apart = (a - b)[:d]
    shift = apart[:, :d] @ source.centre + apart[:, d]
    turned = source.radius**2 * float((apart[:, :d] ** 2).sum()) / d
    return float(np.sqrt(turned + shift @ shift) / (source.radius * scale_of(a)))


def about_centre(matrix: Array, factor: float, source: Prepared) -> Array:
    """The map with its linear part times a factor, and the source's centre at the same place.

    >>> import svgm
    >>> source = svgm.prepare([[1.0, 0.0], [3.0, 0.0], [2.0, 3.0]])
    >>> about_centre(np.eye(3), 2.0, source).tolist()
    [[2.0, 0.0, -2.0], [0.0, 2.0, -1.0], [0.0, 0.0, 1.0]]
    """
    d = source.dimension
    scaled = matrix.copy()
    scaled[:d, :d] *= factor
    scaled[:d, d] += (1.0 - factor) * matrix[:d, :d] @ source.centre
    return scaled
