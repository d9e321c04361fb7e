"""Degenerate sets are normal input: each has a working answer or one clear error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from svgm import InputError, Status, evaluate, fit, fit_two_class, kde, register
from svgm.rigid import apply, exp, pose_error

RNG = np.random.default_rng(77)
CLOUD = RNG.normal(size=(40, 2)) * [2.0, 1.0]
CLOUD_3D = RNG.normal(size=(40, 3)) * [3.0, 2.0, 1.0]

#: Sets that must work.
WORKING = {
    "two points": np.array([[0.0, 0.0], [1.0, 0.0]]),
    "three points": np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.7]]),
    "three points in 3D": np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.7, 0.0]]),
    "collinear in 2D": np.c_[np.linspace(0, 1, 20), np.linspace(0, 2, 20)],
    "collinear in 3D": np.linspace(0, 1, 20)[:, None] * [1.0, 2.0, -1.0],
    "coplanar in 3D": np.c_[CLOUD, CLOUD @ [0.3, -0.4]],
    "one point and many copies of another": np.vstack([np.zeros((30, 2)), [[1.0, 0.0]]]),
    "every point twice": np.repeat(CLOUD, 2, axis=0),
    "one far outlier": np.vstack([CLOUD, [[1e6, 0.0]]]),
    "integers": (10 * CLOUD).astype(int),
    "float32": CLOUD.astype(np.float32),
    "not contiguous": CLOUD_3D[::2, ::-1],
    "Fortran order": np.asfortranarray(CLOUD_3D),
    "read-only": np.frombuffer(CLOUD.tobytes()).reshape(-1, 2),
    "large": 1e100 * CLOUD,
    "small": 1e-100 * CLOUD,
    "far": CLOUD + 1e8,
}


@pytest.mark.parametrize("name", WORKING)
def test_fit_and_kde_work(name: str) -> None:
    points = WORKING[name]
    for mixture in (fit(points), kde(points)):
        assert np.isfinite(mixture.means).all()
        assert np.isfinite(mixture.weights).all()
        assert mixture.variance > 0
        assert np.all(np.isfinite(mixture.density(points)))


@pytest.mark.parametrize("name", WORKING)
def test_register_finds_itself(name: str) -> None:
    points = np.asarray(WORKING[name], dtype=float)
    size = np.abs(points - points.mean(axis=0)).max()
    result = register(WORKING[name], WORKING[name])
    assert result.status is Status.CONVERGED
    assert np.isfinite(result.transformation).all()
    assert np.isfinite(result.covariance).all()
    moved = apply(result.transformation, points)
    assert np.abs(moved - points).max() < 1e-5 * size


@pytest.mark.parametrize("name", ["collinear in 2D", "collinear in 3D", "coplanar in 3D", "three points"])
def test_register_moves_flat_sets(name: str) -> None:
    points = WORKING[name]
    d = points.shape[1]
    T = exp(np.r_[np.full(d * (d - 1) // 2, 0.1), np.full(d, 0.05)])
    target = apply(T, points)
    result = register(points, target)
    assert evaluate(points, target, result.transformation, 0.05).fitness == 1.0
    if name == "coplanar in 3D":
        assert pose_error(result.transformation, T)[0] < 0.02


@pytest.mark.parametrize("points", [[[1.0, 2.0]], np.ones((5, 2)), np.full((7, 3), 1e6)], ids=["one", "same", "far"])
def test_one_place(points: Any) -> None:
    for function in (fit, kde, fit_two_class):
        with pytest.raises(InputError, match="points must not all coincide"):
            function(points)
        assert len(function(points, scale=0.5)) >= 1
    with pytest.raises(InputError, match=r"^source must not be a single place"):
        register(points, points)


def test_a_source_on_one_target_place() -> None:
    with pytest.raises(InputError):
        register(CLOUD, [[1.0, 2.0]])


def test_a_target_of_one_place_is_named() -> None:
    with pytest.raises(InputError, match=r"^target must"):
        register(CLOUD, [[1.0, 2.0]])


@pytest.mark.parametrize("factor", [1e-200, 1e-300, 5e-324])
def test_too_small_to_square(factor: float) -> None:
    for call in (lambda p: fit(p), lambda p: register(p, p)):
        with pytest.raises(InputError):
            call(factor * CLOUD)


@pytest.mark.parametrize("factor", [1e160, 1e200, 1e300])
def test_too_large_to_square(factor: float) -> None:
    with pytest.raises(InputError):
        fit(factor * CLOUD)
    with pytest.raises(InputError):
        register(factor * CLOUD, factor * CLOUD)


@pytest.mark.parametrize(
    "points",
    [[], np.empty((0, 2)), [[np.nan, 0.0]], [[np.inf, 0.0]], [1.0, 2.0], [["a", "b"]], [[1.0, 2.0], [3.0]], None, 5],
    ids=str,
)
def test_no_points(points: Any) -> None:
    for call in (fit, kde, fit_two_class):
        with pytest.raises(InputError, match=r"^points must"):
            call(points)
    with pytest.raises(InputError, match=r"^source must"):
        register(points, CLOUD)
    with pytest.raises(InputError, match=r"^target must"):
        register(CLOUD, points)
    with pytest.raises(InputError, match=r"^target must"):
        evaluate(CLOUD, points, np.eye(3), 1.0)
