"""A round drive between walls, for tests of how a map is drawn."""

from __future__ import annotations

import numpy as np

import svgm
from svgm.mapping.edge import Edge
from svgm.rigid import exp, pose


def street(d: int, count: int = 30, means: int = 3000, seed: int = 0):
    """A round drive between walls (in 3D also over ground), its merged mixture, and edges with loops."""
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, count)
    way = np.column_stack([20 * np.cos(angle), 12 * np.sin(angle)])
    turns = rng.uniform(0, 2 * np.pi, means)
    wall = np.column_stack([24 * np.cos(turns), 16 * np.sin(turns)])
    if d == 3:
        way = np.column_stack([way, np.zeros(count)])
        wall = np.column_stack([wall, rng.uniform(-1.5, 8, means)])
        wall[::2] *= np.column_stack([*2 * [rng.uniform(0.3, 1, means)], np.ones(means)])[::2]
        wall[::2, 2] = -1.5
    turn = exp(np.column_stack([*(d - 2) * 2 * [np.zeros(count)], angle, np.zeros((count, d))]))
    poses = pose(turn[:, :d, :d], way)
    pairs = [(k + 1, k, "neighbour") for k in range(count - 1)]
    pairs += [(k + count // 2, k, "loop") for k in range(0, count // 2, 5)]
    size = 3 if d == 2 else 6
    edges = [Edge(i, j, np.eye(d + 1), np.eye(size), 1.0, 1.0, kind) for i, j, kind in pairs]
    weights = rng.uniform(0.5, 1, means)
    return poses, svgm.Mixture(wall, 0.04, weights / weights.sum()), edges
