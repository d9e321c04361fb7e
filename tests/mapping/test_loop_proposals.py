"""Which submaps may overlap."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Mixture
from svgm.mapping.loop_proposals import propose_loops
from svgm.mapping.submap import Submap
from svgm.mapping.tuning import MAP_TUNING
from svgm.rigid import exp


def ball(anchor: int, centre: float) -> Submap:
    """A submap of radius 1 around a place."""
    ring = np.exp(1j * np.linspace(0, 2 * np.pi, 20, endpoint=False))
    means = np.c_[ring.real + centre, ring.imag]
    return Submap(anchor, Mixture(means, 0.01, np.full(20, 0.05)))


def still(submaps: dict[int, Submap]) -> dict[int, np.ndarray]:
    return {submap.anchor: np.eye(3) for submap in submaps.values()}


def test_near_submaps_are_proposed_and_far_ones_not() -> None:
    submaps = {0: ball(0, 0.0), 2: ball(20, 1.3), 5: ball(50, 9.0)}
    found = propose_loops(submaps, still(submaps), np.zeros((3, 3)))
    assert [(proposal.source, proposal.target) for proposal in found] == [(2, 0)]
    assert np.allclose(found[0].guess, np.eye(3))
    assert found[0].uncertainty == 0.0


def test_the_drift_of_a_long_trajectory() -> None:
    submaps = {0: ball(0, 0.0), 1: ball(10, 9.0)}
    distances = np.array([[0.0, 800.0], [800.0, 0.0]])
    (found,) = propose_loops(submaps, still(submaps), distances)
    assert found.uncertainty == pytest.approx(12.0)
    assert not propose_loops(submaps, still(submaps), distances / 4)
    assert len(propose_loops(submaps, still(submaps), np.full((2, 2), np.inf))) == 1


def test_a_submap_at_one_place() -> None:
    point = Submap(10, Mixture(np.full((20, 2), 0.5), 0.01, np.full(20, 0.05)))
    submaps = {0: ball(0, 0.0), 1: point}
    (found,) = propose_loops(submaps, still(submaps), np.array([[0.0, 2.0], [2.0, 0.0]]))
    assert found.uncertainty == np.inf


def test_the_guess_is_the_pose_of_the_source_in_the_target() -> None:
    submaps = {0: ball(0, 0.0), 1: ball(10, 0.0)}
    poses = {0: exp([0.3, 0.1, 0.2]), 10: exp([0.5, 0.3, 0.1])}
    (found,) = propose_loops(submaps, poses, np.zeros((2, 2)))
    assert np.allclose(poses[0] @ found.guess, poses[10])


def test_at_most_so_many_partners() -> None:
    submaps = {number: ball(number, 1e-3 * number) for number in range(3 * MAP_TUNING.partners)}
    found = propose_loops(submaps, still(submaps), np.zeros((len(submaps), len(submaps))))
    of_the_first = [proposal for proposal in found if proposal.target == 0]
    assert len(of_the_first) >= MAP_TUNING.partners
    assert len(found) <= MAP_TUNING.partners * len(submaps)
    assert found == sorted(found, key=lambda proposal: (proposal.source, proposal.target))
