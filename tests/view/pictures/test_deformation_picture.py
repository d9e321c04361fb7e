"""The picture of a deformation: the grid is moved as the points are, and the colours are displacements."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm import datasets, view
from svgm.rigid import apply, exp
from svgm.view.pictures.deformation_picture import grid_lines

pytest.importorskip("matplotlib")


def bend(points: np.ndarray) -> np.ndarray:
    return points + 0.1 * np.sin(1.5 * points[:, ::-1])


def bent(dimension: int):
    source = datasets.butterfly(120, turns=1) if dimension == 2 else datasets.body(250, seed=1)[0]
    target = bend(source)
    return source, target, svgm.register(source, target, transform="nonrigid", search="local")


def lines_of(panel) -> list[np.ndarray]:
    (drawn,) = [each for each in panel.collections if type(each).__name__ == "LineCollection"]
    return drawn.get_segments()


def test_the_grid_is_moved_as_the_source_is():
    source, target, result = bent(2)
    before, after = view.deformation(source, target, result).child_axes
    straight = lines_of(before)
    assert all(np.ptp(line, axis=0).min() < 1e-12 for line in straight)
    for line, moved in zip(straight, lines_of(after), strict=True):
        assert np.allclose(result.apply(line), moved)
    # Near the source, the grid shows the true map.
    inside = np.vstack(straight)
    near = np.min(np.linalg.norm(inside[:, None] - source, axis=2), axis=1) < 0.1
    assert np.linalg.norm(result.apply(inside[near]) - bend(inside[near]), axis=1).max() < 0.1


def test_a_rigid_motion_leaves_the_grid_straight():
    curve = datasets.butterfly(120, turns=1)
    result = svgm.register(curve, curve + 1.0, search="local")
    after = view.deformation(curve, curve + 1.0, result).child_axes[1]
    for line in lines_of(after):
        steps = np.diff(line, axis=0)
        assert np.allclose(steps, steps[0], atol=1e-9)


def test_colours_in_3d_are_displacements(tmp_path):
    source, target, result = bent(3)
    ax = view.deformation(source, target, result, path=tmp_path / "body.png")
    assert (tmp_path / "body.png").stat().st_size > 10_000
    panel = ax.child_axes[2]
    off = np.linalg.norm(result.apply(source) - apply(result.transformation, source), axis=1)
    assert panel.texts[1].get_text() == f"{off.max():.3g}"
    camera = view.Camera.facing(target)
    moved = result.apply(source)
    order = np.argsort(camera.depth(moved), kind="stable")
    assert np.allclose(panel.collections[0].get_offsets(), camera.page(moved)[order])
    green = panel.collections[0].get_facecolors()[:, 1]  # grows from dark to bright
    assert np.corrcoef(green, off[order])[0, 1] > 0.95


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_non_rigid_result_is_drawn_as_a_deformation(dimension, tmp_path):
    source, target, result = bent(dimension)
    own = result.plot()
    assert len(own.child_axes) == dimension
    assert "bending" in own.texts[2].get_text()
    for name, picture in (("a.png", view.registration), ("b.png", view.deformation)):
        picture(source, target, result, path=tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_grid_over_one_place_and_far_from_the_origin():
    for points in (np.zeros((3, 2)), np.full((1, 2), 1e9), np.array([[0.0, 5.0], [0.0, 9.0]])):
        lines = grid_lines(points)
        assert np.isfinite(lines).all()
        flat = np.vstack(lines)
        assert (flat.min(axis=0) < points.min(axis=0)).all()
        assert (flat.max(axis=0) > points.max(axis=0)).all()
    T = exp([0.3, 1e6, -1e6])
    curve = datasets.butterfly(120, turns=1)
    moved = apply(T, curve)
    result = svgm.register(moved, bend(curve), transform="nonrigid", search="local", init=np.linalg.inv(T))
    assert view.deformation(moved, bend(curve), result).child_axes


def test_dimensions_must_agree():
    source, _, result = bent(2)
    with pytest.raises(svgm.InputError, match="same dimension"):
        view.deformation(source, datasets.body(20)[0], result)
