"""Which pieces may overlap, and the registration of two."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Mixture, fit
from svgm.mapping.closures import PARTNERS, Model, propose, register_models
from svgm.rigid import exp, pose_error


def ball(anchor: int, centre: float, spacing: float = 1.0) -> Model:
    """A piece of radius 1 around a place."""
    ring = np.exp(1j * np.linspace(0, 2 * np.pi, 20, endpoint=False))
    means = spacing * np.c_[ring.real + centre, ring.imag]
    return Model(anchor, Mixture(means, 0.01, np.full(20, 0.05)))


def still(models: dict[int, Model]) -> dict[int, np.ndarray]:
    return {model.anchor: np.eye(3) for model in models.values()}


def test_centre_and_radius() -> None:
    model = ball(0, 3.0)
    assert model.centre == pytest.approx([3.0, 0.0])
    assert model.radius == pytest.approx(1.0)


def test_near_pieces_are_proposed_and_far_ones_not() -> None:
    models = {0: ball(0, 0.0), 2: ball(20, 1.3), 5: ball(50, 9.0)}
    found = propose(models, still(models), np.zeros((3, 3)))
    assert [(proposal.source, proposal.target) for proposal in found] == [(2, 0)]
    assert np.allclose(found[0].guess, np.eye(3))
    assert found[0].doubt == 0.0


def test_a_long_way_between_may_have_drifted() -> None:
    models = {0: ball(0, 0.0), 1: ball(10, 9.0)}
    way = np.array([[0.0, 800.0], [800.0, 0.0]])
    (found,) = propose(models, still(models), way)
    assert found.doubt == pytest.approx(12.0)
    assert not propose(models, still(models), way / 4)
    assert len(propose(models, still(models), np.full((2, 2), np.inf))) == 1


def test_the_guess_is_the_pose_of_the_source_in_the_target() -> None:
    models = {0: ball(0, 0.0), 1: ball(10, 0.0)}
    poses = {0: exp([0.3, 0.1, 0.2]), 10: exp([0.5, 0.3, 0.1])}
    (found,) = propose(models, poses, np.zeros((2, 2)))
    assert np.allclose(poses[0] @ found.guess, poses[10])


def test_at_most_so_many_partners() -> None:
    models = {number: ball(number, 1e-3 * number) for number in range(3 * PARTNERS)}
    found = propose(models, still(models), np.zeros((len(models), len(models))))
    of_the_first = [proposal for proposal in found if proposal.target == 0]
    assert len(of_the_first) >= PARTNERS
    assert len(found) <= PARTNERS * len(models)
    assert found == sorted(found, key=lambda proposal: (proposal.source, proposal.target))


@pytest.mark.parametrize("search", ["auto", "local"])
def test_two_pieces_are_registered_by_their_anchors(curve: np.ndarray, search: str) -> None:
    truth = exp([0.2, 0.1, -0.1])
    target = fit(curve, gamma=60.0)
    source = target.transformed(np.linalg.inv(truth))
    edge = register_models(Model(7, source), Model(2, target), None, search, "loop", 0.01)
    assert (edge.source, edge.target, edge.kind) == (7, 2, "loop")
    assert max(pose_error(edge.transformation, truth)) < 1e-2
    again = register_models(Model(7, source), Model(2, target), None, search, "loop", 0.01)
    assert again.as_dict() == edge.as_dict()
