"""Surface against free space: displaced points and the signed mixture."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import InputError, fit_two_class
from svgm.mixture.two_class import free_space
from svgm.rigid import apply, exp


def ring(n: int = 200) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.c_[np.cos(angle), np.sin(angle)]


def test_free_space_keeps_its_distance() -> None:
    points = ring()
    free = free_space(points, points, 0.3, both=True)
    distances = np.linalg.norm(free[:, None] - points, axis=2).min(axis=1)
    assert distances.min() >= 0.9 * 0.3
    assert len(free) == 400
    assert len(free_space(points, points, 0.3, both=False)) == 200
    # Inwards by the diameter: every point lands on the opposite side and is dropped.
    assert len(free_space(points, -points, 2.0, both=False)) == 0


def test_surface_is_positive_and_free_space_negative() -> None:
    points = ring()
    mixture = fit_two_class(points)
    assert mixture.signed
    assert mixture.weights[mixture.weights > 0].sum() == pytest.approx(1.0)
    step = 2.0 * mixture.sigma
    assert np.all(mixture.decision(points) > 0)
    assert np.all(mixture.decision((1 + step) * points) < 0)
    assert np.all(mixture.decision((1 - step) * points) < 0)


def test_a_viewpoint_leaves_the_hidden_side_open() -> None:
    points = ring()
    outside = fit_two_class(points, viewpoint=[0.0, 0.0])  # the sensor inside sees the inside
    inner = np.linalg.norm(outside.means[outside.weights < 0], axis=1)
    assert np.all(inner < 1.0)


def test_surface_in_3d_and_motion(surface: np.ndarray) -> None:
    T = exp([0.4, -1.0, 0.3, 5.0, 6.0, 7.0])
    still, moved = fit_two_class(surface, gamma=16), fit_two_class(apply(T, surface), gamma=16)
    assert np.mean(still.decision(surface) > 0) > 0.98
    assert np.allclose(still.decision(surface), moved.decision(apply(T, surface)), atol=0.02 * still.weights.max())


@pytest.mark.parametrize("points", [[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]])
def test_few_points(points: list[list[float]]) -> None:
    mixture = fit_two_class(points)
    assert np.all(mixture.decision(points) > 0)


def test_collinear_points_in_3d() -> None:
    line = np.c_[np.linspace(0, 1, 30), np.zeros((30, 2))]
    assert np.all(fit_two_class(line).decision(line) > 0)


def test_one_coordinate_has_no_normals() -> None:
    with pytest.raises(InputError, match=r"^points must have at least 2 coordinates"):
        fit_two_class([[0.0], [1.0]])


def test_no_free_space_is_named() -> None:
    # Seen from the centre, every point displaced by the diameter lands on the opposite side.
    with pytest.raises(InputError, match=r"^distance must leave free space"):
        fit_two_class(ring(), scale=1.0, gamma=1.0, distance=2.0, viewpoint=[0.0, 0.0], thinning=0)
