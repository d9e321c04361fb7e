"""The scene of a map."""

from __future__ import annotations

import numpy as np

import svgm
from svgm.view import map_scene


def test_the_scene_of_a_map(mapped: svgm.MapResult) -> None:
    layers = {layer.name: layer for layer in map_scene(mapped).layers}
    np.testing.assert_array_equal(layers["trajectory"].places, mapped.poses[:, :2, 2])
    assert {"map", "mixture", "start", "end", "other edges"} <= set(layers)
    assert np.isfinite(mapped.covariances).all()
