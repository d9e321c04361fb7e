"""SE(2) and SE(3): identities of poses and tangent vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svgm.checks.errors import InputError
from svgm.rigid import adjoint, apply, as_pose, degrees_of_freedom, exp, invert, log, pose, pose_error
from svgm.rigid.rotations import hat, rotation_exp

ANGLES = [0.0, 1e-300, 1e-16, 1e-9, 9.9e-5, 1.01e-4, 1e-2, 1.0, 3.0, np.pi - 1e-5, np.pi - 1e-9, np.pi]


def turn(dimension: int, angle: float, axis: tuple[float, float, float] = (0.36, -0.48, 0.8)) -> np.ndarray:
    return np.array([angle]) if dimension == 2 else angle * np.array(axis)


def series(matrix: np.ndarray) -> np.ndarray:
    """The matrix exponential by scaling, its Taylor series and squaring."""
    small, total, term = matrix / 2**12, np.eye(len(matrix)), np.eye(len(matrix))
    for k in range(1, 18):
        term = term @ small / k
        total = total + term
    for _ in range(12):
        total = total @ total
    return total


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("angle", ANGLES)
def test_log_inverts_exp(dimension: int, angle: float) -> None:
    xi = np.r_[turn(dimension, angle), np.arange(1.0, dimension + 1)]
    back = log(exp(xi))
    if angle > np.pi - 1e-8:  # at pi the axis and its opposite are one rotation
        assert np.allclose(exp(back), exp(xi), atol=1e-9)
        assert np.isclose(np.linalg.norm(back[: len(xi) - dimension]), angle, atol=1e-7)
    else:
        assert np.allclose(back, xi, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("angle", [0.0, 1e-6, 9.9e-5, 1.01e-4, 0.5, 2.0, 7.0])
def test_exp_is_the_matrix_exponential(dimension: int, angle: float) -> None:
    omega, v = turn(dimension, angle), np.arange(1.0, dimension + 1)
    algebra = np.zeros((dimension + 1, dimension + 1))
    algebra[:dimension, :dimension] = hat(omega, dimension)
    algebra[:dimension, dimension] = v
    assert np.allclose(exp(np.r_[omega, v]), series(algebra), rtol=0, atol=2e-12)


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6), st.lists(st.floats(-10, 10), min_size=6, max_size=6))
def test_adjoint_carries_a_tangent_vector_across_a_pose(a: list[float], b: list[float]) -> None:
    for k in (3, 6):
        T, xi = exp(b[:k]), np.array(a[:k])
        assert np.allclose(T @ exp(xi) @ invert(T), exp(adjoint(T) @ xi), atol=1e-8)


@given(st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=6))
def test_rotations_are_orthogonal_and_inverse_undoes(xi: list[float]) -> None:
    for k, d in ((3, 2), (6, 3)):
        T = exp(xi[:k])
        assert np.allclose(T[:d, :d] @ T[:d, :d].T, np.eye(d), atol=1e-12)
        assert np.isclose(np.linalg.det(T[:d, :d]), 1.0)
        assert np.allclose(invert(T) @ T, np.eye(d + 1), atol=1e-9)


def test_apply_is_the_formula_and_takes_stacks(rng: np.random.Generator) -> None:
    points = rng.normal(size=(5, 3))
    poses = exp(rng.normal(size=(4, 6)))
    stacked = apply(poses, points)
    assert stacked.shape == (4, 5, 3)
    for T, moved in zip(poses, stacked, strict=True):
        for p, q in zip(points, moved, strict=True):
            assert np.allclose(q, T[:3, :3] @ p + T[:3, 3])
        assert np.allclose(apply(invert(T), moved), points)


def test_stacks_equal_one_by_one(rng: np.random.Generator) -> None:
    xi = rng.normal(size=(7, 6))
    assert np.allclose(exp(xi), [exp(x) for x in xi])
    assert np.allclose(log(exp(xi)), [log(exp(x)) for x in xi])
    assert np.allclose(adjoint(exp(xi)), [adjoint(exp(x)) for x in xi])
    assert np.allclose(invert(exp(xi)), np.linalg.inv(exp(xi)))


def test_degrees_of_freedom() -> None:
    assert (degrees_of_freedom(2), degrees_of_freedom(3)) == (3, 6)


@pytest.mark.parametrize("angle", [0.0, 1e-10, 1e-3, 1.0, 3.1])
def test_pose_error_measures_angle_and_distance(angle: float) -> None:
    reference = exp([0.3, -0.2, 0.9, 4.0, 5.0, 6.0])
    T = reference.copy()
    T[:3, :3] = reference[:3, :3] @ rotation_exp(turn(3, angle), 3)
    T[:3, 3] += [0.0, 3.0, 4.0]
    rotation, translation = pose_error(T, reference)
    assert np.isclose(rotation, angle, atol=1e-12)
    assert np.isclose(translation, 5.0)


def test_as_pose_cleans_rounding() -> None:
    T = exp([0.3, -0.2, 0.9, 4.0, 5.0, 6.0])
    cleaned = as_pose(T.round(6), 3)
    assert np.allclose(cleaned, T, atol=1e-5)
    assert np.allclose(cleaned[:3, :3] @ cleaned[:3, :3].T, np.eye(3), atol=1e-13)
    assert np.array_equal(as_pose(np.eye(3, dtype=int).tolist(), 2), np.eye(3))


@pytest.mark.parametrize(
    "matrix",
    [
        pytest.param(np.diag([1.1, 1.1, 1.1, 1.0]), id="scaling"),
        pytest.param(np.diag([1.01, 1.0, 1.0, 1.0]), id="stretch"),
        pytest.param(np.diag([1.0, 1.0, -1.0, 1.0]), id="reflection"),
        pytest.param(np.diag([0.0, 0.0, 0.0, 1.0]), id="zero"),
        pytest.param(np.full((4, 4), np.nan), id="nan"),
        pytest.param(np.diag([1.0, 1.0, np.inf, 1.0]), id="infinite"),
        pytest.param(np.eye(3), id="2D pose"),
        pytest.param(np.eye(4)[:3], id="3x4"),
        pytest.param(np.eye(4)[None], id="stack"),
        pytest.param(np.eye(4) + np.eye(4)[[3, 0, 1, 2]], id="last row"),
        pytest.param(2.0 * np.eye(4), id="homogeneous scale"),
        pytest.param(1.0, id="number"),
    ],
)
def test_as_pose_refuses_what_is_not_rigid(matrix: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"^init must"):
        as_pose(matrix, 3, "init")


def test_pose_broadcasts() -> None:
    assert pose(np.eye(2), np.zeros((5, 2))).shape == (5, 3, 3)
