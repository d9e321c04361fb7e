"""Clutter in 3D sets is found and left out; sets without clutter stay as they are, bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm import _core
from svgm.datasets import body, butterfly, partial_view
from svgm.geometry.clutter import not_clutter
from svgm.registration.prepared import prepare
from svgm.rigid import apply, exp, invert, pose_error

TRUTH = exp([0.2, -0.1, 0.3, 0.2, 0.1, -0.3])


def view(seed: int) -> np.ndarray:
    """What a sensor sees of the body."""
    return partial_view(body(6000, seed=seed)[0], (7.0, 4.0, 3.0), noise=0.001, seed=seed)


def with_clutter(points: np.ndarray, share: float, seed: int) -> np.ndarray:
    """The points, then clutter in their bounding box until it is this share of all."""
    count = round(share / (1.0 - share) * len(points))
    low, high = points.min(axis=0), points.max(axis=0)
    return np.vstack([points, np.random.default_rng(seed).uniform(low, high, (count, points.shape[1]))])


@pytest.mark.parametrize("share", [0.2, 0.5, 0.7])
def test_clutter_is_told_from_a_surface(share: float) -> None:
    surface = view(1)
    kept = not_clutter(with_clutter(surface, share, 1))
    assert kept is not None
    assert kept[: len(surface)].mean() > 0.95
    assert kept[len(surface) :].mean() < 0.25


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_the_answer_is_nearly_that_of_the_clean_sets(share: float) -> None:
    source, target = apply(invert(TRUTH), view(1)), view(2)
    result = svgm.register(with_clutter(source, share, 1), with_clutter(target, share, 2))
    angle, shift = pose_error(result.transformation, TRUTH)
    assert angle < np.radians(0.3)
    assert shift < 0.01
    assert sum("look like clutter" in doubt for doubt in result.doubts) == 2


def test_it_is_left_out_and_counted() -> None:
    surface = view(1)
    dirty = with_clutter(surface, 0.4, 3)
    kept = not_clutter(dirty)
    assert kept is not None
    prepared, clean = prepare(dirty), prepare(dirty[kept])
    assert (prepared.clutter, prepared.count) == (int((~kept).sum()), int(kept.sum()))
    assert (prepared.mixture(0.1, 1.0).means == clean.mixture(0.1, 1.0).means).all()
    assert svgm.register(dirty, dirty[kept]).doubts == (
        f"{prepared.clutter} of {len(dirty)} points of the source look like clutter and were left out: "
        "they lie on no surface, spread over the whole set.",
    )


def uneven_surfaces() -> dict[str, np.ndarray]:
    """Clean sets whose points are unevenly dense, as those of a laser scanner in a room, or few."""
    rng = np.random.default_rng(0)
    rays = rng.normal(size=(3000, 3))
    room = 2.0 * rays / np.abs(rays / [1.0, 3.0, 0.4]).max(axis=1)[:, None]  # seen from its middle
    ground = rng.uniform(-1.0, 1.0, (1500, 2)) ** 3
    return {
        "room": room,
        "ground": np.c_[ground, 0.05 * np.sin(5.0 * ground[:, 0])],
        "view": view(1),
        "body": body(900, seed=1)[0],
        "few": body(60, seed=2)[0],
        "volume": rng.uniform(size=(2000, 3)),
        "cloud": rng.normal(size=(3000, 3)),
        "line": np.c_[rng.uniform(size=500), 1e-3 * rng.normal(size=(500, 2))],
        "plane": np.c_[rng.uniform(size=(500, 2)), np.zeros(500)],
    }


@pytest.mark.parametrize("name", uneven_surfaces())
def test_uneven_density_is_no_clutter(name: str) -> None:
    assert not_clutter(uneven_surfaces()[name]) is None


def test_nothing_is_left_out_in_2d() -> None:
    outline = butterfly(1500, seed=1)
    assert not_clutter(with_clutter(outline, 0.5, 1)) is None
    assert prepare(with_clutter(outline, 0.5, 1)).clutter == 0


@pytest.mark.parametrize("scale", [1e-150, 1e-3, 1e150])
def test_a_unit_changes_nothing(scale: float) -> None:
    dirty = with_clutter(view(1), 0.4, 3)
    expected, found = not_clutter(dirty), not_clutter(scale * dirty)
    assert expected is not None
    assert found is not None
    assert (found != expected).sum() <= 2


def test_a_motion_changes_little() -> None:
    surface = view(1)
    dirty = with_clutter(surface, 0.4, 3)
    one, other = not_clutter(dirty), not_clutter(apply(TRUTH, dirty) + 100.0)
    assert one is not None
    assert other is not None
    assert (one != other).mean() < 0.03


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((100, 3)),
        np.ones((100, 3)) * np.arange(100.0)[:, None],
        np.zeros((10, 3)),
        np.eye(3)[np.arange(90) % 3],
    ],
)
def test_sets_without_extent(points: np.ndarray) -> None:
    assert not_clutter(points) is None


def test_distances_of_neighbours_are_those_of_brute_force() -> None:
    rng = np.random.default_rng(0)
    for dimension in (2, 3):
        points, queries = rng.normal(size=(300, dimension)), rng.normal(size=(40, dimension))
        every = np.sort(np.linalg.norm(queries[:, None] - points, axis=2), axis=1)
        tree = _core.BoxTree(points, np.ones(300))
        assert np.allclose(_core.nearest_distances(tree, queries, -1.0, 5), every[:, :5], rtol=1e-12)
        own = _core.nearest_distances(tree, points, 0.0, 1)[:, 0]
        assert (own == _core.nearest(tree, points, 0.0)[0]).all()
        few = _core.nearest_distances(_core.BoxTree(points[:3], np.ones(3)), queries, -1.0, 5)
        assert np.isinf(few[:, 3:]).all()
        assert np.isfinite(few[:, :3]).all()


def test_points_without_a_return_are_no_surface() -> None:
    scan = np.random.default_rng(0).normal(size=(200, 3))
    assert not_clutter(np.vstack([scan, np.zeros((20, 3))])) is None


def test_real_scans_have_none(data: Path) -> None:
    names = [f"hannover1/scan{number:03d}.ply" for number in range(1, 301, 25)]
    names += [f"dragon_stand/dragonStandRight_{24 * k}.ply" for k in range(0, 15, 3)]
    for name in [*names, "lidar_pair/source.ply", "lidar_pair/target.ply"]:
        scan = svgm.io.read_points(data / name)
        assert not_clutter(scan) is None, name
        few = scan[np.random.default_rng(0).choice(len(scan), 2000, replace=False)]
        assert not_clutter(few) is None, name
