"""The state of a map: which edges are part of the pose graph, and the poses it gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from svgm import Mixture
from svgm.mapping.map_state import MapState, rejection_reason
from svgm.mapping.scan_linking import Segment
from tests.mapping.edges import all_pairs, edge_between, walk
from tests.mapping.scenes import worst

POINT = Mixture([[0.0, 0.0]], 1.0, [1.0])


def filled(poses: np.ndarray, scans: int) -> MapState:
    """Scans whose exact links reach two scans back."""
    state = MapState(0.01, "sequence")
    table, radii = dict.fromkeys(range(scans), POINT), dict.fromkeys(range(scans), 1.0)
    state.add(Segment(table, radii, all_pairs(poses, 2), [list(range(scans))], {}))
    return state


def test_the_graph_is_solved_for_connected_scans(rng: np.random.Generator) -> None:
    poses = walk(2, 6, rng)
    state = filled(poses, 7)  # the last scan has no edge
    solution = state.solve_graph()
    assert sorted(state.poses) == list(range(6))
    assert solution.poses is state.poses
    assert max(worst(np.stack([state.poses[k] for k in range(6)]), poses)) < 1e-6


def test_untrusted_links_and_small_overlaps_are_rejected(rng: np.random.Generator) -> None:
    link = edge_between(walk(2, 2, rng), 1, 0)
    assert rejection_reason(link) is None
    assert rejection_reason(replace(link, confidence=0.5)) == "its confidence, 0.50, is too low"
    assert rejection_reason(replace(link, confidence=0.0, kind="weak")) is None
    assert rejection_reason(replace(link, overlap=0.2)) is None
    for kind in ("loop", "pair"):
        assert rejection_reason(replace(link, overlap=0.2, kind=kind)) == "its overlap, 0.20, is too low"


def test_edges_are_links_then_loops(rng: np.random.Generator) -> None:
    poses = walk(2, 4, rng)
    state = filled(poses, 4)
    loop, doubtful = edge_between(poses, 3, 0, kind="loop"), replace(edge_between(poses, 2, 0), confidence=0.1)
    state.loops = {(2, 0): doubtful, (1, 0): loop}
    assert state.edges == [*state.links, loop, doubtful]
    assert state.usable_edges == [*state.links, loop]


def test_a_wrong_edge_is_not_part_of_the_initial_tree(rng: np.random.Generator) -> None:
    poses = walk(2, 6, rng)
    state = filled(poses, 6)
    right = state.links[3]
    state.links[3] = edge_between(poses, right.source, right.target, xi=np.array([1.0, 2.0, 0.5]))
    state.solve_graph()
    assert max(worst(np.stack([state.poses[k] for k in range(6)]), poses)) < 1e-3


def test_dimension_and_noise_floor() -> None:
    state = filled(np.eye(3)[None], 1)
    assert state.dimension == 2
    assert state.floor == pytest.approx(np.full(3, (0.2 * 0.01) ** 2))
