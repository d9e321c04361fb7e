"""Refinement of a map: its basin, its equivariance, and partial overlap, on which scale must not collapse."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm.registration.linear.carried import about_centre, scale_of
from svgm.registration.linear.refinement import Refinement
from svgm.rigid import apply, exp
from tests.registration.linear.shapes import outline, views

LEVELS = (3.0, 10.0, 30.0)


def refinement(source: np.ndarray, target: np.ndarray, *, affine: bool = False) -> Refinement:
    return Refinement(svgm.prepare(source), svgm.prepare(target), affine, True, 100, 1)


@pytest.mark.parametrize("factor", [0.8, 1.25])
@pytest.mark.parametrize("dimension", [2, 3])
def test_the_scale_comes_back_from_a_quarter_away(factor: float, dimension: int) -> None:
    source, target = (outline(400), outline(400, seed=1)) if dimension == 2 else views(0.0)
    refine = refinement(source, target)
    found, value = refine(about_centre(np.eye(dimension + 1), factor, refine.source), LEVELS, exact=True)
    assert scale_of(found) == pytest.approx(1.0, abs=0.01)
    assert value < -0.8


@pytest.mark.parametrize("factor", [0.8, 1.0, 1.25])
def test_the_scale_does_not_collapse_on_half_an_outline(factor: float) -> None:
    """Half of the outline on all of it, and all of it on half: neither shrinks to hide, nor grows to cover."""
    half, whole = outline(300, end=0.5), outline(600, seed=1)
    for source, target in ((half, whole), (whole, half)):
        refine = refinement(source, target)
        found, _ = refine(about_centre(np.eye(3), factor, refine.source), LEVELS, exact=True)
        assert scale_of(found) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("factor", [0.85, 1.15])
def test_the_scale_does_not_collapse_on_views_48_degrees_apart(factor: float) -> None:
    refine = refinement(*views(48.0))
    found, _ = refine(about_centre(np.eye(4), factor, refine.source), LEVELS, exact=True)
    assert scale_of(found) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("factor", [0.3, 3.0])
def test_from_a_hopeless_scale_nothing_collapses_either(factor: float) -> None:
    """The answer may be wrong, but the source neither vanishes nor explodes."""
    for source, target in ((outline(300, end=0.5), outline(600, seed=1)), views(48.0)):
        refine = refinement(source, target)
        found, _ = refine(about_centre(np.eye(source.shape[1] + 1), factor, refine.source), LEVELS)
        assert 0.1 < scale_of(found) < 10.0


@pytest.mark.parametrize("affine", [False, True])
def test_units_and_rigid_motions_move_the_answer_along(affine: bool, rng: np.random.Generator) -> None:
    source, target = outline(300), outline(300, seed=1)
    start = np.array([[1.1, 0.1, 0.0], [-0.1, 1.1, 0.0], [0.0, 0.0, 1.0]])
    found, value = refinement(source, target, affine=affine)(start, LEVELS, exact=True)
    before, after = exp(rng.normal(size=3)), exp(rng.normal(size=3))
    before[:2] *= 1000.0
    after[:2] *= 0.01
    moved = refinement(apply(before, source), apply(after, target), affine=affine)
    other, same = moved(after @ start @ np.linalg.inv(before), LEVELS, exact=True)
    assert same == pytest.approx(value, abs=1e-3)
    back = np.linalg.inv(after) @ other @ before
    assert np.allclose(apply(back, source), apply(found, source), atol=2e-3)


def test_an_affine_map_is_found_from_the_nearest_similarity() -> None:
    stretch = np.array([[1.5, 0.4, 2.0], [0.0, 0.8, 1.0], [0.0, 0.0, 1.0]])
    source = outline(400)
    refine = refinement(source, apply(stretch, outline(400, seed=1)), affine=True)
    start = about_centre(np.eye(3), scale_of(stretch), refine.source)
    start[:2, 2] = apply(stretch, source).mean(axis=0) - start[:2, :2] @ source.mean(axis=0)
    found, _ = refine(start, (1.0, *LEVELS), exact=True)
    assert np.abs(apply(found, source) - apply(stretch, source)).max() < 0.05
