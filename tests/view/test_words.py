"""The words are those that the numbers call for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import svgm
from svgm.datasets import body, butterfly
from svgm.rigid import apply, exp
from svgm.view.words import assessment, certainty, deformation_words


@pytest.fixture(scope="module")
def source() -> np.ndarray:
    return apply(exp([0.1, 0.0, 0.2, 0.3, 0.0, 0.1]), body(1500, seed=1)[0])


@pytest.fixture(scope="module")
def result(source: np.ndarray) -> svgm.RegistrationResult:
    return svgm.register(source, body(1500, seed=2)[0])


def with_deviations(result: svgm.RegistrationResult, turns, steps) -> svgm.RegistrationResult:
    """The result with standard deviations along the target's axes, about the source's middle."""
    d, R = result.dimension, result.rotation
    k = len(turns)
    covariance = np.zeros((k + d, k + d))
    covariance[:k, :k] = R.T @ np.diag(np.square(turns)) @ R
    covariance[k:, k:] = R.T @ np.diag(np.square(steps)) @ R
    return replace(result, central_covariance=covariance)


def test_well_determined(result: svgm.RegistrationResult, source: np.ndarray) -> None:
    sigma = result.stages[-1].sigma
    words = certainty(with_deviations(result, [0.001, 0.0005, 0.002], np.array([0.1, 0.2, 0.3]) * sigma), source)
    assert words == ["The rotation is known to 0.11°.", f"The position is known to {0.3 * sigma:.2g}."]


def test_poorly_determined_directions_have_names(result: svgm.RegistrationResult, source: np.ndarray) -> None:
    sigma = result.stages[-1].sigma
    radius = float(np.sqrt(source.var(axis=0).sum()))
    given = with_deviations(
        result, [0.001, 0.001, 5 * sigma / radius], np.array([0.9 * radius, 0.1 * sigma, 0.2 * sigma])
    )
    assert certainty(given, source) == [
        f"The rotation is known to 0.057°, but poorly determined about z ({np.degrees(5 * sigma / radius):.2g}°).",
        f"The position is known to {0.2 * sigma:.2g}, but poorly determined along x ({0.9 * radius:.2g}).",
    ]
    lost = with_deviations(result, [9.0, 0.001, 0.001], [0.1 * sigma, 0.1 * sigma, 90 * radius])
    assert certainty(lost, source) == [
        "The rotation is known to 0.057°, but not determined about x.",
        f"The position is known to {0.1 * sigma:.2g}, but not determined along z.",
    ]


def test_a_corridor_is_not_known_along_itself() -> None:
    rng = np.random.default_rng(1)
    part, whole = (
        np.c_[rng.uniform(-length, length, 800), np.repeat([-1.0, 1.0], 400)] + rng.normal(scale=0.01, size=(800, 2))
        for length in (4.0, 12.0)
    )
    turned, position = certainty(svgm.register(part, whole, search="local"), part)
    assert turned.startswith("The rotation is known to 0.")
    assert "along x" in position
    assert "along y" not in position


def test_in_the_plane_there_is_one_turn() -> None:
    points = butterfly(400, seed=1)
    result = svgm.register(points + 0.1, butterfly(400, seed=2))
    d = np.array([0.5, 1e-4, 1e-4])
    turned, _ = certainty(replace(result, central_covariance=np.diag(d**2)), points + 0.1)
    assert turned == "The rotation is poorly determined (29°)."


def test_assessments(result: svgm.RegistrationResult) -> None:
    assert assessment(replace(result, confidence=0.95, alternatives=())).startswith("Trusted: the confidence is 0.95")
    words = assessment(replace(result, confidence=0.5, alternatives=()))
    assert words.startswith("Not trusted: the confidence is 0.50, less than 0.9")
    other = svgm.Alternative(np.eye(4), 0.95)
    assert assessment(replace(result, alternatives=(other,))).startswith("Not trusted: another pose is about as good")
    two = assessment(replace(result, alternatives=(other, other)))
    assert two.startswith("Not trusted: 2 other poses are about as good")
    assert assessment(replace(result, status=svgm.Status.DISJOINT)).startswith("No pose was found")


def test_an_ambiguous_answer_is_not_trusted(result: svgm.RegistrationResult) -> None:
    sure = replace(result, confidence=0.99, alternatives=())
    assert sure.trusted
    assert not replace(sure, alternatives=(svgm.Alternative(np.eye(4), 0.95),)).trusted
    ball = np.random.default_rng(0).normal(size=(1500, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    turned = svgm.register(apply(exp([1.0, 0.5, 0.2, 0.0, 0.0, 0.0]), ball[:1000]), ball[500:])
    assert not turned.trusted


@pytest.mark.parametrize("d", [2, 3])
def test_covariance_at_places_is_that_of_disturbed_poses(d: int) -> None:
    rng = np.random.default_rng(3)
    points = butterfly(300, seed=1) if d == 2 else body(600, seed=1)[0]
    result = svgm.register(points + 0.05, points)
    k = len(result.covariance)
    root = rng.normal(scale=1e-3, size=(k, k))
    result = replace(result, central_covariance=root @ root.T)
    places = rng.normal(size=(4, d)) * 3
    xi = rng.multivariate_normal(np.zeros(k), result.covariance, size=40_000)
    poses = result.transformation @ exp(xi)
    for place, covariance in zip(places, result.covariance_at(places), strict=True):
        spread = np.cov((poses[:, :d, :d] @ place + poses[:, :d, d]).T)
        np.testing.assert_allclose(covariance, spread, rtol=0.1, atol=0.03 * np.abs(spread).max())
    with pytest.raises(svgm.InputError, match=r"^places must have shape \(n,"):
        result.covariance_at([1.0, 2.0])


def test_a_deformation_in_words(deformed: svgm.RegistrationResult, registered: svgm.RegistrationResult) -> None:
    shape, fit, sure = deformation_words(deformed)
    assert f"bending energy {deformed.warp.bending:.3g}" in shape
    assert "folds at no source point" in shape
    assert f"{deformed.warp.noise:.2g}" in fit
    assert f"{deformed.warp.outliers:.0%}" in fit
    assert f"the largest is {deformed.warp.deviations.max():.2g}" in sure
    one = replace(deformed, warp=replace(deformed.warp, folds=1))
    assert "turns space inside out at 1 source point." in deformation_words(one)[0]
    assert deformation_words(registered) == []


def test_measured_shares_of_rigid_answers_are_not_said_of_deformations(deformed: svgm.RegistrationResult) -> None:
    sure = replace(deformed, confidence=0.99, alternatives=(), undetermined=())
    assert (
        assessment(sure) == "Trusted: the confidence is 0.99, at least 0.9, and no other deformation is about as good."
    )
