"""A linear map as the part that the source takes first and a rigid motion after it."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm.registration.linear.carried import about_centre, carried, distance, joined, split
from svgm.registration.prepared import Prepared, mapped
from svgm.rigid import apply, exp


def source(rng: np.random.Generator) -> tuple[np.ndarray, Prepared]:
    points = rng.normal(size=(50, 3)) * [3.0, 2.0, 1.0] + 10.0
    return points, svgm.prepare(points)


@pytest.mark.parametrize("affine", [False, True])
def test_the_parts_of_a_map_make_the_map(affine: bool, rng: np.random.Generator) -> None:
    points, prepared = source(rng)
    matrix = exp(rng.normal(size=6))
    matrix[:3, :3] *= 0.05
    if affine:
        matrix[:3, :3] @= np.eye(3) + 0.2 * rng.normal(size=(3, 3))
    first, rest = split(matrix, affine=affine)
    assert np.allclose(rest[:3, :3] @ rest[:3, :3].T, np.eye(3))
    assert np.allclose(joined(rest, first), matrix)
    moved = carried(prepared, first, affine=affine)
    assert np.allclose(moved.centre, first @ points.mean(axis=0))
    fresh = svgm.prepare(points @ first.T)
    assert (moved.radius, moved.scale, moved.resolution) == pytest.approx((fresh.radius, fresh.scale, fresh.resolution))
    assert np.allclose(
        moved.mixture(0.1, 1.0).means.mean(axis=0), fresh.mixture(0.1, 1.0).means.mean(axis=0), atol=0.05
    )


def test_a_ready_mixture_is_carried_with_its_gaussians(rng: np.random.Generator) -> None:
    points, _ = source(rng)
    mixture = svgm.Mixture(points, 0.25, np.full(50, 0.02))
    linear = np.array([[2.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    moved = mapped(svgm.prepare(mixture), linear).full_mixture(0.5, 1.0, 1.0)
    assert np.allclose(moved.covariances, 0.25 * linear @ linear.T)


def test_distance_is_that_of_a_typical_point(rng: np.random.Generator) -> None:
    points, prepared = source(rng)
    a = about_centre(np.eye(4), 1.1, prepared)
    apart = np.sqrt(((apply(a, points) - points) ** 2).sum(axis=1).mean())
    assert apart == pytest.approx(0.1 * prepared.radius)
    assert distance(np.eye(4), a, prepared) == pytest.approx(0.1)
