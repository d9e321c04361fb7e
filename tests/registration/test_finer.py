"""Levels finer than the points' spacing are taken where they hold the answer better, and only there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.datasets import butterfly, disturb, laser_scan, round_walk, storey
from svgm.registration import register as registering
from svgm.rigid import apply, exp, invert, pose_error

TRUTH = exp([1.0, 0.3, -0.2])


def without_finer(monkeypatch: pytest.MonkeyPatch, source: np.ndarray, target: np.ndarray) -> svgm.RegistrationResult:
    """The answer at the last level of the annealing."""
    with monkeypatch.context() as patched:
        patched.setattr(
            registering, "finer_answer", lambda problem, level, answer, covariance, steps: (answer, covariance)
        )
        return svgm.register(source, target)


def error(result: svgm.RegistrationResult) -> float:
    return float(pose_error(result.transformation, TRUTH)[0])


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_points_that_both_sets_have_decide_among_clutter(monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    outline = butterfly(120, seed=4)
    source = apply(invert(TRUTH), disturb(outline, outliers=share, seed=1))
    target = disturb(outline, outliers=share, seed=2)
    result, before = svgm.register(source, target), without_finer(monkeypatch, source, target)
    assert error(result) < 1e-3
    assert error(result) < 0.2 * error(before)
    assert (np.diag(result.central_covariance) < np.diag(before.central_covariance)).all()
    assert result.mixtures[0].sigma == before.mixtures[0].sigma  # what is merged has the detail of the points


def test_identical_sets_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    outline = butterfly(300, seed=4)
    source = apply(invert(TRUTH), outline)
    assert svgm.register(source, outline) == without_finer(monkeypatch, source, outline)


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_samples_that_share_no_points_stay_as_they_are(monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    source = apply(invert(TRUTH), disturb(butterfly(300, seed=1), outliers=share, seed=1))
    target = disturb(butterfly(300, seed=2), outliers=share, seed=2)
    assert svgm.register(source, target) == without_finer(monkeypatch, source, target)


def test_laser_scans_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = round_walk(40)
    scans = [laser_scan(storey(), walk[k], seed=k) for k in (3, 4, 20, 21)]
    for source, target in ((scans[1], scans[0]), (scans[3], scans[2])):
        assert svgm.register(source, target) == without_finer(monkeypatch, source, target)


def test_an_end_that_is_given_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("a finer level was tried")

    monkeypatch.setattr(registering, "finer_answer", refused)
    outline = butterfly(120, seed=4)
    source, target = (
        apply(invert(TRUTH), disturb(outline, outliers=0.2, seed=1)),
        disturb(outline, outliers=0.2, seed=2),
    )
    svgm.register(source, target, annealing=svgm.Annealing(finest=30))
    svgm.register(source, target, covariance="isotropic")
    svgm.register(source, target, annealing=None)


def test_the_sets_of_the_paper_with_outliers(data: Path) -> None:
    fish = svgm.read_points(data / "shapes_2d" / "fish_deformed.txt")
    rng = np.random.default_rng(7)
    low, high = fish.min(axis=0), fish.max(axis=0)
    for count in (10, 40, 100):
        dirty = [np.vstack([fish, rng.uniform(low, high, (count, 2))]) for _ in range(2)]
        assert error(svgm.register(apply(invert(TRUTH), dirty[0]), dirty[1])) < 1e-3
