"""EM: the likelihood grows, noise and outliers are found, the evidence prefers the truth."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.registration.nonrigid.likelihood import Likelihood, start_score, volume_of
from svgm.registration.nonrigid.spline_modes import SplineModes


@pytest.fixture
def bent(rng: np.random.Generator) -> tuple[SplineModes, Likelihood]:
    points = rng.normal(size=(80, 2))
    target = points + 0.2 * np.sin(points[:, ::-1]) + 0.02 * rng.normal(size=points.shape)
    target = np.concatenate([target, rng.uniform(-3, 3, size=(20, 2))])
    modes = SplineModes(points, 40)
    volume = volume_of(target, np.ones(100))
    return modes, Likelihood(modes.at(points), modes.penalised, np.ones(80), target, np.ones(100), volume, 0.1)


def test_noise_and_outliers_are_found(bent: tuple[SplineModes, Likelihood]) -> None:
    modes, likelihood = bent
    fit = likelihood.maximised(modes.affine(np.eye(2), np.zeros(2)), 0.2, 80)
    assert 0.01 < fit.noise < 0.03
    assert 0.08 < fit.outliers < 0.22
    off = likelihood.modes @ fit.theta - likelihood.target[:80]
    assert np.median(np.linalg.norm(off, axis=1)) < 0.04
    assert (np.linalg.eigvalsh(fit.covariance) > 0).all()


def test_the_evidence_prefers_the_truth_to_a_mirror_image(bent: tuple[SplineModes, Likelihood]) -> None:
    modes, likelihood = bent
    right, wrong = (
        likelihood.maximised(modes.affine(np.diag([1.0, sign]), np.zeros(2)), 0.2, 60) for sign in (1.0, -1.0)
    )
    assert right.evidence > wrong.evidence + 10


def test_known_pairs_pull(bent: tuple[SplineModes, Likelihood]) -> None:
    modes, likelihood = bent
    goal = np.array([[5.0, 5.0]])
    pulled = Likelihood(**{**likelihood.__dict__, "pairs": (likelihood.modes[:1], goal)})
    start = modes.affine(np.eye(2), np.zeros(2))
    free, held = (each.maximised(start, 0.2, 20) for each in (likelihood, pulled))
    assert np.linalg.norm(likelihood.modes[0] @ held.theta - goal) < np.linalg.norm(
        likelihood.modes[0] @ free.theta - goal
    )


def test_a_start_on_the_target_scores_higher(bent: tuple[SplineModes, Likelihood]) -> None:
    _, likelihood = bent
    points, target = likelihood.target[:80], likelihood.target
    near, far = (start_score(points + shift, np.ones(80), target, np.ones(100), 0.2, 0.01) for shift in (0.0, 3.0))
    assert near > far
