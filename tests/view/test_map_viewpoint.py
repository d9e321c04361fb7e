"""The viewpoint of a map."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import view
from svgm.view.map_viewpoint import Viewpoint, above, aslant, behind, seen_box, up_axis
from tests.view.street import street


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


@pytest.mark.parametrize("place", [0.0, 1.0, 1e6, -1e150])
def test_the_box_of_one_place_has_a_width(place):
    left, right, bottom, top = seen_box(np.full((3, 2), place), np.empty((0, 2)))
    assert left < right
    assert bottom < top
