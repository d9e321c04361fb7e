"""Colours as numbers, for scenes: names of colours, and a scale from dark to bright that grey print keeps in order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svgm.points import Array

#: From nothing to all: dark violet, red, orange, pale yellow, each brighter than the one before.
STOPS = np.array(
    [
        [28, 12, 60],
        [74, 16, 98],
        [122, 28, 101],
        [168, 44, 88],
        [208, 68, 62],
        [236, 105, 32],
        [248, 150, 20],
        [247, 198, 55],
        [246, 240, 150],
    ]
)


def heat(values: Array) -> NDArray[np.uint8]:
    """Colours (n, 3) of values (n,) from 0, dark, to 1, bright.

    >>> heat(np.array([0.0, 1.0])).tolist()
    [[28, 12, 60], [246, 240, 150]]
    """
    at = np.linspace(0.0, 1.0, len(STOPS))
    mixed = np.column_stack([np.interp(values, at, channel) for channel in STOPS.T])
    return np.asarray(np.rint(mixed), dtype=np.uint8)
