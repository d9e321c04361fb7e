"""Pictures of maps: not blank, repeatable, quick for large maps, and seen from the right side."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import svgm
from svgm import view
from svgm.rigid import exp, pose
from svgm.view.viewpoint import Viewpoint, above, aslant, behind, seen_box, up_axis

pytest.importorskip("matplotlib")

INK, ORANGE, BLUE = (0x22, 0x22, 0x22), (0xD9, 0x5F, 0x02), (0x1B, 0x6C, 0xA8)


def pixels(path) -> np.ndarray:
    from matplotlib.image import imread

    return (255 * np.asarray(imread(path))[..., :3]).round().astype(int)


def share_near(image: np.ndarray, colour: tuple[int, int, int]) -> float:
    return float((np.abs(image - colour).max(axis=-1) < 40).mean())


def street(d: int, count: int = 30, means: int = 3000, seed: int = 0):
    """A round drive between walls (in 3D also over ground), its merged mixture, and edges with loops."""
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, count)
    way = np.column_stack([20 * np.cos(angle), 12 * np.sin(angle)])
    turns = rng.uniform(0, 2 * np.pi, means)
    wall = np.column_stack([24 * np.cos(turns), 16 * np.sin(turns)])
    if d == 3:
        way = np.column_stack([way, np.zeros(count)])
        wall = np.column_stack([wall, rng.uniform(-1.5, 8, means)])
        wall[::2] *= np.column_stack([*2 * [rng.uniform(0.3, 1, means)], np.ones(means)])[::2]
        wall[::2, 2] = -1.5
    turn = exp(np.column_stack([*(d - 2) * 2 * [np.zeros(count)], angle, np.zeros((count, d))]))
    poses = pose(turn[:, :d, :d], way)
    edges = [SimpleNamespace(source=k + 1, target=k, kind="sequence") for k in range(count - 1)]
    edges += [SimpleNamespace(source=k + count // 2, target=k, kind="loop") for k in range(0, count // 2, 5)]
    weights = rng.uniform(0.5, 1, means)
    return poses, svgm.Mixture(wall, 0.04, weights / weights.sum()), edges


@pytest.mark.parametrize("order", ["sequence", "unordered"])
@pytest.mark.parametrize("d", [2, 3])
def test_not_blank_and_repeatable(tmp_path, d, order):
    poses, mixture, edges = street(d)
    poses[7] = np.nan
    for name in ("first.png", "second.png"):
        view.map_picture(poses, mixture, edges, tmp_path / name, order=order, title="street", unit="m")
    assert (tmp_path / "first.png").read_bytes() == (tmp_path / "second.png").read_bytes()
    image = pixels(tmp_path / "first.png")
    assert image.std() > 15
    assert share_near(image, ORANGE) > 1e-4
    assert share_near(image, BLUE) > 5e-4
    view.map_picture(poses, mixture, edges, tmp_path / "map.svg", order=order)
    view.map_picture(poses, mixture, edges, tmp_path / "map.pdf", order=order)
    assert (tmp_path / "map.svg").stat().st_size < 3e6


def test_without_loops_nothing_is_orange_but_the_legend(tmp_path):
    poses, mixture, edges = street(2)
    view.map_picture(poses, mixture, edges, tmp_path / "with.png")
    view.map_picture(poses, mixture, [edge for edge in edges if edge.kind != "loop"], tmp_path / "without.png")
    assert share_near(pixels(tmp_path / "with.png"), ORANGE) > 3 * share_near(pixels(tmp_path / "without.png"), ORANGE)


@pytest.mark.parametrize("d", [2, 3])
def test_one_scan_one_component_and_far_away(tmp_path, d):
    one = svgm.Mixture(np.zeros((1, d)), 1.0, [1.0])
    for order in ("sequence", "unordered"):
        view.map_picture([np.eye(d + 1)], one, [], tmp_path / "one.png", order=order)
    poses, mixture, edges = street(d)
    poses[:, :d, d] += 1e6
    shift = np.eye(d + 1)
    shift[:d, d] = 1e6
    view.map_picture(poses, mixture.transformed(shift), edges, tmp_path / "far.png")
    assert share_near(pixels(tmp_path / "far.png"), BLUE) > 5e-4


def test_negative_components_are_not_drawn(tmp_path):
    poses, mixture, edges = street(2, means=500)
    free = np.random.default_rng(0).uniform(-5, 5, size=(500, 2))
    both = svgm.Mixture(np.vstack([mixture.means, free]), 0.04, np.r_[mixture.weights, np.full(500, -1e-3)])
    view.map_picture(poses, both, edges, tmp_path / "both.png")
    view.map_picture(poses, mixture, edges, tmp_path / "one.png")
    assert (tmp_path / "both.png").read_bytes() == (tmp_path / "one.png").read_bytes()


def test_of_many_components_some_are_drawn(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("svgm.view.mapping._draw_dots", lambda axes, view, box, dots, colours: drawn.append(dots))
    poses, mixture, edges = street(3, count=2000, means=2_000_000)
    view.map_picture(poses, mixture, edges, tmp_path / "large.png")
    assert all(len(dots.means) == len(dots.weights) == 200_000 for dots in drawn)
    assert np.array_equal(drawn[0].means, mixture.means[::10])


def test_refusals(tmp_path, monkeypatch):
    poses, mixture, edges = street(2)
    path = tmp_path / "map.png"
    with pytest.raises(svgm.FileError, match="a picture must end in"):
        view.map_picture(poses, mixture, edges, tmp_path / "map.bmp")
    with pytest.raises(svgm.InputError, match="for a 2D mixture"):
        view.map_picture(np.tile(np.eye(4), (3, 1, 1)), mixture, [], path)
    with pytest.raises(svgm.InputError, match="order must be one of sequence, unordered, got 'wild'"):
        view.map_picture(poses, mixture, edges, path, order="wild")
    with pytest.raises(svgm.InputError, match="one that is not NaN"):
        view.map_picture(np.full_like(poses, np.nan), mixture, edges, path)
    with pytest.raises(svgm.InputError, match=r"edges\[0\].source must be a whole number of at most 29"):
        view.map_picture(poses, mixture, [SimpleNamespace(source=30, target=0, kind="loop")], path)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(svgm.SvgmError, match="drawing needs matplotlib"):
        view.map_picture(poses, mixture, edges, path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_up_is_found_whatever_axis_it_is(axis, sign):
    poses, mixture, _ = street(3)
    # Moves z to the given axis; a mirrored one points down in its file, as y does in a camera's frame.
    turn = np.eye(3)[[(k - axis + 2) % 3 for k in range(3)]]
    if sign < 0:
        turn = np.diag(np.where(np.arange(3) == (axis + 1) % 3, 1.0, -1.0)) @ turn
    points, way = mixture.means @ turn.T, poses[:, :3, 3] @ turn.T
    up = up_axis(points, way)
    assert np.allclose(up, sign * np.eye(3)[axis])
    straight = above(points, way)
    assert np.allclose(straight.camera.axes @ straight.camera.axes.T, np.eye(3))
    assert np.linalg.det(straight.camera.axes) == pytest.approx(1.0)
    assert np.allclose(straight.camera.axes[2], up)
    # The street is wide, not high, on the page; the 3D panel looks down and keeps up.
    assert np.ptp(straight.page(points), axis=0).argmax() == 0
    slant = aslant(points, straight)
    assert slant.camera.axes[2] @ up == pytest.approx(np.sin(np.radians(35)), abs=0.01)
    assert slant.camera.axes[1] @ up > 0.8


def test_a_straight_drive_and_a_standing_scanner_say_nothing_of_up():
    _, mixture, _ = street(3)
    line = np.linspace(-10, 10, 50)[:, None] * [1.0, 0.0, 0.0]
    for way in (line, np.zeros((5, 3)), np.zeros((1, 3))):
        assert np.allclose(np.abs(up_axis(mixture.means, way)), [0, 0, 1])


def test_perspective_shrinks_what_is_far():
    front = Viewpoint(view.Camera.at(np.array([0.0, -1.0, 0.0])), np.zeros(3), 10.0)
    near, far = front.page(np.array([[1.0, -5.0, 0.0], [1.0, 5.0, 0.0]]))[:, 0]
    assert near == pytest.approx(2.0)
    assert far == pytest.approx(1 / 1.5)
    back = behind(front)
    assert np.allclose(back.camera.axes[2], [0, 1, 0])
    assert np.allclose(back.camera.axes[1], [0, 0, 1])


def test_strays_do_not_shrink_the_map():
    at = np.random.default_rng(0).uniform(0, 1, size=(10_000, 2))
    at[:3] = 50.0
    left, right, bottom, top = seen_box(at, np.empty((0, 2)))
    assert right - left < 1.3
    assert top - bottom < 1.3
    assert seen_box(at, np.array([[3.0, 0.5]]))[1] > 3.0
