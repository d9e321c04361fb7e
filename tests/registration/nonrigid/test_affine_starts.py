"""Starts move with the sets."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.registration.nonrigid.affine_starts import affine_starts
from svgm.rigid import exp


@pytest.mark.parametrize("dimension", [2, 3])
def test_starts_are_relative_to_the_principal_axes(dimension: int, rng: np.random.Generator) -> None:
    points = rng.normal(size=(60, dimension)) * np.array([3.0, 1.0, 0.4])[:dimension]
    points -= points.mean(axis=0)
    turn = exp(rng.normal(size=3 if dimension == 2 else 6))[:dimension, :dimension]
    ones = np.ones(60)
    plain = [points @ a.T + t for a, t in affine_starts(points, ones, points, ones, 1.0)]
    turned = [points @ a.T + t for a, t in affine_starts(points, ones, points @ turn.T, ones, 1.0)]
    # Principal axes have no sign, so the order may differ.
    for moved in turned[:6]:
        assert min(np.abs(moved - other @ turn.T).max() for other in plain) < 1e-6
    assert min(np.abs(moved - points).max() for moved in plain) < 1e-6
