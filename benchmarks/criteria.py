"""When a registration counts as right."""

from __future__ import annotations

import numpy as np


def same_rotation(rotation: float) -> bool:
    """The paper's criterion on the dragon, |q̂·q| > 0.99: the cosine of half the angle (rad) between the rotations."""
    return bool(np.cos(rotation / 2) > 0.99)


def inlier(rotation: float, translation: float) -> bool:
    """The paper's criterion outdoors, after Stoyanov et al.: less than 0.2 rad and 0.5 m."""
    return bool(rotation < 0.2 and translation < 0.5)
