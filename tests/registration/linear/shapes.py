"""Shapes without symmetry for tests of linear maps."""

from __future__ import annotations

import numpy as np

from svgm import datasets


def outline(count: int, *, begin: float = 0.0, end: float = 1.0, seed: int = 0) -> np.ndarray:
    """Points of a closed outline in the plane, from one share of its turn to another."""
    angle = 2 * np.pi * np.random.default_rng(seed).uniform(begin, end, count)
    radius = 1.0 + 0.35 * np.cos(2 * angle + 0.4) + 0.2 * np.sin(3 * angle) + 0.08 * np.cos(7 * angle)
    return radius[:, None] * np.c_[np.cos(angle), np.sin(angle)]


def views(apart: float, count: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Two views of a generated body, from directions so far apart (degrees), in its own coordinates."""
    points, _ = datasets.body(6000, seed=3)
    angle = np.radians(apart)
    first = datasets.visible(points, np.array([5.0, 0.0, 1.0]))
    second = datasets.visible(points, np.array([5.0 * np.cos(angle), 5.0 * np.sin(angle), 1.0]))
    rng = np.random.default_rng(0)
    seen = [np.flatnonzero(each) for each in (first, second)]
    chosen = [rng.choice(each, min(count, len(each)), replace=False) for each in seen]
    return points[chosen[0]], points[chosen[1]]
