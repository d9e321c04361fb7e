"""Expected correspondences: all pairs, and near pairs that give the same sums."""

from __future__ import annotations

import numpy as np

from svgm.registration.nonrigid.correspondences import all_pairs, near_pairs


def test_near_pairs_are_all_pairs_for_a_small_noise(rng: np.random.Generator) -> None:
    moved, target = rng.normal(size=(200, 2)), rng.normal(size=(150, 2))
    weights, others = rng.uniform(0.5, 2.0, 200), rng.uniform(0.5, 2.0, 150)
    arguments = (moved, weights, target, others, 0.03, 0.01, 0.9)
    every, near = all_pairs(*arguments), near_pairs(*arguments)
    assert np.isclose(every.log_likelihood, near.log_likelihood)
    assert np.allclose(every.partners, near.partners, atol=1e-4)
    assert np.allclose(every.pulled, near.pulled, atol=1e-4)
    assert np.isclose(every.residual(moved), near.residual(moved), rtol=1e-4)


def test_the_sums_are_those_of_the_definition(rng: np.random.Generator) -> None:
    moved, target = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    found = all_pairs(moved, np.ones(4), target, np.ones(5), 0.5, 0.02, 0.8)
    squared = ((moved[:, None] - target) ** 2).sum(axis=2)
    parts = 0.8 / 4 * np.exp(-0.5 * squared / 0.25) / (2 * np.pi * 0.25) ** 1.5
    shares = parts / (parts.sum(axis=0) + 0.02)
    assert np.isclose(found.log_likelihood, np.log(parts.sum(axis=0) + 0.02).sum())
    assert np.allclose(found.partners, shares.sum(axis=1))
    assert np.isclose(found.residual(moved), (shares * squared).sum())
