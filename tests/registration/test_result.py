"""The result of a registration: what it derives from its fields."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import svgm
from svgm import Alternative, InputError, RegistrationResult
from svgm.registration.tuning import TUNING
from svgm.rigid import adjoint, apply, exp, pose


@pytest.fixture(scope="module")
def result(surface: np.ndarray) -> RegistrationResult:
    return svgm.register(apply(exp([0.1, 0.0, 0.1, 0.2, 0.0, 0.0]), surface) + 5.0, surface, search="local")


def test_trusted_needs_confidence_and_no_equal(result: RegistrationResult) -> None:
    sure = replace(result, confidence=TUNING.trusted, alternatives=())
    assert sure.trusted
    assert not replace(sure, confidence=TUNING.trusted - 1e-9).trusted
    equal = replace(sure, alternatives=(Alternative(np.eye(4), TUNING.ambiguous),))
    assert equal.ambiguous
    assert not equal.trusted
    assert not replace(sure, alternatives=(Alternative(np.eye(4), TUNING.ambiguous - 0.01),)).ambiguous


def test_the_covariance_moves_from_the_centre_to_the_origin(result: RegistrationResult) -> None:
    moved = adjoint(pose(np.eye(3), result.centre))
    assert np.allclose(result.covariance, moved @ result.central_covariance @ moved.T, rtol=1e-9)
    at_centre = result.covariance_at(result.centre[None])[0]
    assert np.allclose(at_centre, result.rotation @ result.central_covariance[3:, 3:] @ result.rotation.T)


def test_the_information_is_the_inverse(result: RegistrationResult) -> None:
    assert np.allclose(result.information @ result.covariance, np.eye(6), atol=1e-6)


def test_the_mixtures_are_those_of_the_last_level(result: RegistrationResult) -> None:
    assert result.mixtures is not None
    assert result.mixtures == result.stages[-1].mixtures
    assert tuple(map(len, result.mixtures)) == result.stages[-1].components


def test_without_mixtures_nothing_is_merged_or_drawn(result: RegistrationResult) -> None:
    bare = replace(result, mixtures=None)
    for call in (bare.merged, bare.plot):
        with pytest.raises(InputError, match="needs the mixtures of the registration"):
            call()
