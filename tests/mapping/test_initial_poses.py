"""Initial poses along a maximum spanning tree of the edges."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.mapping.initial_poses import spanning_tree_poses
from tests.mapping.edges import all_pairs, edge_between, stacked, walk


@pytest.mark.parametrize("d", [2, 3])
def test_the_tree_has_the_exact_poses(d: int, rng: np.random.Generator) -> None:
    poses = walk(d, 9, rng)
    edges = [edge.reversed() if number % 2 else edge for number, edge in enumerate(all_pairs(poses, 2))]
    (table,) = spanning_tree_poses(range(9), edges, np.zeros(len(edges)), d)
    assert np.allclose(stacked(table), poses, atol=1e-12)


def test_the_tree_takes_the_best_edges(rng: np.random.Generator) -> None:
    poses = walk(2, 6, rng)
    edges = all_pairs(poses, 5)
    ranks = np.ones(len(edges))
    for number in (0, 3, 7):
        edges[number] = edge_between(poses, edges[number].source, edges[number].target, xi=np.ones(3))
        ranks[number] = -1.0
    (table,) = spanning_tree_poses(range(6), edges, ranks, 2)
    assert np.allclose(stacked(table), poses, atol=1e-12)


def test_groups_that_are_not_connected(rng: np.random.Generator) -> None:
    poses = walk(2, 8, rng)
    edges = [edge_between(poses, 1, 0), *(edge_between(poses, k, k - 1) for k in (4, 5, 6))]
    tables = spanning_tree_poses(range(8), edges, np.zeros(4), 2)
    assert [sorted(table) for table in tables] == [[3, 4, 5, 6], [0, 1], [2], [7]]
    assert np.array_equal(tables[0][3], np.eye(3))
    assert np.allclose(np.linalg.inv(poses[3]) @ poses[6], tables[0][6])
