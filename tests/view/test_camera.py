"""The camera of pictures."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm import view
from tests.mixture.full_mixtures import random_covariances


@pytest.mark.parametrize("full", [False, True])
def test_mixtures_are_projected_exactly(full, rng):
    mixture = svgm.Mixture([[0.0, 0.0, 0.0], [1.0, 0.5, -0.5]], 0.04, [0.3, 0.7])
    if full:
        shapes = 0.16 * random_covariances(rng, 2, 3)
        mixture = svgm.Mixture(mixture.means, mixture.variance, mixture.weights, covariances=shapes)
    camera = view.Camera.at(np.array([1.0, 2.0, 0.5]))
    assert np.allclose(camera.axes @ camera.axes.T, np.eye(3))
    place = np.array([[0.2, 0.1]])
    depths = np.linspace(-4, 4, 4001)
    line = place @ camera.axes[:2] + depths[:, None] * camera.axes[2]
    integral = mixture.density(line).sum() * (depths[1] - depths[0])
    assert camera.marginal(mixture).density(place)[0] == pytest.approx(integral, rel=1e-6)
