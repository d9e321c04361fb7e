"""Which loops agree with the trajectory and with each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from svgm.mapping.chain import chain_of
from svgm.mapping.edge_noise import noise_floor
from svgm.mapping.loop_consistency import inconsistent_loops, largest_set, pairwise_consistent
from tests.mapping.edges import edge_between, size, walk

FLOOR = {d: noise_floor(d, 0.01, 1.0) for d in (2, 3)}


@pytest.mark.parametrize("d", [2, 3])
def test_a_wrong_loop_agrees_with_none(d: int, rng: np.random.Generator) -> None:
    poses = walk(d, 30, rng)
    chain = chain_of(dict(enumerate(poses)), [edge_between(poses, k, k - 1) for k in range(1, 30)], FLOOR[d], 1.0)
    loops = [edge_between(poses, 25 + k, k, kind="loop") for k in range(4)]
    loops.append(edge_between(poses, 29, 2, xi=5.0 * np.ones(size(d)), kind="loop"))
    consistent = pairwise_consistent(loops, chain, FLOOR[d])
    assert consistent[:4, :4].all()
    assert consistent[4].tolist() == [False] * 4 + [True]
    assert sorted(inconsistent_loops(loops, chain, FLOOR[d])) == [4]
    assert "contradicts the trajectory" in inconsistent_loops(loops, chain, FLOOR[d])[4]


def two_parts(rng: np.random.Generator):  # type: ignore[no-untyped-def]
    poses = walk(2, 20, rng)
    steps = [edge_between(poses, k, k - 1) for k in range(1, 20) if k != 10]
    return poses, chain_of(dict(enumerate(poses)), steps, FLOOR[2], 0.01)


def test_two_parts_are_joined_by_loops_that_agree(rng: np.random.Generator) -> None:
    poses, chain = two_parts(rng)
    one, other = edge_between(poses, 12, 3, kind="loop"), edge_between(poses, 17, 6, kind="loop")
    assert inconsistent_loops([one, other], chain, FLOOR[2]) == {}
    assert inconsistent_loops([one], chain, FLOOR[2]) == {0: "too few other loops confirm it"}
    same_submap = edge_between(poses, 12, 5, kind="loop")
    assert len(inconsistent_loops([one, same_submap], chain, FLOOR[2])) == 2
    moved = np.array([0.4, 2.0, -3.0])
    rivals = [edge_between(poses, source, target, xi=moved, kind="loop") for source, target in ((12, 4), (12, 5))]
    found = inconsistent_loops([one, other, rivals[0]], chain, FLOOR[2])
    assert found[2] == "it contradicts other loops"


def test_the_largest_set_is_that_of_all_subsets(rng: np.random.Generator) -> None:
    for _ in range(20):
        count = 7
        consistent = np.triu(rng.random((count, count)) < 0.6, 1)
        consistent = consistent | consistent.T | np.eye(count, dtype=bool)
        best = max(
            len(subset)
            for length in range(1, count + 1)
            for subset in combinations(range(count), length)
            if consistent[np.ix_(subset, subset)].all()
        )
        found = largest_set(consistent, np.ones(count))
        assert consistent[np.ix_(found, found)].all()
        assert len(found) >= best - 1  # grown greedily
    assert largest_set(np.zeros((0, 0), dtype=bool), np.ones(0)) == []
