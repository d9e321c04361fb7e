"""What maps do to the Gaussians of a mixture: the density moves along."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm import InputError, rigid


@pytest.mark.parametrize("flat", [False, True])
def test_the_density_and_the_decision_move_along(flat: bool, rng: np.random.Generator) -> None:
    own = np.tile(np.diag([0.02, 0.08]), (20, 1, 1)) if flat else None
    mixture = svgm.Mixture(rng.normal(size=(20, 2)), 0.04, np.full(20, 0.05), 0.3, covariances=own)
    points = rng.normal(size=(50, 2))
    turned = rigid.rotation_exp(np.array([0.3]), 2)
    for linear in (turned, 2.0 * turned, np.array([[2.0, 0.5], [0.0, 1.0]])):
        T = np.eye(3)
        T[:2, :2], T[:2, 2] = linear, [1.0, 2.0]
        moved = mixture.transformed(T)
        density = mixture.density(points) / np.linalg.det(linear)
        assert np.allclose(moved.density(rigid.apply(T, points)), density, rtol=1e-6)
        assert np.allclose(moved.decision(rigid.apply(T, points)), mixture.decision(points), rtol=1e-6)
        assert (moved.covariances is None) == (not flat and linear[0, 1] < 0)


def test_a_matrix_that_is_no_map_is_refused(rng: np.random.Generator) -> None:
    mixture = svgm.Mixture(rng.normal(size=(20, 2)), 0.04, np.full(20, 0.05))
    for matrix in (np.diag([1.0, 0.0, 1.0]), np.full((3, 3), np.nan), np.eye(4), 2.0 * np.eye(3)):
        with pytest.raises(InputError, match="T must"):
            mixture.transformed(matrix)
