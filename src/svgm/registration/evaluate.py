"""How well a pose explains two point sets, in the terms that users of point-cloud libraries know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svgm import _core
from svgm.checks.arguments import positive
from svgm.checks.errors import InputError
from svgm.geometry.points import as_points
from svgm.rigid import apply, as_pose


@dataclass(frozen=True)
class Evaluation:
    """Inliers of a pose: source points that land within a distance of some target point.

    ``fitness`` is their share of the source points, ``inlier_rmse`` the root mean square of their distances (0 without
    inliers).

    Examples
    --------
    >>> line = np.c_[np.arange(10.0), np.zeros(10)]
    >>> quality = evaluate(line + [0.0, 0.1], line[:8], np.eye(3), max_distance=0.5)
    >>> quality.inliers, quality.fitness, round(quality.inlier_rmse, 3)
    (8, 0.8, 0.1)
    """

    fitness: float
    inlier_rmse: float
    inliers: int


def evaluate(source: Any, target: Any, T: Any, max_distance: float) -> Evaluation:
    """Fitness and inlier error of a pose T (source into target).

    Parameters
    ----------
    source, target
        Points (n, d) or paths of point files, 2D or 3D.
    T
        (d+1, d+1).
    max_distance
        From a moved source point to its nearest target point, in the points' unit; the one length a caller gives.

    Examples
    --------
    >>> square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    >>> evaluate(square, square[:3], np.eye(3), 0.5)
    Evaluation(fitness=0.75, inlier_rmse=0.0, inliers=3)
    """
    moving, fixed = (as_points(value, name, (2, 3)) for value, name in ((source, "source"), (target, "target")))
    if moving.shape[1] != fixed.shape[1]:
        raise InputError(f"source and target must have the same dimension, got {moving.shape[1]} and {fixed.shape[1]}")
    max_distance = positive("max_distance", max_distance)
    centre = fixed.mean(axis=0)
    moved = np.ascontiguousarray(apply(as_pose(T, moving.shape[1]), moving) - centre)
    tree = _core.BoxTree(np.ascontiguousarray(fixed - centre), np.ones(len(fixed)))
    distances, _ = _core.nearest(tree, moved, -1.0)
    near = distances[distances <= max_distance]
    rmse = float(np.sqrt((near**2).mean())) if len(near) else 0.0
    return Evaluation(len(near) / len(moving), rmse, len(near))
