"""Steps of odometry: their noise, and which links they confirm or contradict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from svgm.mapping.edge_noise import noise_floor
from svgm.mapping.odometry import Odometry
from svgm.mapping.odometry_steps import confirmed_links, links_against_odometry, longer_steps, odometry_steps
from svgm.rigid import exp, invert
from tests.mapping.edges import all_pairs, edge_between, walk

FLOOR = noise_floor(2, 0.005, 1.0)


def driven(poses: np.ndarray, share: float, rng: np.random.Generator, slips: float = 0.0) -> Odometry:
    """Odometry whose steps err by a share of the motion, some of them by much more."""
    found = [np.eye(3)]
    for step in invert(poses[:-1]) @ poses[1:]:
        wrong = rng.normal(scale=1.0, size=3) if rng.random() < slips else share * rng.normal(size=3)
        found.append(found[-1] @ step @ exp(wrong))
    return Odometry(np.array(found))


@pytest.mark.parametrize("slips", [0.0, 0.15])
def test_the_noise_is_that_of_the_differences_to_links(slips: float, rng: np.random.Generator) -> None:
    poses = np.cumsum(np.tile([[0.0, 0.5, 0.0]], (200, 1)), axis=0)
    poses = exp(poses)
    steps = odometry_steps(range(200), driven(poses, 0.05, rng, slips), all_pairs(poses, 1), FLOOR, 1.0)
    deviations = np.sqrt(np.diag(steps[0].covariance))
    assert deviations == pytest.approx(0.05 * np.ones(3), rel=0.5)
    assert steps[0].confidence == pytest.approx(1.0 - slips, abs=0.06)


def test_a_given_covariance_is_used_and_added_over_missing_scans(rng: np.random.Generator) -> None:
    poses = walk(2, 4, rng)
    odometry = Odometry(poses, np.tile(np.diag([1e-6, 1e-4, 1e-4]), (3, 1, 1)))
    (one, two) = odometry_steps([0, 1, 3], odometry, [], FLOOR, 1.0)
    assert one.covariance == pytest.approx(np.diag([1e-6, 1e-4, 1e-4]))
    assert (two.source, two.target) == (3, 1)
    assert two.covariance[0, 0] == pytest.approx(2e-6)
    assert two.transformation == pytest.approx(invert(poses[1]) @ poses[3])


def test_odometry_confirms_doubtful_links_and_links_confirm_odometry(rng: np.random.Generator) -> None:
    poses = walk(2, 8, rng)
    links = all_pairs(poses, 3)
    steps = odometry_steps(range(8), Odometry(poses), links, FLOOR, 1.0)
    assert {(edge.source, edge.target) for edge in longer_steps(steps, 3, FLOOR)} == {
        (i, i - back) for back in (2, 3) for i in range(back, 8)
    }
    doubtful = replace(links[4], confidence=0.6, second=0.3)
    wrong = edge_between(poses, 5, 3, xi=np.array([1.5, 0.5, 0.5]))
    found = confirmed_links([doubtful, replace(wrong, confidence=0.6)], steps, FLOOR)
    assert [edge.trusted for edge in found] == [True, False]
    assert links_against_odometry([*links, wrong], steps, FLOOR) == [wrong]
    # A step that slips is confirmed by no link, so it contradicts none.
    slipped = driven(poses, 0.0, rng)
    moved = slipped.poses.copy()
    moved[4:] = moved[3] @ exp(np.array([2.5, 4.0, -4.0])) @ invert(poses[3]) @ poses[4:]
    steps = odometry_steps(range(8), Odometry(moved), links, FLOOR, 1.0)
    assert links_against_odometry(links, steps, FLOOR) == []
