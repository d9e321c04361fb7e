"""Votes of triangles, and the tree of the best edges."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.mapping.noise import closes, disagreement, floor_of
from svgm.mapping.votes import chained, spanning_poses, votes
from svgm.rigid import exp, invert, log
from tests.mapping.edges import all_pairs, edge_between, size, spread, stacked, walk

FLOOR = {d: floor_of(d, 0.01, 1.0) for d in (2, 3)}


@pytest.mark.parametrize("d", [2, 3])
def test_wrong_edges_are_voted_down(d: int, rng: np.random.Generator) -> None:
    poses = walk(d, 8, rng)
    edges = all_pairs(poses, 3)
    wrong = [4, 11]
    for number in wrong:
        right = edges[number]
        edges[number] = edge_between(poses, right.source, right.target, xi=rng.normal(size=size(d)))
    count = votes(edges, FLOOR[d])
    assert (count[wrong] < 0).all()
    assert (np.delete(count, wrong) > count[wrong].max()).all()


def test_each_triangle_is_one_vote(rng: np.random.Generator) -> None:
    edges = all_pairs(walk(2, 3, rng), 2)
    assert votes(edges, FLOOR[2]).tolist() == [1, 1, 1]
    backwards = [edge.reversed() if number == 1 else edge for number, edge in enumerate(edges)]
    assert votes(backwards, FLOOR[2]).tolist() == [1, 1, 1]
    assert votes([*edges, edges[0]], FLOOR[2]).tolist() == [1, 2, 2, 1]  # two of them share two sides
    assert votes(edges[:2], FLOOR[2]).tolist() == [0, 0]
    assert votes([], FLOOR[2]).shape == (0,)


@pytest.mark.parametrize("d", [2, 3])
def test_a_chain_of_two_is_as_sure_as_both(d: int, rng: np.random.Generator) -> None:
    poses = walk(d, 3, rng)
    ab, bc = (edge_between(poses, i, i - 1, covariance=spread(d, rng)) for i in (2, 1))
    none = np.zeros(size(d))
    chain = chained(ab, bc, none)
    assert (chain.source, chain.target) == (2, 0)
    assert np.allclose(chain.transformation, edge_between(poses, 2, 0).transformation)
    draws = [rng.multivariate_normal(none, edge.covariance, size=4000) for edge in (ab, bc)]
    true = np.stack([bc.transformation @ exp(b) @ ab.transformation @ exp(a) for a, b in zip(*draws, strict=True)])
    errors = log(invert(chain.transformation) @ true)
    assert np.allclose(np.diag(errors.T @ errors / len(errors)), np.diag(chain.covariance), rtol=0.12)


def test_two_measurements_agree_within_their_doubt(rng: np.random.Generator) -> None:
    poses = walk(2, 2, rng)
    exact = edge_between(poses, 1, 0)
    assert disagreement(exact, exact, FLOOR[2]) < 1e-20
    off = np.array([0.0, 0.05, 0.0])  # the floor's deviation is 0.01, of a difference 0.014
    assert disagreement(exact, edge_between(poses, 1, 0, xi=off), FLOOR[2]) == pytest.approx(12.5, rel=0.02)
    assert closes(exact, edge_between(poses, 1, 0, xi=off), FLOOR[2])
    assert not closes(exact, edge_between(poses, 1, 0, xi=2 * off), FLOOR[2])


@pytest.mark.parametrize("d", [2, 3])
def test_the_tree_has_the_exact_poses(d: int, rng: np.random.Generator) -> None:
    poses = walk(d, 9, rng)
    edges = [edge.reversed() if number % 2 else edge for number, edge in enumerate(all_pairs(poses, 2))]
    (table,) = spanning_poses(range(9), edges, np.zeros(len(edges)), d)
    assert np.allclose(stacked(table), poses, atol=1e-12)


def test_the_tree_goes_along_the_best(rng: np.random.Generator) -> None:
    poses = walk(2, 6, rng)
    edges = all_pairs(poses, 5)
    ranks = np.ones(len(edges))
    for number in (0, 3, 7):
        edges[number] = edge_between(poses, edges[number].source, edges[number].target, xi=np.ones(3))
        ranks[number] = -1.0
    (table,) = spanning_poses(range(6), edges, ranks, 2)
    assert np.allclose(stacked(table), poses, atol=1e-12)


def test_groups_that_do_not_hang_together(rng: np.random.Generator) -> None:
    poses = walk(2, 8, rng)
    edges = [edge_between(poses, 1, 0), *(edge_between(poses, k, k - 1) for k in (4, 5, 6))]
    tables = spanning_poses(range(8), edges, np.zeros(4), 2)
    assert [sorted(table) for table in tables] == [[3, 4, 5, 6], [0, 1], [2], [7]]
    assert np.array_equal(tables[0][3], np.eye(3))
    assert np.allclose(np.linalg.inv(poses[3]) @ poses[6], tables[0][6])
