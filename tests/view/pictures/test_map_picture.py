"""Pictures of maps: not blank, repeatable, and quick for large maps."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import svgm
from svgm import view
from svgm.mapping.edge import Edge
from tests.view.street import street

pytest.importorskip("matplotlib")

INK, ORANGE, BLUE = (0x22, 0x22, 0x22), (0xD9, 0x5F, 0x02), (0x1B, 0x6C, 0xA8)


def pixels(path) -> np.ndarray:
    from matplotlib.image import imread

    return (255 * np.asarray(imread(path))[..., :3]).round().astype(int)


def share_near(image: np.ndarray, colour: tuple[int, int, int]) -> float:
    return float((np.abs(image - colour).max(axis=-1) < 40).mean())


def drive(d: int, order: str = "sequence", **options) -> svgm.MapResult:
    """The result of a map of the street."""
    return mapped(*street(d, **options), order)


def mapped(poses: np.ndarray, mixture: svgm.Mixture, edges: list[Edge], order: str = "sequence") -> svgm.MapResult:
    k = 3 if mixture.dimension == 2 else 6
    left_out = {number: "lost" for number in range(len(poses)) if not np.isfinite(poses[number]).all()}
    covariances = np.zeros((len(poses), k, k))
    settings = {"order": order}
    return svgm.MapResult(
        poses, covariances, mixture, tuple(edges), (), left_out, len(mixture), mixture.sigma, {}, settings
    )


@pytest.mark.parametrize("order", ["sequence", "unordered"])
@pytest.mark.parametrize("d", [2, 3])
def test_not_blank_and_repeatable(tmp_path, d, order):
    poses, mixture, edges = street(d)
    poses[7] = np.nan
    result = mapped(poses, mixture, edges, order)
    for name in ("first.png", "second.png"):
        view.map_picture(result, path=tmp_path / name, title="street", unit="m")
    assert (tmp_path / "first.png").read_bytes() == (tmp_path / "second.png").read_bytes()
    image = pixels(tmp_path / "first.png")
    assert image.std() > 15
    assert share_near(image, ORANGE) > 1e-4
    assert share_near(image, BLUE) > 5e-4
    view.map_picture(result, path=tmp_path / "map.svg")
    view.map_picture(result, path=tmp_path / "map.pdf")
    assert (tmp_path / "map.svg").stat().st_size < 3e6


def test_without_loops_nothing_is_orange_but_the_legend(tmp_path):
    result = drive(2)
    view.map_picture(result, path=tmp_path / "with.png")
    others = tuple(edge for edge in result.edges if edge.kind != "loop")
    view.map_picture(replace(result, edges=others), path=tmp_path / "without.png")
    assert share_near(pixels(tmp_path / "with.png"), ORANGE) > 3 * share_near(pixels(tmp_path / "without.png"), ORANGE)


@pytest.mark.parametrize("d", [2, 3])
def test_one_scan_one_component_and_far_away(tmp_path, d):
    one = svgm.Mixture(np.zeros((1, d)), 1.0, [1.0])
    for order in ("sequence", "unordered"):
        view.map_picture(mapped(np.eye(d + 1)[None], one, [], order), path=tmp_path / "one.png")
    poses, mixture, edges = street(d)
    poses[:, :d, d] += 1e6
    shift = np.eye(d + 1)
    shift[:d, d] = 1e6
    view.map_picture(mapped(poses, mixture.transformed(shift), edges), path=tmp_path / "far.png")
    assert share_near(pixels(tmp_path / "far.png"), BLUE) > 5e-4


def test_negative_components_are_not_drawn(tmp_path):
    poses, mixture, edges = street(2, means=500)
    free = np.random.default_rng(0).uniform(-5, 5, size=(500, 2))
    both = svgm.Mixture(np.vstack([mixture.means, free]), 0.04, np.r_[mixture.weights, np.full(500, -1e-3)])
    view.map_picture(mapped(poses, both, edges), path=tmp_path / "both.png")
    view.map_picture(mapped(poses, mixture, edges), path=tmp_path / "one.png")
    assert (tmp_path / "both.png").read_bytes() == (tmp_path / "one.png").read_bytes()


def test_of_many_components_some_are_drawn(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(
        "svgm.view.pictures.map_picture._draw_dots", lambda axes, view, box, dots, colours: drawn.append(dots)
    )
    result = drive(3, count=2000, means=2_000_000)
    view.map_picture(result, path=tmp_path / "large.png")
    assert all(len(dots.means) == len(dots.weights) == 200_000 for dots in drawn)
    assert np.array_equal(drawn[0].means, result.mixture.means[::10])


def test_axes_are_the_callers():
    from matplotlib.figure import Figure

    ax = Figure(figsize=(9, 5)).add_subplot()
    assert view.map_picture(drive(3), ax=ax) is ax
    assert len(ax.child_axes) == 2
    assert len(view.map_picture(drive(2)).child_axes) == 1
    assert len(view.map_picture(drive(3, "unordered")).child_axes) == 3


def test_refusals(tmp_path, monkeypatch):
    result = drive(2)
    with pytest.raises(svgm.FileError, match="a picture must end in"):
        view.map_picture(result, path=tmp_path / "map.bmp")
    with pytest.raises(svgm.InputError, match=r"^result must be a MapResult"):
        view.map_picture(result.mixture, path=tmp_path / "map.png")
    with pytest.raises(svgm.InputError, match="at least one scan in the map, got 30 that were left out"):
        view.map_picture(replace(result, poses=np.full_like(result.poses, np.nan)), path=tmp_path / "map.png")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(svgm.SvgmError, match="drawing needs matplotlib"):
        view.map_picture(result, path=tmp_path / "map.png")
    assert not list(tmp_path.iterdir())
