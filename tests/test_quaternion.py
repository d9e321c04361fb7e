"""Unit quaternions from and to matrices, at every angle."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.quaternion import quaternion_rotation, rotation_quaternion
from svgm.rigid import rotation_exp

#: eigh errs by a small multiple of eps times the norm of its matrix over the gap of its eigenvalues, here 3 / 4; how
#: small, its implementation decides.  Formulas that divide by the cosine or the sine lose half of the digits.
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
    # The vector part is the axis by the sine of half the angle; at 180 degrees either sign is right.
    expected = np.sin(angle / 2) * axes
    off = np.abs(quaternion[:, :3] - expected).max(axis=1)
    if angle == np.pi:
        off = np.minimum(off, np.abs(quaternion[:, :3] + expected).max(axis=1))
    assert off.max() < ROUNDING


def test_leading_axes() -> None:
    rotation = rotation_exp(np.random.default_rng(1).normal(size=(2, 5, 3)), 3)
    assert rotation_quaternion(rotation).shape == (2, 5, 4)
    assert np.array_equal(rotation_quaternion(rotation)[1, 2], rotation_quaternion(rotation[1, 2]))
