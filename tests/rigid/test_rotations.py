"""Rotation vectors, matrices and quaternions: each conversion inverts the other at every angle."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.checks.errors import InputError
from svgm.rigid import adjoint, pose_error
from svgm.rigid.rotations import as_square, quaternion_rotation, rotation_exp, rotation_log, rotation_quaternion


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0.6, 0, -0.8)])
def test_half_turns_keep_their_axis(axis: tuple[float, float, float]) -> None:
    rotation = rotation_exp(np.pi * np.array(axis, dtype=float), 3)
    vector = rotation_log(rotation)
    assert np.isclose(np.linalg.norm(vector), np.pi, atol=1e-12)
    assert np.isclose(abs(vector @ axis), np.pi, atol=1e-12)


#: The error of eigh is a small multiple of eps times the norm of its matrix over the gap of its eigenvalues, here
#: 3 / 4.  How small depends on its implementation.  Formulas that divide by the cosine or the sine lose half of
#: the digits.
ROUNDING = 64 * np.finfo(float).eps


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1e-3, 1.0, 3.0, np.pi - 1e-3, np.pi - 1e-8, np.pi])
def test_round_trip_at_every_angle(angle: float) -> None:
    axes = np.random.default_rng(0).normal(size=(200, 3))
    axes = np.vstack([axes, np.eye(3), [[1, 1, 0], [1, 0, -1], [-1, -1, -1]]])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    rotation = rotation_exp(angle * axes, 3)
    quaternion = rotation_quaternion(rotation)
    assert np.abs(quaternion_rotation(quaternion) - rotation).max() < ROUNDING
    assert np.allclose(np.linalg.norm(quaternion, axis=1), 1.0, rtol=0, atol=ROUNDING)
    assert (quaternion[:, 3] >= 0).all()
    # The vector part is the axis times the sine of half the angle; at 180 degrees either sign is correct.
    expected = np.sin(angle / 2) * axes
    off = np.abs(quaternion[:, :3] - expected).max(axis=1)
    if angle == np.pi:
        off = np.minimum(off, np.abs(quaternion[:, :3] + expected).max(axis=1))
    assert off.max() < ROUNDING


def test_leading_axes() -> None:
    rotation = rotation_exp(np.random.default_rng(1).normal(size=(2, 5, 3)), 3)
    assert rotation_quaternion(rotation).shape == (2, 5, 4)
    assert np.array_equal(rotation_quaternion(rotation)[1, 2], rotation_quaternion(rotation[1, 2]))


def test_other_shapes_are_refused() -> None:
    assert as_square(np.zeros((5, 3, 3)), "rotation", 2, 3).shape == (5, 3, 3)
    for value in (np.eye(4), np.zeros((2, 3)), np.zeros(3), 1.0):
        with pytest.raises(InputError, match=r"^rotation must be a 2x2 or 3x3 matrix"):
            as_square(value, "rotation", 2, 3)


@pytest.mark.parametrize("large", [1e160, -1e308, np.inf])
def test_numbers_whose_squares_overflow_are_refused(large: float) -> None:
    for function, name in (
        (lambda: rotation_exp([large, 0.0, 0.0], 3), "omega"),
        (lambda: rotation_exp([large], 2), "omega"),
        (lambda: quaternion_rotation([large, 0.0, 0.0, 1.0]), "quaternion"),
        (lambda: rotation_log(np.full((2, 2), large)), "rotation"),
        (lambda: adjoint(np.full((4, 4), large)), "T"),
        (lambda: pose_error(np.eye(3), np.full((3, 3), large)), "reference"),
    ):
        with pytest.raises(InputError, match=rf"^{name} must be .*within 1e\+150, got"):
            function()
