"""Triangle consistency: wrong edges do not close their triangles."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.mapping.cycle_consistency import triangle_scores
from svgm.mapping.edge_noise import noise_floor
from tests.mapping.edges import all_pairs, edge_between, size, walk

FLOOR = {d: noise_floor(d, 0.01, 1.0) for d in (2, 3)}


@pytest.mark.parametrize("d", [2, 3])
def test_wrong_edges_have_negative_scores(d: int, rng: np.random.Generator) -> None:
    poses = walk(d, 8, rng)
    edges = all_pairs(poses, 3)
    wrong = [4, 11]
    for number in wrong:
        right = edges[number]
        edges[number] = edge_between(poses, right.source, right.target, xi=rng.normal(size=size(d)))
    scores = triangle_scores(edges, FLOOR[d])
    assert (scores[wrong] < 0).all()
    assert (np.delete(scores, wrong) > scores[wrong].max()).all()


def test_each_triangle_counts_once(rng: np.random.Generator) -> None:
    edges = all_pairs(walk(2, 3, rng), 2)
    assert triangle_scores(edges, FLOOR[2]).tolist() == [1, 1, 1]
    backwards = [edge.reversed() if number == 1 else edge for number, edge in enumerate(edges)]
    assert triangle_scores(backwards, FLOOR[2]).tolist() == [1, 1, 1]
    assert triangle_scores([*edges, edges[0]], FLOOR[2]).tolist() == [2, 2, 2, 2]  # two of them share two sides
    assert triangle_scores(edges[:2], FLOOR[2]).tolist() == [0, 0]
    assert triangle_scores([], FLOOR[2]).shape == (0,)
