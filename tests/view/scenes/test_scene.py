"""What a scene may hold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from svgm import InputError
from svgm.rigid import apply, exp
from svgm.view import Cloud, Ellipsoids, Frame, Gaussians, Lines, Scene

POINTS = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]])


def test_places_move_with_the_frames() -> None:
    T = exp([0.0, 0.0, 0.5, 1.0, 2.0, 3.0])
    layers = [
        Cloud(name="stays", points=POINTS),
        Cloud(name="moves", points=POINTS, moves=True),
        Lines(name="now and then", vertices=POINTS + 100.0, frame=0),
    ]
    scene = Scene(layers, [Frame("before", np.eye(4)), Frame("after", T)])
    np.testing.assert_array_equal(scene.places(0), np.vstack([POINTS, POINTS, POINTS + 100.0]))
    np.testing.assert_array_equal(scene.places(), np.vstack([POINTS, apply(T, POINTS)]))
    assert scene.names == ["stays", "moves", "now and then"]


def test_lines_join_each_vertex_with_the_next_by_default() -> None:
    assert Lines(name="way", vertices=POINTS).ends.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert Lines(name="one", vertices=POINTS, pairs=np.array([[3, 0]])).ends.tolist() == [[3, 0]]


def test_the_broad_side_is_seen_at_first() -> None:
    scene = Scene([Cloud(name="plate", points=np.random.default_rng(0).normal(size=(500, 3)) * [5.0, 0.1, 2.0])])
    assert scene.up is not None
    assert scene.towards is not None
    assert scene.up.tolist() == [0.0, 0.0, 1.0]
    assert abs(scene.towards[1]) > 0.8
    turned = Scene(scene.layers, up=np.array([1.0, 0.0, 0.0]), towards=np.array([0.0, 0.0, 1.0]))
    assert turned.up is not None
    assert turned.up.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Scene([]), r"^a scene must have at least one layer"),
        (lambda: Cloud(name="a", points=np.zeros((0, 3))), r"^a: points must be finite, within 1e\+30, of shape"),
        (lambda: Cloud(name="a", points=np.full((2, 3), np.nan)), r"^a: points must be finite"),
        (lambda: Cloud(name="a", points=POINTS, values=[0, 0, 0, 2]), r"^a: values must be 4 numbers in \[0, 1\]"),
        (lambda: Gaussians(name="a", means=POINTS, weights=[-1, 1, 1, 1], sigma=1.0), r"^a: weights must be 4 numbers"),
        (lambda: Lines(name="a", vertices=POINTS, pairs=np.array([[0, 4]])), r"^a: pairs must be indices of vertices"),
        (lambda: Lines(name="a", vertices=POINTS, pairs=[[0.0, 1.0]]), r"^a: pairs must be whole numbers"),
        (lambda: Gaussians(name="a", means=POINTS, weights=np.zeros(4), sigma=1.0), r"^a: weights must be 4 numbers"),
        (
            lambda: Gaussians(name="a", means=POINTS, weights=np.ones(4), sigma=1.0, covariances=np.eye(3)),
            r"^covariances must have shape \(4, 3, 3\)",
        ),
        (lambda: Cloud(name="a", points=POINTS, colour="red"), r"^a colour must be written as #rrggbb"),
        (lambda: Scene([Cloud(name="a", points=POINTS)], up=[0, 0, 0]), r"^up must be a direction"),
        (lambda: Scene([Cloud(name="a", points=POINTS)], towards=[1, 0]), r"^towards must be a direction"),
        (
            lambda: Ellipsoids(name="a", centres=POINTS, axes=np.eye(3)),
            r"^a: axes must be finite, one matrix for each centre",
        ),
        (
            lambda: Scene([Cloud(name="a", points=POINTS), Cloud(name="b", points=POINTS[:, :2])]),
            r"^the layers of a scene must have the same dimension",
        ),
        (
            lambda: Scene([Cloud(name="a", points=POINTS, frame=2)]),
            r"^a layer's frame must be below 0, the number of frames, got 2",
        ),
        (
            lambda: Scene([Cloud(name="a", points=POINTS)], [Frame("bad", np.diag([2.0, 1, 1, 1]))]),
            r"^bad must",
        ),
    ],
)
def test_what_cannot_be_drawn_is_one_line(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_a_sigma_of_any_type_is_a_float() -> None:
    assert type(Gaussians(name="a", means=POINTS, weights=np.ones(4), sigma=Fraction(1, 2)).sigma) is float


def test_a_notebook_shows_the_scene_in_a_frame() -> None:
    from html import unescape

    shown = Scene([Cloud(name="a", points=np.eye(3))], title="<three> points")._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"')
    page = unescape(shown.split('srcdoc="', 1)[1].rsplit('"', 1)[0])
    assert "Content-Security-Policy" in page
    assert "<title>&lt;three&gt; points</title>" in page
