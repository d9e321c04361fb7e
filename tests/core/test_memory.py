"""Sizes beyond any memory raise MemoryError with one line; sizes that make no sense raise ValueError."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import _core

LINE = "not enough memory for what the core was asked to compute"


def test_a_grid_that_is_too_large() -> None:
    points, rotations = np.zeros((1, 3)), np.eye(3)[None]
    for side in (1 << 15, 1 << 22, 1 << 60):
        with pytest.raises(MemoryError, match=LINE):
            _core.splat(points, np.ones(1), rotations, [side, side, side], 1)


def test_more_peaks_than_there_is_room_for() -> None:
    grid = np.zeros((2, 2, 2, 2), np.float32)
    for most in (1 << 45, 1 << 60, 1 << 63):
        with pytest.raises(MemoryError, match=LINE):
            _core.highest_peaks(grid, most, 1)


def test_scatter_of_too_many_dimensions() -> None:
    with pytest.raises(MemoryError, match=LINE):
        _core.weighted_scatter(np.zeros((2, 100_000)), np.ones(2))


def test_points_without_coordinates_or_without_points() -> None:
    nothing, none = np.zeros((3, 0)), np.zeros((0, 3))
    for points in (nothing, none):
        with pytest.raises(ValueError, match="sizes"):
            _core.BoxTree(points, np.ones(len(points)))
        with pytest.raises(ValueError, match="sizes"):
            _core.train_one_class(points, np.ones(len(points)), None, 1.0, 0.1, 0.1, 0, False)
    with pytest.raises(ValueError, match="sizes"):
        _core.weighted_scatter(nothing, np.ones(3))
    tree = _core.BoxTree(np.random.default_rng(0).normal(size=(6000, 3)), np.ones(6000))
    assert _core.gauss_transform(tree, none, 1.0, 20.0, 0, 2).shape == (0, 1)
    assert _core.nearest(tree, none, 0.0)[0].shape == (0,)
    means, normals = _core.surfels(none, None, 1.0)
    assert means.shape == normals.shape == (0, 3)
    assert _core.thin(none, np.zeros(0), np.zeros(3), np.eye(3), 1.0)[0].shape == (0, 3)


def test_rows_without_room_are_the_same() -> None:
    """Kernel rows for which there is no room are computed again when needed, with the same values."""
    points = np.random.default_rng(1).normal(size=(600, 2))
    upper = np.full(600, 0.05)
    few, many = (_core.train_one_class(points, upper, None, 0.1, 1e-4, 1e-5, size, False) for size in (0, 1 << 26))
    np.testing.assert_array_equal(few[0], many[0])
    assert few[1] == many[1]
