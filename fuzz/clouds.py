"""Point sets that are valid and hard: every one is a set that a caller may hand over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz.case import Generator

Make = Callable[[Generator, np.ndarray], Any]


def _first(points: np.ndarray, value: float, count: int) -> np.ndarray:
    """The first few points moved far away, each in its own direction."""
    far = points.copy()
    far[:count] *= value / np.maximum(np.linalg.norm(far[:count], axis=1, keepdims=True), 1e-9)
    return far


def _columns(points: np.ndarray, *scales: float) -> np.ndarray:
    """The axes multiplied by numbers, the last of which is that of all further axes."""
    return points * np.array([*scales, *[scales[-1]] * points.shape[1]])[: points.shape[1]]


#: What becomes of points on a closed surface of size 1.
KINDS: dict[str, Make] = {
    "plain": lambda rng, p: p,
    "again": lambda rng, p: p[rng.integers(0, max(1, len(p) // 4), len(p))],
    "one place": lambda rng, p: np.repeat(p[:1], len(p), axis=0),
    "origin": lambda rng, p: np.zeros_like(p),
    "two places": lambda rng, p: p[np.arange(len(p)) % 2],
    "line": lambda rng, p: np.outer(p[:, 0], rng.normal(size=p.shape[1])),
    "axis": lambda rng, p: _columns(p, 1.0, 0.0),
    "plane": lambda rng, p: _columns(p, 1.0, 1.0, 0.0),
    "almost plane": lambda rng, p: _columns(p, 1.0, 1.0, 1e-12),
    "uneven axes": lambda rng, p: _columns(p, 1e9, 1e-9),
    "lattice": lambda rng, p: np.round(3.0 * p),
    "ball": lambda rng, p: p * rng.random((len(p), 1)),
    "one stray": lambda rng, p: _first(p, 10.0 ** rng.integers(2, 10), 1),
    "ten strays": lambda rng, p: _first(p, 10.0 ** rng.integers(2, 10), 10),
    "huge stray": lambda rng, p: _first(p, 1e150, 1),
    "huge": lambda rng, p: 0.5e150 * p / np.abs(p).max(),
    "large": lambda rng, p: 1e100 * p,
    "small": lambda rng, p: 1e-100 * p,
    "tiny": lambda rng, p: 1e-160 * p,
    "denormal": lambda rng, p: 1e-310 * p,
    "offset": lambda rng, p: p + 1e6,
    "far offset": lambda rng, p: p + 1e12,
    "tiny offset": lambda rng, p: 1e-6 * p + 1e6,
    "transposed": lambda rng, p: p.T,
    "float32": lambda rng, p: p.astype(np.float32),
    "float16": lambda rng, p: p.astype(np.float16),
    "integers": lambda rng, p: np.round(10.0 * p).astype(np.int16),
    "big endian": lambda rng, p: p.astype(">f8"),
    "objects": lambda rng, p: p.astype(object),
    "booleans": lambda rng, p: p > 0,
    "lists": lambda rng, p: p.tolist(),
    "Fortran": lambda rng, p: np.asfortranarray(p),
    "reversed": lambda rng, p: p[::-1, ::-1],
    "masked": lambda rng, p: np.ma.masked_array(p),
}


def cloud(kind: str, dimension: int, count: int, seed: int) -> Any:
    """`count` points of a kind, (count, dimension)."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, dimension))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    # Without symmetry, so that a registration has an answer.
    points *= 1.0 + 0.3 * points[:, :1] + 0.2 * np.sin(3.0 * points[:, -1:])
    return KINDS[kind](rng, points)
