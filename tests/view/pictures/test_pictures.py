"""All pictures: written whole, not blank, the same every time; a missing matplotlib is one clear error."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import svgm
from svgm import datasets, view
from svgm.rigid import apply, exp, invert

pytest.importorskip("matplotlib")


def pixels(path) -> np.ndarray:
    from matplotlib.image import imread

    return np.asarray(imread(path))[..., :3]


def pair(dimension: int):
    """A source and a target, and the result of their registration."""
    T = exp([0.3, 0.4, -0.2]) if dimension == 2 else exp([0.1, 0.2, 0.3, 0.4, -0.2, 0.1])
    target = datasets.butterfly(300, seed=1) if dimension == 2 else datasets.body(600, seed=1)[0]
    source = apply(invert(T), target)
    return source, target, svgm.register(source, target, gamma=4, annealing=None, init=T)


@pytest.mark.parametrize("dimension", [2, 3])
def test_pictures_are_not_blank_and_repeatable(tmp_path, dimension):
    source, target, result = pair(dimension)
    mixtures = [svgm.fit(points, gamma=10, scale=1.0) for points in (source, target)]
    merged = svgm.merge(mixtures[0].transformed(result.transformation), mixtures[1])
    sets = (source, mixtures[0]), (target, mixtures[1])
    for name in ("first.png", "second.png"):
        view.figure1(*sets, result.transformation, merged, path=tmp_path / name)
    assert (tmp_path / "first.png").read_bytes() == (tmp_path / "second.png").read_bytes()
    assert pixels(tmp_path / "first.png").std() > 0.1
    view.registration(source, target, result, path=tmp_path / "pair.png")
    assert pixels(tmp_path / "pair.png").std() > 0.03
    view.registration(*mixtures, result, path=tmp_path / "mixtures.png")
    assert pixels(tmp_path / "mixtures.png").std() > 0.03
    view.densities([[("one", merged), ("points", target)], [("two", mixtures[1])]], path=tmp_path / "row.png")
    assert pixels(tmp_path / "row.png").std() > 0.1
    view.fitted(mixtures[0], path=tmp_path / "mixture.png")
    assert pixels(tmp_path / "mixture.png").std() > 0.1


def test_pictures_come_without_pyplot(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    source, target, result = pair(2)
    assert view.registration(source, target, result).child_axes
    view.registration(source, target, result, path=tmp_path / "pair.svg")
    assert (tmp_path / "pair.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_registration_far_from_the_origin_and_of_one_point(tmp_path):
    source, target, result = pair(3)
    view.registration(source + 1e6, target + 1e6, result, path=tmp_path / "far.png")
    view.registration(target[:1], target[:1], result, path=tmp_path / "one.png")
    assert (tmp_path / "one.png").exists()


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_place_so_far_away_that_its_gaussian_is_below_rounding(dimension):
    svgm.Mixture(np.full((1, dimension), 0.5e150), 1e200, [1.0]).plot()


def test_decision_of_2d_mixtures_only(tmp_path):
    points = datasets.butterfly(200, turns=1)
    view.decision([("two classes", svgm.fit_two_class(points))], points, path=tmp_path / "decision.png")
    assert pixels(tmp_path / "decision.png").std() > 0.05
    with pytest.raises(svgm.InputError, match="2D mixtures only"):
        view.decision([("3D", svgm.fit(datasets.body(100)[0]))], points, path=tmp_path / "no.png")


def test_unknown_suffix_and_missing_matplotlib(tmp_path, monkeypatch):
    source, target, result = pair(2)
    with pytest.raises(svgm.FileError, match=r"a picture must end in \.png"):
        view.registration(source, target, result, path=tmp_path / "pair.bmp")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(svgm.SvgmError, match=r'drawing needs matplotlib: pip install "svgm\[view\]"'):
        view.registration(source, target, result, path=tmp_path / "pair.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("dimension", [2, 3])
def test_components_with_covariances_are_ellipses(dimension):
    flat = np.tile(np.diag([1.0, 0.04, 1.0][:dimension]), (2, 1, 1))
    mixture = svgm.Mixture(3.0 * np.eye(2, dimension), 1.0, [0.5, 0.5], covariances=flat)
    camera = view.Camera.at((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)) if dimension == 3 else None
    ax = view.fitted(mixture, camera=camera)
    (ellipses,) = [drawn for drawn in ax.collections if type(drawn).__name__ == "EllipseCollection"]
    assert np.allclose(ellipses.get_widths(), 2.0)
    assert np.allclose(ellipses.get_heights(), 0.4)
    assert np.allclose(np.abs(np.cos(np.radians(ellipses.get_angles()))), 1.0)
    assert np.allclose(ellipses.get_offsets(), mixture.means[:, :2])
    panels = view.fitted(mixture, mixture.sample(20, seed=0)).child_axes
    assert "one deviation each" in panels[1].get_title()


def test_the_positive_part_keeps_its_covariances():
    from svgm.view.pictures.draw import positive_part

    shapes = np.stack([np.eye(2), 2.0 * np.eye(2)])
    signed = svgm.Mixture([[0.0, 0.0], [1.0, 0.0]], 1.0, [-0.5, 1.0], covariances=shapes)
    assert np.array_equal(positive_part(signed).covariances, shapes[1:])
