"""register(search="auto"): the local answer if it is trusted, else the search everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import register
from svgm.registration.search.rotations import even_rotations
from svgm.rigid import apply, exp, pose
from tests.registration.register.answers import close


def test_auto_keeps_a_trusted_local_answer(dense_surface: np.ndarray, dense_curve: np.ndarray) -> None:
    for points, T in ((dense_curve[::8], exp([0.3, 0.2, 0.1])), (dense_surface[::5], exp([0.2, -0.1, 0.2, 0.1, 0, 0]))):
        target = apply(T, points)
        local, auto = register(points, target, search="local"), register(points, target, search="auto")
        assert local.trusted
        assert np.array_equal(auto.transformation, local.transformation)
        assert auto.search == "local"
        assert close(auto.transformation, T, 2e-3, 2e-3)
        assert register(points, target) == auto


@pytest.mark.parametrize("shape", ["dense_curve", "dense_surface"])
def test_auto_searches_elsewhere_when_the_start_is_hopeless(shape: str, request: pytest.FixtureRequest) -> None:
    points = request.getfixturevalue(shape)[::20]
    d = points.shape[1]
    T = pose(even_rotations(7, d)[3], np.full(d, 200.0))
    target = apply(T, points)
    start = T @ pose(np.eye(d), np.full(d, 500.0))
    local = register(points, target, init=start, search="local")
    assert not local.trusted
    result = register(points, target, init=start)
    assert close(result.transformation, T, 0.01, 0.05)
    assert result.confidence > local.confidence
    turned = register(points, target, init=start @ pose(even_rotations(7, d)[2], np.zeros(d)))
    assert close(turned.transformation, T, 0.01, 0.05)


def test_auto_searches_everywhere_when_the_local_answer_is_not_trusted(dense_curve: np.ndarray) -> None:
    points = dense_curve[::20]
    T = pose(even_rotations(7, 2)[3], np.full(2, 200.0))
    result = register(points, apply(T, points), init=T @ pose(even_rotations(7, 2)[2], np.full(2, 500.0)))
    assert result.search == "global"
    assert close(result.transformation, T, 0.01, 0.05)
