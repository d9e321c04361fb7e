"""Edges made from known poses: exact or noisy, right or wrong."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from svgm.mapping.edge import Edge
from svgm.rigid import exp, invert


def size(d: int) -> int:
    """Of a tangent vector."""
    return d * (d + 1) // 2


def spread(d: int, rng: np.random.Generator, deviation: float = 1e-3) -> np.ndarray:
    """A covariance without any symmetry."""
    root = deviation * (np.eye(size(d)) + 0.4 * rng.normal(size=(size(d), size(d))))
    return root @ root.T


def walk(d: int, count: int, rng: np.random.Generator, step: float = 0.5) -> np.ndarray:
    """Poses along a random trajectory, from the origin."""
    poses = [np.eye(d + 1)]
    while len(poses) < count:
        poses.append(poses[-1] @ exp(rng.normal(scale=step, size=size(d))))
    return np.array(poses)


def edge_between(
    poses: np.ndarray,
    source: int,
    target: int,
    xi: np.ndarray | None = None,
    covariance: np.ndarray | None = None,
    kind: str = "neighbour",
) -> Edge:
    """What a registration that is off by Exp(xi) says of two scans."""
    d = poses.shape[1] - 1
    pose = invert(poses[target]) @ poses[source]
    return Edge(
        source,
        target,
        pose if xi is None else pose @ exp(xi),
        1e-6 * np.eye(size(d)) if covariance is None else covariance,
        0.99,
        0.8,
        kind,
    )


def all_pairs(poses: np.ndarray, reach: int) -> list[Edge]:
    """Exact edges between scans at most so far apart in the sequence."""
    count = len(poses)
    return [edge_between(poses, i, j) for i in range(count) for j in range(max(0, i - reach), i)]


def stacked(table: dict[int, np.ndarray], numbers: Iterable[int] | None = None) -> np.ndarray:
    """Poses by number as one array."""
    return np.stack([table[number] for number in (sorted(table) if numbers is None else numbers)])
