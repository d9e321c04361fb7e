"""The correlation of densities: its derivatives, and that collapsing does not win."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.registration.nonrigid.correlation import Correlation
from svgm.registration.nonrigid.spline_modes import SplineModes


@pytest.fixture(params=[2, 3])
def level(request: pytest.FixtureRequest, rng: np.random.Generator) -> Correlation:
    points = rng.normal(size=(25, request.param))
    modes = SplineModes(points, 25)
    target = points[:20] + 0.1 * np.sin(points[:20, ::-1])
    return Correlation(modes.at(points), modes.penalised, np.ones(25), target, np.ones(20), 0.3, 0.05)


def test_the_gradient_is_the_derivative(level: Correlation, rng: np.random.Generator) -> None:
    theta = 0.3 * rng.normal(size=(level.modes.shape[1], level.target.shape[1]))
    _, gradient, _ = level.value(theta)
    step = rng.normal(size=theta.shape)
    slope = (level.value(theta + 1e-6 * step)[0] - level.value(theta - 1e-6 * step)[0]) / 2e-6
    assert np.isclose(slope, np.sum(gradient * step), rtol=1e-5)


def test_minimising_lowers_the_objective_and_a_collapse_is_worse(level: Correlation) -> None:
    d = level.target.shape[1]
    modes = level.modes
    start = np.zeros((modes.shape[1], d))
    start[: 1 + d] = np.linalg.lstsq(modes[:, : 1 + d], level.modes @ np.eye(len(start))[:, :d], rcond=None)[0]
    value, theta = level.minimised(start, 50)
    assert value < level.value(start)[0]
    assert level.value(1e-3 * theta)[0] > value
