"""When two measurements of one pose agree, and the covariance of two edges one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.mapping.edge_noise import agree, composed, disagreement, noise_floor
from svgm.rigid import exp, invert, log
from tests.mapping.edges import edge_between, size, spread, walk

FLOOR = noise_floor(2, 0.01, 1.0)


@pytest.mark.parametrize("d", [2, 3])
def test_the_covariance_of_two_edges_composed(d: int, rng: np.random.Generator) -> None:
    poses = walk(d, 3, rng)
    ab, bc = (edge_between(poses, i, i - 1, covariance=spread(d, rng)) for i in (2, 1))
    none = np.zeros(size(d))
    whole = composed(ab, bc, none)
    assert (whole.source, whole.target) == (2, 0)
    assert np.allclose(whole.transformation, edge_between(poses, 2, 0).transformation)
    draws = [rng.multivariate_normal(none, edge.covariance, size=4000) for edge in (ab, bc)]
    true = np.stack([bc.transformation @ exp(b) @ ab.transformation @ exp(a) for a, b in zip(*draws, strict=True)])
    errors = log(invert(whole.transformation) @ true)
    assert np.allclose(np.diag(errors.T @ errors / len(errors)), np.diag(whole.covariance), rtol=0.12)


def test_two_measurements_agree_within_their_noise(rng: np.random.Generator) -> None:
    poses = walk(2, 2, rng)
    exact = edge_between(poses, 1, 0)
    assert disagreement(exact, exact, FLOOR) < 1e-20
    off = np.array([0.0, 0.05, 0.0])  # the floor's deviation is 0.01, of a difference 0.014
    assert disagreement(exact, edge_between(poses, 1, 0, xi=off), FLOOR) == pytest.approx(12.5, rel=0.02)
    assert agree(exact, edge_between(poses, 1, 0, xi=off), FLOOR)
    assert not agree(exact, edge_between(poses, 1, 0, xi=2 * off), FLOOR)
