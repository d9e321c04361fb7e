"""The trajectory without loops, its drift and its parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from svgm.mapping.chain import chain_of, connected_parts, holds
from svgm.mapping.edge_noise import noise_floor
from svgm.rigid import adjoint, exp, invert, log
from tests.mapping.edges import edge_between, size, walk

FLOOR = {d: noise_floor(d, 1e-6, 1.0) for d in (2, 3)}


@pytest.mark.parametrize("d", [2, 3])
def test_drift_is_the_scatter_of_composed_steps(d: int, rng: np.random.Generator) -> None:
    poses, deviation, count = walk(d, 5, rng), 1e-3, 4000
    noise = deviation**2 * np.eye(size(d))
    edges = [edge_between(poses, k, k - 1, covariance=noise) for k in range(1, 5)]
    chain = chain_of(dict(enumerate(poses)), edges, FLOOR[d], 1.0)
    errors = []
    for _ in range(count):
        there = np.eye(d + 1)
        for k in range(2, 5):  # from scan 1 to scan 4
            there = there @ invert(poses[k - 1]) @ poses[k] @ exp(rng.normal(scale=deviation, size=size(d)))
        errors.append(log(invert(chain.relative(4, 1)) @ there))
    found = np.cov(np.array(errors).T)
    assert chain.covariance(4, 1) == pytest.approx(found, abs=0.12 * np.abs(found).max())
    moved = adjoint(chain.relative(4, 1))
    assert chain.covariance(1, 4) == pytest.approx(moved @ chain.covariance(4, 1) @ moved.T)


def test_weak_and_loose_edges_separate_parts(rng: np.random.Generator) -> None:
    poses = walk(2, 6, rng)
    edges = [edge_between(poses, k, k - 1) for k in range(1, 6)]
    edges[1] = replace(edges[1], kind="weak")
    edges[3] = replace(edges[3], loose=1)
    assert [holds(edge) for edge in edges] == [True, False, True, False, True]
    chain = chain_of(dict(enumerate(poses)), edges, FLOOR[2], 1.0)
    assert chain.part == {0: 0, 1: 0, 2: 2, 3: 2, 4: 4, 5: 4}
    assert connected_parts(range(6), edges[:1]) == {0: 0, 1: 0, 2: 2, 3: 3, 4: 4, 5: 5}


def test_a_part_follows_another_if_a_loop_puts_them_side_by_side(rng: np.random.Generator) -> None:
    poses = walk(2, 9, rng, step=0.1)
    edges = [edge_between(poses, k, k - 1) for k in (1, 2, 4, 5, 7, 8)]
    chain = chain_of(dict(enumerate(poses)), edges, FLOOR[2], 1.0)
    assert chain.follows(edge_between(poses, 5, 1))
    assert not chain.follows(edge_between(poses, 8, 1))  # another part lies between
    assert not chain.follows(edge_between(poses, 5, 1, xi=np.array([0.0, 3.0, 0.0])))
