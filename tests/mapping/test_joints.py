"""The weakest joints of a map."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from svgm.mapping.joints import MOST_JOINTS, weakest_joints
from tests.mapping.edges import all_pairs, edge_between, walk


def test_the_step_with_the_least_sure_edges_comes_first(rng: np.random.Generator) -> None:
    poses = walk(2, 8, rng)
    edges = [edge for edge in all_pairs(poses, 2) if not edge.target <= 3 < edge.source]
    edges.append(replace(edge_between(poses, 4, 3), second=0.6))
    first = weakest_joints(range(8), edges)[0]
    assert (first.before, first.after, first.edges) == (3, 4, 1)
    assert np.isclose(first.doubt, 0.4)


def test_loops_hold_all_steps_between_their_ends(rng: np.random.Generator) -> None:
    poses = walk(2, 5, rng)
    edges = [edge_between(poses, k, k - 1) for k in range(1, 5)]
    assert {joint.edges for joint in weakest_joints(range(5), [*edges, edge_between(poses, 4, 0, kind="loop")])} == {2}
    model = [edge_between(poses, 4, 0, kind="model"), replace(edge_between(poses, 4, 0, kind="loop"), loose=1)]
    assert {joint.edges for joint in weakest_joints(range(5), [*edges, *model])} == {1}


def test_few_and_many_scans(rng: np.random.Generator) -> None:
    poses = walk(2, 30, rng)
    assert weakest_joints([3], []) == ()
    assert len(weakest_joints(range(30), all_pairs(poses, 1))) == MOST_JOINTS
