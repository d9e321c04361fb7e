"""Scales that no surface holds: they are named, and the answer is not trusted."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm.registration.linear.held import loose_shape, scaling_jacobian, stretching_jacobian
from svgm.rigid import apply, exp
from tests.registration.linear.shapes import outline, views


def corner(seed: int) -> np.ndarray:
    """Three walls that meet at (1, 2, 3), noisy."""
    rng = np.random.default_rng(seed)
    walls = [np.insert(rng.uniform(0.0, 2.0, (1500, 2)), axis, 0.0, axis=1) for axis in range(3)]
    return np.vstack(walls) + 0.004 * rng.normal(size=(4500, 3)) + [1.0, 2.0, 3.0]


def loose(source: np.ndarray, target: np.ndarray, *, affine: bool = False) -> list[str]:
    d = source.shape[1]
    return [each.kind for each in loose_shape(svgm.prepare(source), svgm.prepare(target), np.eye(d + 1), affine=affine)]


def test_nothing_holds_the_scale_of_a_corner() -> None:
    source, target = svgm.prepare(corner(0)), svgm.prepare(corner(1))
    (found,) = loose_shape(source, target, np.eye(4), affine=False)
    assert found.kind == "scale"
    assert found.point == pytest.approx([1.0, 2.0, 3.0], abs=0.1)
    assert "scale about (" in str(found)
    assert not found.tangent.any()
    assert loose(corner(0), corner(1), affine=True) == ["stretch"]


def test_bodies_and_outlines_hold_their_scale() -> None:
    assert loose(*views(24.0)) == []
    assert loose(outline(400), outline(400, seed=1)) == []
    assert loose(*views(24.0), affine=True) == []


def test_an_answer_of_unknown_scale_is_not_trusted() -> None:
    T = exp([0.0, 0.0, 0.1, 0.0, 0.0, 0.0])
    result = svgm.register(apply(T, corner(0)), corner(1), transform="similarity", search="local", threads=1)
    assert "scale" in [each.kind for each in result.undetermined]
    assert not result.trusted
    assert np.linalg.eigvalsh(result.information).min() >= 0.0


@pytest.mark.parametrize("d", [2, 3])
def test_jacobians_against_finite_differences(d: int, rng: np.random.Generator) -> None:
    places = rng.normal(size=(5, d))
    W, v = 1e-6 * rng.normal(size=(d, d)), 1e-6 * rng.normal(size=d)
    assert np.allclose(stretching_jacobian(places) @ np.r_[W.ravel(), v], places @ W.T + v)
    step = np.r_[np.zeros(d * (d - 1) // 2), 1e-6, v]
    assert np.allclose(scaling_jacobian(places) @ step, 1e-6 * places + v)
