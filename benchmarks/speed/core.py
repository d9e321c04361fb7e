"""The one place where the benchmark reaches below svgm's public names: the Gauss transform of the core."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.datasets import Array
from svgm import _core
from svgm.mixture.mixture import CUTOFF

Tree = _core.BoxTree


def tree(points: Array) -> Tree:
    """Equally weighted components, ready for sums over them."""
    return _core.BoxTree(points, np.full(len(points), 1.0 / len(points)))


def transform(components: Tree, queries: Array, rate: float, threads: int) -> Callable[[], Array]:
    """When called, sums of w exp(-rate |d|²) times 1, d and the upper triangle of d dᵀ, d = q - y: (m, 10) in 3D."""
    return lambda: _core.gauss_transform(components, queries, rate, CUTOFF, 2, threads)


def instruction_set() -> str:
    """What the innermost loops were built for."""
    return str(_core.instruction_set())
