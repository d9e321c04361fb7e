"""Modes of the thin-plate spline: bending energy, affine maps, the spline they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Deformation
from svgm.checks.errors import InputError
from svgm.registration.nonrigid.spline_modes import SplineModes


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_bending_is_the_sum_of_squares(dimension: int, rng: np.random.Generator) -> None:
    controls = rng.normal(size=(30, dimension))
    modes = SplineModes(controls, 12)
    theta = rng.normal(size=(len(modes), dimension))
    linear, shift, coefficients = modes.spline(theta)
    matrix = np.eye(dimension + 1)
    matrix[:-1, :-1], matrix[:-1, -1] = linear, shift
    spline = Deformation(matrix, controls, coefficients, 1.0)
    assert np.isclose(spline.bending, (theta[1 + dimension :] ** 2).sum())
    places = rng.normal(size=(9, dimension))
    assert np.allclose(spline.apply(places), modes.at(places) @ theta)


def test_affine_maps_are_the_first_modes(rng: np.random.Generator) -> None:
    controls = rng.normal(size=(20, 3))
    modes = SplineModes(controls, 5)
    linear, shift = rng.normal(size=(3, 3)), rng.normal(size=3)
    theta = modes.affine(linear, shift)
    assert np.allclose(modes.at(controls) @ theta, controls @ linear.T + shift)
    assert not theta[4:].any()


def test_all_modes_interpolate(rng: np.random.Generator) -> None:
    controls = rng.normal(size=(20, 2))
    modes = SplineModes(controls, 20)
    values = rng.normal(size=(20, 2))
    theta = np.linalg.lstsq(modes.at(controls), values, rcond=None)[0]
    assert np.allclose(modes.at(controls) @ theta, values)


def test_points_in_a_line_are_refused() -> None:
    line = np.column_stack([np.linspace(0, 1, 9), np.linspace(0, 2, 9)])
    with pytest.raises(InputError, match="span the space"):
        SplineModes(line, 5)
