"""What the paper does to its 2D sets: outliers and noise (Section 6.1); occlusion is `svgm.datasets.occlude`."""

from __future__ import annotations

import numpy as np

from benchmarks.datasets import Array
from svgm import estimate_scale


def with_outliers(points: Array, share: float, rng: np.random.Generator) -> Array:
    """The set with uniform outliers from its minimum covering circle, until they are this share of all points."""
    count = round(share / (1.0 - share) * len(points))
    centre, radius = minimum_circle(points)
    angle = rng.uniform(0.0, 2.0 * np.pi, count)
    away = radius * np.sqrt(rng.uniform(0.0, 1.0, count))
    return np.vstack([points, centre + away[:, None] * np.c_[np.cos(angle), np.sin(angle)]])


def with_noise(points: Array, fraction: float, rng: np.random.Generator) -> Array:
    """Gaussian noise of this fraction of sigma-hat (eq. 3) on every coordinate."""
    return points + rng.normal(0.0, fraction * estimate_scale(points), points.shape)


def minimum_circle(points: Array) -> tuple[Array, float]:
    """Centre and radius of the smallest circle around 2D points.

    >>> centre, radius = minimum_circle(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]]))
    >>> centre.tolist(), radius
    ([1.0, 0.0], 1.0)
    """
    # Welzl's algorithm in its iterative form: a point outside the circle so far lies on the circle of all so far.
    shuffled = np.random.default_rng(0).permutation(points)
    centre, radius = shuffled[0], 0.0
    for i in range(1, len(shuffled)):
        if _inside(shuffled[i], centre, radius):
            continue
        centre, radius = shuffled[i], 0.0
        for j in range(i):
            if _inside(shuffled[j], centre, radius):
                continue
            centre, radius = _through_two(shuffled[i], shuffled[j])
            for k in range(j):
                if not _inside(shuffled[k], centre, radius):
                    centre, radius = _through_three(shuffled[i], shuffled[j], shuffled[k])
    return centre, radius


def _inside(point: Array, centre: Array, radius: float) -> bool:
    return bool(np.hypot(*(point - centre)) <= radius * (1.0 + 1e-12))


def _through_two(a: Array, b: Array) -> tuple[Array, float]:
    return (a + b) / 2.0, float(np.hypot(*(a - b))) / 2.0


def _through_three(a: Array, b: Array, c: Array) -> tuple[Array, float]:
    u, v = b - a, c - a
    area = 2.0 * (u[0] * v[1] - u[1] * v[0])
    offset = np.array([v[1] * (u @ u) - u[1] * (v @ v), u[0] * (v @ v) - v[0] * (u @ u)]) / area
    return a + offset, float(np.hypot(*offset))
