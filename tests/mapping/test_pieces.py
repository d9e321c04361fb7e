"""Pieces of a map."""

from __future__ import annotations

import numpy as np

from svgm.mapping.pieces import outvoted_steps, parts_of
from tests.mapping.edges import all_pairs, edge_between, walk


def test_parts_are_held_together(rng: np.random.Generator) -> None:
    poses = walk(2, 6, rng)
    edges = [edge_between(poses, 1, 0), edge_between(poses, 2, 1), edge_between(poses, 5, 4)]
    assert parts_of(range(6), edges) == [[0, 1, 2], [3], [4, 5]]


def test_a_step_that_more_edges_contradict_is_outvoted(rng: np.random.Generator) -> None:
    poses = walk(2, 8, rng)
    edges = all_pairs(poses, 2)
    agrees = np.array([not edge.target <= 3 < edge.source for edge in edges])
    loop = edge_between(poses, 7, 0, kind="loop")
    assert outvoted_steps([*edges, loop], np.r_[agrees, True]) == {3}
    assert outvoted_steps(edges, np.ones(len(edges), dtype=bool)) == set()
