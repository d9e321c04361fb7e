"""Normals: against shapes whose normals are known."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.checks.errors import InputError
from svgm.datasets import body
from svgm.geometry import normals as module
from svgm.geometry.normals import estimate_normals
from svgm.rigid import apply, exp


def ring(n: int = 200) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.c_[np.cos(angle), np.sin(angle)]


def test_normals_of_a_ring_are_radial() -> None:
    points = ring()
    normals = estimate_normals(points)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0)
    assert np.abs(np.einsum("ni,ni->n", normals, points)).min() > 0.999
    inward = estimate_normals(points, viewpoint=np.zeros(2))
    assert np.all(np.einsum("ni,ni->n", inward, points) < 0)


def test_normals_of_a_body() -> None:
    points, truth = body(20_000)
    along = np.abs(np.einsum("ni,ni->n", estimate_normals(points), truth))
    assert np.quantile(along, 0.1) > 0.95  # the other points are near the borders between ellipsoids


def test_a_motion_turns_the_normals(surface: np.ndarray) -> None:
    T = exp([0.4, -1.0, 0.3, 5.0, 6.0, 7.0])
    turned = estimate_normals(surface) @ T[:3, :3].T
    assert np.abs(np.einsum("ni,ni->n", turned, estimate_normals(apply(T, surface)))).min() > 1 - 1e-9


def test_batches_change_nothing(surface: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = estimate_normals(surface)
    monkeypatch.setattr(module, "MOST_NUMBERS", 1000)
    assert np.array_equal(estimate_normals(surface), whole)


def test_fewer_points_than_neighbours() -> None:
    assert estimate_normals([[0.0, 0.0], [1.0, 0.0]], neighbours=12).shape == (2, 2)


def test_one_coordinate_has_no_normal() -> None:
    with pytest.raises(InputError, match=r"^points must have at least 2 coordinates"):
        estimate_normals([[0.0], [1.0]])
