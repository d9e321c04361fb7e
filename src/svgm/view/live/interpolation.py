"""Interpolation of poses: between two frames a set moves and turns about its own centre."""

from __future__ import annotations

import math
from collections.abc import Sequence

from svgm.geometry.points import Array
from svgm.rigid import apply, pose, rotation_exp, rotation_log
from svgm.view.scenes.scene import Frame


def interpolated_pose(frames: Sequence[Frame], at: float, centre: Array) -> Array:
    """The pose at a position between frames, 0 the first: the centre moves on a line, the rotation has constant speed.

    >>> import numpy as np
    >>> turn = np.array([[0.0, -1.0, 4.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> half = interpolated_pose([Frame("before", np.eye(3)), Frame("after", turn)], 0.5, np.array([1.0, 0.0]))
    >>> apply(half, np.array([[1.0, 0.0]])).round(3).tolist()
    [[2.5, 0.5]]
    >>> float(np.degrees(np.arctan2(half[1, 0], half[0, 0])).round(3))
    45.0
    """
    d = len(centre)
    first = min(max(math.floor(at), 0), max(len(frames) - 2, 0))
    last = min(first + 1, len(frames) - 1)
    share = min(max(at - first, 0.0), 1.0)
    a, b = (frames[k].transformation for k in (first, last))
    rotation = a[:d, :d] @ rotation_exp(share * rotation_log(a[:d, :d].T @ b[:d, :d]), d)
    place = (1.0 - share) * apply(a, centre[None])[0] + share * apply(b, centre[None])[0]
    return pose(rotation, place - rotation @ centre)
