"""svgm in five ways: any call, its local search, Algorithm 1 with one scale and with annealing, GMMReg's KDE in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.datasets import Array, subsample
from svgm import Annealing, Mixture, estimate_scale, kde, register


def call(source: Array, target: Array, *, unit: float, threads: int, **options: Any) -> Array:
    """``svgm.register(source, target, **options)``; without options the default call."""
    return register(source, target, threads=threads, **options).transformation


def default(
    source: Array, target: Array, *, unit: float, threads: int, nu: float = 0.01, finest: float | None = None
) -> Array:
    """The local search: annealed, with candidates that start anew at every scale and turned copies of the start."""
    return register(
        source, target, nu=nu, annealing=Annealing(finest=finest), search="local", threads=threads
    ).transformation


def svr(source: Array, target: Array, *, unit: float, threads: int, gamma: float = 1.0, nu: float = 0.01) -> Array:
    """SVR of the paper without annealing: one scale, one start."""
    return register(source, target, gamma=gamma, nu=nu, annealing=None, search="local", threads=threads).transformation


def svr_plus(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    gamma: float,
    delta: float,
    levels: int,
    nu: float = 0.01,
) -> Array:
    """SVR+ of the paper, Algorithm 1 to the letter: gamma <- delta gamma, each level from the answer of the last."""
    T = np.eye(source.shape[1] + 1)
    for k in range(levels):
        level = {"gamma": gamma * delta**k, "nu": nu, "annealing": None, "search": "local", "threads": threads}
        T = register(source, target, init=T, **level).transformation
    return T


def gmr(
    source: Array, target: Array, *, unit: float, threads: int, gamma: float, delta: float, levels: int, points: int
) -> Array:
    """GMMReg's mixture in the same minimiser: a Gaussian of equal weight at every point, annealed as SVR+.

    GMMReg's own code takes a bounded number of points too, as a kernel density costs the product of both sizes.
    """
    source, target = subsample(source, points, 0), subsample(target, points, 0)
    scale = float(np.sqrt(estimate_scale(source) * estimate_scale(target)))
    T = np.eye(source.shape[1] + 1)
    for k in range(levels):
        multiple = gamma * delta**k
        sets: list[Mixture] = [kde(each, gamma=multiple, scale=scale) for each in (source, target)]
        T = register(*sets, gamma=multiple, annealing=None, init=T, search="local", threads=threads).transformation
    return T
