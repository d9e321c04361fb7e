"""Nodes: fewer weighted points in place of many."""

from __future__ import annotations

import numpy as np

from svgm.registration.nonrigid.nodes import Nodes


def test_fewer_nodes_keep_the_weight_and_the_coordinates(rng: np.random.Generator) -> None:
    points = rng.normal(size=(2000, 3))
    nodes = Nodes(points, np.ones(2000), np.array([5.0, 0.0, 0.0]), 2.0)
    few = nodes.fewer(300)
    assert 150 < len(few.points) <= 300
    assert np.isclose(few.weights.mean(), 1.0)
    assert np.allclose(few.places, [5.0, 0.0, 0.0] + 2.0 * few.points)
    assert nodes.fewer(2000) is nodes
