"""even_rotations: proper rotations, the same every time, with no large gap between them."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.registration.search.rotations import even_rotations
from svgm.registration.tuning import TUNING
from svgm.rigid import rotation_exp


def random_rotations(count: int, rng: np.random.Generator) -> np.ndarray:
    """Evenly distributed over SO(3): the turn from q to -q about unit quaternions."""
    q = rng.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    half = np.arctan2(np.linalg.norm(q[:, 1:], axis=1), q[:, 0])
    return rotation_exp(2.0 * half[:, None] * q[:, 1:] / np.linalg.norm(q[:, 1:], axis=1, keepdims=True), 3)


def nearest_angles(rotations: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Degrees from each of the others to the nearest of the rotations."""
    d = rotations.shape[1]
    trace = others.reshape(len(others), -1) @ rotations.reshape(len(rotations), -1).T
    cosine = trace.max(axis=1) / 2.0 if d == 2 else (trace.max(axis=1) - 1.0) / 2.0
    return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("count", [1, 2, 7, 500])
def test_they_are_rotations(dimension: int, count: int) -> None:
    rotations = even_rotations(count, dimension)
    assert rotations.shape == (count, dimension, dimension)
    assert np.allclose(rotations @ np.swapaxes(rotations, 1, 2), np.eye(dimension), atol=1e-12)
    assert np.allclose(np.linalg.det(rotations), 1.0, atol=1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
def test_they_are_the_same_every_time(dimension: int) -> None:
    assert np.array_equal(even_rotations(100, dimension), even_rotations(100, dimension))


def test_none_is_far_from_all_of_them_in_3d(rng: np.random.Generator) -> None:
    angles = nearest_angles(even_rotations(TUNING.rotations[3], 3), random_rotations(4000, rng))
    assert angles.max() < 21.0
    assert angles.mean() < 12.0


def test_they_are_spread_more_evenly_than_random_ones(rng: np.random.Generator) -> None:
    wanted = random_rotations(3000, rng)
    even, random = (nearest_angles(them, wanted) for them in (even_rotations(500, 3), random_rotations(500, rng)))
    assert even.max() < 0.75 * random.max()
    assert even.mean() < random.mean()


def test_equal_steps_in_2d() -> None:
    rotations = even_rotations(TUNING.rotations[2], 2)
    assert np.allclose(rotations, rotation_exp(np.radians(2.5) * np.arange(144)[:, None], 2), atol=1e-12)


@pytest.mark.parametrize("count", [50, 400])
def test_more_of_them_are_nearer(count: int, rng: np.random.Generator) -> None:
    """The covering radius falls with the cube root of their number."""
    wanted = random_rotations(1500, rng)
    few, many = (nearest_angles(even_rotations(n, 3), wanted).max() for n in (count, 8 * count))
    assert 0.35 * few < many < 0.65 * few
