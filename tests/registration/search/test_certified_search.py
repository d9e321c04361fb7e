"""register(search="certified"): the certificate, its stage, its limits."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from svgm import RegistrationResult, register
from svgm.rigid import apply, exp
from tests.registration.register.answers import close, random_pose, valid


@pytest.fixture(scope="module")
def proven(curve: np.ndarray) -> RegistrationResult:
    return register(curve, apply(random_pose(2, 4), curve), search="certified", gap=5e-2)


def test_a_certified_answer_in_2d(curve: np.ndarray, proven: RegistrationResult) -> None:
    certificate = proven.certificate
    assert certificate is not None
    assert certificate.complete
    assert certificate.gap <= certificate.requested == 5e-2
    assert certificate.bound <= certificate.objective < 0.0
    assert certificate.boxes > 0
    assert close(proven.transformation, random_pose(2, 4), 0.01, 0.01)
    assert proven.search == "certified"
    valid(proven)
    assert proven.as_dict()["certificate"]["gap"] == certificate.gap


def test_the_first_stage_is_the_proven_one(proven: RegistrationResult) -> None:
    stage, certificate = proven.stages[0], proven.certificate
    assert certificate is not None
    assert stage.objective == certificate.objective
    assert close(stage.transformation, proven.transformation, 0.1, 0.1)
    gammas = [stage.gamma for stage in proven.stages]
    assert gammas == sorted(gammas)


def test_the_start_does_not_matter_to_a_proof(curve: np.ndarray, proven: RegistrationResult) -> None:
    target = apply(random_pose(2, 4), curve)
    again = register(curve, target, search="certified", gap=5e-2, init=exp([2.0, 9.0, 9.0]), threads=1)
    assert np.array_equal(again.transformation, proven.transformation)


def test_a_proof_at_a_given_scale(curve: np.ndarray) -> None:
    result = register(curve, apply(exp([2.5, 0.0, 1.0]), curve), search="certified", gamma=1.0, gap=0.05)
    assert result.stages[0].gamma == 1.0
    assert result.certificate is not None
    assert result.certificate.complete


@pytest.mark.parametrize("gap", [0.5, 1.0, 3.0])
def test_wide_gaps_are_soon_closed(curve: np.ndarray, gap: float) -> None:
    calls: list[tuple[int, int]] = []
    result = register(
        curve, curve, search="certified", gamma=1.0, gap=gap, progress=lambda phase, *call: calls.append(call)
    )
    assert result.certificate is not None
    assert result.certificate.complete
    assert all(0 <= done <= of for done, of in calls)


@pytest.mark.parametrize("seconds", [1e-6, 0.05])
def test_a_proof_that_runs_out_of_time_is_still_true(surface: np.ndarray, seconds: float) -> None:
    result = register(surface, apply(random_pose(3, 2), surface), search="certified", gamma=0.5, seconds=seconds)
    certificate = result.certificate
    assert certificate is not None
    assert certificate.bound <= certificate.objective
    assert certificate.complete == (certificate.gap <= certificate.requested)
    valid(result)


@pytest.mark.parametrize("gamma", [Fraction(1, 4), Decimal("0.25"), np.float32(0.25)])
def test_a_gamma_of_any_type(curve: np.ndarray, gamma: Any) -> None:
    expected = register(curve, curve, search="certified", gamma=0.25, gap=0.5)
    found = register(curve, curve, search="certified", gamma=gamma, gap=0.5)
    assert found.stages[0].gamma == 0.25
    assert found.transformation.tobytes() == expected.transformation.tobytes()
