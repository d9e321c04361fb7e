"""Affine maps from which a deformation starts: the initial pose, turned and shifted copies, and whitened ones."""

from __future__ import annotations

import numpy as np

from svgm.checks.types import Array
from svgm.geometry.scale import principal_axes
from svgm.registration.nonrigid.constants import NONRIGID
from svgm.registration.search.rotations import even_rotations

#: An affine map in normalised coordinates: its linear part and its shift.
Map = tuple[Array, Array]


def affine_starts(source: Array, weights: Array, target: Array, target_weights: Array, ratio: float) -> list[Map]:
    """Maps of the source's principal axes to turned ones of the target.

    Each rotation comes with the sizes made equal, and with the sizes as given (`ratio` is the source's unit over the
    target's), both centred and, in 2D, shifted; and with the standard deviations along the axes made equal.  As all is
    relative to the principal axes, the starts move with the sets.
    """
    (_, widths, axes), (_, goals, onto) = _axes(source, weights), _axes(target, target_weights)
    d = source.shape[1]
    count = NONRIGID.rotations_2d if d == 2 else NONRIGID.rotations_3d
    shifts = np.zeros((1, d))
    if d == 2:
        steps = NONRIGID.offset * np.array([-1.0, 0.0, 1.0])
        shifts = np.array([[x, y] for x in steps for y in steps])
    flips = [np.diag(signs) for signs in _FLIPS] if d == 3 else []
    turns = [*flips, *even_rotations(count, d)]
    found: list[Map] = []
    for turn in turns:
        found.append((onto @ np.diag(goals) @ turn @ np.diag(1.0 / widths) @ axes.T, np.zeros(d)))
        for size in (1.0, ratio):
            found += [(size * (onto @ turn @ axes.T), onto @ shift) for shift in shifts]
    return found


#: No turn, and half turns about the axes.
_FLIPS = ((1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0))


def _axes(points: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Mean, deviations that are not too different, and principal axes that form a right-handed frame.

    An axis points to where the points reach farther, so that the frame moves with the points.
    """
    mean, widths, axes = principal_axes(points, weights)
    skew = weights @ ((points - mean) @ axes) ** 3
    axes = axes * np.where(skew < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, -1] *= -1.0
    return mean, np.maximum(widths, 0.05 * widths[0]), axes
