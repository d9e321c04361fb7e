"""Generated shapes: positions, seeds, and hidden parts."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.checks.errors import InputError
from svgm.datasets import body, butterfly, disturb, occlude, partial_view, visible
from svgm.datasets.shapes import ELLIPSOIDS
from svgm.rigid import rotation_exp


def test_butterfly_is_evenly_spread_and_shifted_by_the_seed():
    outline = butterfly(4000, turns=1)
    steps = np.linalg.norm(np.diff(outline, axis=0), axis=1)
    assert steps.max() < 1.02 * np.median(steps)
    assert np.array_equal(butterfly(50, seed=3), butterfly(50, seed=3))
    assert not np.isin(butterfly(50, seed=3)[:, 0], butterfly(50, seed=4)[:, 0]).any()


def test_whole_butterfly_is_its_own_mirror_image():
    points = butterfly(2000)
    distances = np.linalg.norm(points[:, None] * [-1, 1] - points[None], axis=2).min(axis=1)
    assert distances.max() < 0.02


def test_body_lies_on_the_outside_of_its_ellipsoids_with_outward_normals():
    points, normals = body(3000, seed=5)
    levels = []
    for centre, axes, turn in ELLIPSOIDS:
        local = (points - np.array(centre)) @ rotation_exp(np.array(turn), 3) / np.array(axes)
        levels.append((local**2).sum(axis=1))
    assert np.abs(np.min(levels, axis=0) - 1.0).max() < 1e-9
    outside = points + 1e-3 * normals
    for k, (centre, axes, turn) in enumerate(ELLIPSOIDS):
        local = (outside - np.array(centre)) @ rotation_exp(np.array(turn), 3) / np.array(axes)
        own = np.abs(levels[k] - 1.0) < 1e-9
        assert ((local[own] ** 2).sum(axis=1) > 1.0).all()
    assert np.array_equal(points, body(3000, seed=5)[0])


def test_body_is_spread_evenly_by_area():
    # Of a long thin ellipsoid alone, the tips must not be crowded: compare with the density around its waist.
    points, _ = body(40_000, seed=1)
    from scipy.spatial import cKDTree

    gaps = cKDTree(points).query(points, k=9)[0][:, -1]
    trunk = (np.abs(points[:, 0]) < 0.3) & (points[:, 2] > 0.3)
    tail = points[:, 0] < -1.25
    assert np.median(gaps[tail]) == pytest.approx(np.median(gaps[trunk]), rel=0.15)


def test_visible_points_face_the_viewpoint():
    points, normals = body(4000, seed=2)
    eye = np.array([4.0, 5.0, 2.0])
    seen = visible(points, eye)
    assert 0.2 < seen.mean() < 0.5
    facing = np.einsum("ni,ni->n", normals, eye - points) > 0
    assert facing[seen].mean() > 0.95


def test_partial_view_is_repeatable_and_disturbed():
    points, _ = body(1000)
    clean = partial_view(points, (5.0, 0.0, 1.0))
    noisy = partial_view(points, (5.0, 0.0, 1.0), noise=0.01, outliers=0.5, seed=1)
    assert np.array_equal(noisy, partial_view(points, (5.0, 0.0, 1.0), noise=0.01, outliers=0.5, seed=1))
    assert len(noisy) == len(clean) + round(0.5 * len(clean))


def test_occlusion_cuts_one_neighbourhood():
    points = butterfly(300)
    rest = occlude(points, 0.2, seed=4)
    assert len(rest) == 240
    lost = points[~(points[:, None] == rest[None]).all(axis=2).any(axis=1)]
    assert np.ptp(lost, axis=0).max() < np.ptp(points, axis=0).max()
    assert np.array_equal(rest, occlude(points, 0.2, seed=4))


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: butterfly(0), "n must be a whole number of at least 1"),
        (lambda: butterfly(5, turns=0), "turns must be a whole number of at least 1"),
        (lambda: body(0), "n must be a whole number of at least 1"),
        (lambda: occlude([[0.0]], 1.0), "fraction must be in"),
        (lambda: disturb([[0.0]], noise=-1.0), "noise must be zero or more"),
        (lambda: disturb([[0.0]], outliers=np.nan), "outliers must be zero or more"),
        (lambda: visible([[0.0, 0.0], [1.0, 1.0]], [0.0]), "viewpoint must be 2 finite"),
        (lambda: visible([[0.0, 0.0], [1.0, 1.0]], [0.0, 0.0]), "must not be one of the points"),
        (lambda: visible([[1.0, 0.0], [2.0, 0.0]], [0.0, 0.0]), "must not be flat"),
    ],
)
def test_bad_arguments_are_named(call, match):
    with pytest.raises(InputError, match=match):
        call()
