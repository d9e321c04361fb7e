"""Other translations with the answer's rotation: found where a shape repeats itself."""

from __future__ import annotations

import numpy as np

from svgm import prepare
from svgm.registration.problem import problem_of
from svgm.registration.search.duplicates import pose_distances
from svgm.registration.search.translations import other_translations
from svgm.registration.tuning import TUNING


def comb() -> np.ndarray:
    """Five equal teeth on a line, 1 apart."""
    side = np.linspace(0.0, 1.0, 60)
    tooth = np.vstack([np.c_[0.5 * side, 0 * side], np.c_[0 * side + 0.5, side], np.c_[0 * side, side]])
    return np.vstack([tooth + np.array([float(k), 0.0]) for k in range(5)])


def test_teeth_of_a_comb_are_found_one_further() -> None:
    with problem_of(prepare(comb()), prepare(comb())) as problem:
        scorer = problem.scorer((None, None))
        assert scorer is not None
        poses = other_translations(problem.mixtures, (0.1, 1.0, 10.0, 100.0), scorer, np.eye(3), 1)
        shifts = np.array([problem.coordinates.restore(pose)[:2, 2] for pose in poses])
    assert 1 <= len(poses) <= TUNING.translated_poses
    for tooth in (-1.0, 1.0):
        assert np.abs(shifts - np.array([tooth, 0.0])).max(axis=1).min() < 0.05
    assert (pose_distances(poses, np.eye(3)) > scorer.same_pose).all()


def test_without_a_level_coarse_enough_there_are_none(curve: np.ndarray) -> None:
    with problem_of(prepare(curve), prepare(curve)) as problem:
        scorer = problem.scorer((None, None))
        assert scorer is not None
        found = other_translations(problem.mixtures, (2.0 * TUNING.translated_gamma,), scorer, np.eye(3), 1)
    assert found.shape == (0, 3, 3)
