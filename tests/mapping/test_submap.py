"""Centre and radius of a submap, and the registration of two submaps."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Mixture, fit
from svgm.mapping.submap import Submap, register_submaps
from svgm.rigid import exp, pose_error


def ring(centre: float, *strays: tuple[float, float]) -> Mixture:
    """Components on a circle of radius 1, and others far away."""
    angle = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    means = np.vstack([np.c_[np.cos(angle) + centre, np.sin(angle)], np.reshape(strays, (-1, 2))])
    return Mixture(means, 0.01, np.full(len(means), 1.0 / len(means)))


def test_centre_and_radius() -> None:
    submap = Submap(0, ring(3.0))
    assert submap.centre == pytest.approx([3.0, 0.0])
    assert submap.radius == pytest.approx(1.0)


def test_a_stray_changes_neither() -> None:
    submap, clean = Submap(0, ring(3.0, (1e4, 0.0))), Submap(0, ring(3.0))
    assert np.array_equal(submap.centre, clean.centre)
    assert submap.radius == clean.radius


@pytest.mark.parametrize("search", ["auto", "local"])
def test_two_submaps_are_registered_by_their_anchors(curve: np.ndarray, search: str) -> None:
    truth = exp([0.2, 0.1, -0.1])
    target = fit(curve, gamma=60.0)
    source = target.transformed(np.linalg.inv(truth))
    edge = register_submaps(Submap(7, source), Submap(2, target), None, search, "loop", 0.01)
    assert (edge.source, edge.target, edge.kind) == (7, 2, "loop")
    assert max(pose_error(edge.transformation, truth)) < 1e-2
    again = register_submaps(Submap(7, source), Submap(2, target), None, search, "loop", 0.01)
    assert again.as_dict() == edge.as_dict()
