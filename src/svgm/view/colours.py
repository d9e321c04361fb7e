"""Colours as numbers: of a text "#rrggbb", of values, and of a lit surface."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from svgm.checks.arguments import shown
from svgm.checks.errors import InputError
from svgm.geometry.normals import estimate_normals
from svgm.geometry.points import Array

Bytes = NDArray[np.uint8]

#: Of the source and of the target in all pictures: readers with any colour vision tell them apart, also in print.
SOURCE, TARGET = "#d95f02", "#1b6ca8"

INK, PAPER = "#222222", "#ffffff"

#: Violet, blue, green, yellow: from dark to bright in steps that look equal (in OKLab; a test measures them).
HEAT = (
    *("#3c066c", "#382079", "#323480", "#2d4584", "#275589", "#1e6590", "#137595", "#108598", "#209499"),
    *("#36a298", "#4cb096", "#62bd90", "#77c986", "#8dd374", "#abdb60", "#cddf57", "#eee354"),
)

#: For several sets in one picture: readers with any colour vision tell them apart (a test simulates three kinds).
PALETTE = ("#1b6ca8", "#d95f02", "#55ccff", "#661100", "#9977ff", "#ddbb00", "#332277")

#: Neighbours from which the normal of a point is estimated.
_NEIGHBOURS = 12


def rgb(colour: str) -> Bytes:
    """The three bytes of "#rrggbb".

    >>> rgb("#d95f02").tolist()
    [217, 95, 2]
    """
    if not isinstance(colour, str) or not re.fullmatch("#[0-9a-fA-F]{6}", colour):
        raise InputError(f"a colour must be written as #rrggbb, got {shown(colour)}")
    return np.frombuffer(bytes.fromhex(colour[1:]), dtype=np.uint8)


def heat(values: Array | Sequence[float]) -> Bytes:
    """Colours (n, 3) of values (n,) from 0 (dark) to 1 (bright); values outside are clipped.

    >>> heat([0.0, 1.0]).tolist()
    [[60, 6, 108], [238, 227, 84]]
    """
    table = np.array([rgb(colour) for colour in HEAT], dtype=np.float64)
    places = np.linspace(0.0, 1.0, len(table))
    channels = [np.interp(np.asarray(values, dtype=np.float64), places, channel) for channel in table.T]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


def shares(values: Array) -> Array:
    """Values (n,) scaled to [0, 1]: 0 is the quantile 2 %, 1 the quantile 98 %; values outside are clipped.

    >>> shares(np.arange(5.0)).round(2).tolist()
    [0.0, 0.24, 0.5, 0.76, 1.0]
    """
    low, high = np.quantile(values, [0.02, 0.98])
    return np.asarray(np.clip((values - low) / max(high - low, 1e-300), 0.0, 1.0), dtype=np.float64)


def lit(points: Array, colour: str | Array, light: Array) -> Bytes:
    """Colours (n, 3) of points.  In 2D all are `colour`; in 3D they are shaded as a surface lit from a direction (3,).

    `colour` is one colour as #rrggbb, or those of the points, (n, 3), from 0 to 1.

    >>> x, y = np.meshgrid(np.arange(5.0), np.arange(5.0))
    >>> plane = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
    >>> lit(plane, "#808080", np.array([1.0, 0.0, 0.0]))[0].tolist()
    [70, 70, 70]
    """
    tint = np.tile(rgb(colour) / 255.0, (len(points), 1)) if isinstance(colour, str) else colour
    if points.shape[1] == 3 and len(points) > 3:
        # A scan has no inside, so both sides of a surface are lit.
        bright = np.abs(estimate_normals(points, neighbours=min(_NEIGHBOURS, len(points))) @ light)[:, None]
        tint = tint * (0.55 + 0.45 * bright) + 0.6 * np.maximum(0.0, bright - 0.4) ** 2 * (1.0 - tint)
    return (255.0 * tint.clip(0.0, 1.0)).round().astype(np.uint8)
