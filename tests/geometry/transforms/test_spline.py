"""The kernel of the spline: its slope, and that the energy is positive."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.geometry.transforms.spline import kernel, kernel_slope, spline_through, squared_distances, with_ones


def test_the_slope_is_the_derivative() -> None:
    r = np.array([0.1, 0.7, 2.0])
    slope = (kernel((r + 1e-6) ** 2) - kernel((r - 1e-6) ** 2)) / 2e-6
    assert np.allclose(kernel_slope(r**2) * r, slope, rtol=1e-6)
    assert kernel(np.zeros(1)) == 1
    assert np.isfinite(kernel_slope(np.zeros(1)))


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_side_conditions_hold_and_the_energy_is_positive(dimension: int, rng: np.random.Generator) -> None:
    points = rng.normal(size=(25, dimension))
    w, _ = spline_through(points, rng.normal(size=(25, 1)))
    assert np.allclose(with_ones(points).T @ w, 0, atol=1e-9)
    assert (w.T @ kernel(squared_distances(points, points)) @ w).item() > 0
