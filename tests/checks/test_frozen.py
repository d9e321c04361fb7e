"""Results that are copied, pickled and compared: the same values, and read-only arrays."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import svgm
from svgm import MapResult, RegistrationResult, register
from svgm.datasets import laser_scan, round_walk, storey

COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]


@pytest.mark.parametrize("duplicate", COPIES)
def test_a_mixture(duplicate: Callable[[Any], Any], curve: np.ndarray) -> None:
    mixture = svgm.fit(curve)
    assert mixture.norm > 0  # computed once and cached
    again = duplicate(mixture)
    assert again == mixture
    assert again.norm == mixture.norm
    assert not again.means.flags.writeable
    assert not again.weights.flags.writeable


@pytest.mark.parametrize("duplicate", COPIES)
def test_a_registration(duplicate: Callable[[Any], Any], curve: np.ndarray) -> None:
    result = register(curve, curve + 1.0, search="global")
    again = duplicate(result)
    assert again == result
    assert result.alternatives
    for record in (again, *again.stages, *again.alternatives):
        assert not record.transformation.flags.writeable
    assert not again.centre.flags.writeable
    assert not again.central_covariance.flags.writeable


@pytest.mark.parametrize("duplicate", COPIES)
def test_a_map(duplicate: Callable[[Any], Any]) -> None:
    pytest.importorskip("gtsam")
    walls = storey()
    result = svgm.map([laser_scan(walls, place, seed=k, beams=90) for k, place in enumerate(round_walk(90)[:2])])
    again: MapResult = duplicate(result)
    assert np.array_equal(again.poses, result.poses)
    assert again.as_dict() == result.as_dict()
    assert again.mixture == result.mixture
    for array in (again.poses, again.covariances, again.mixture.means):
        assert not array.flags.writeable


def test_the_time_of_a_proof_is_no_part_of_the_result() -> None:
    corner = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.6], [-1.0, 1.2]])
    result = register(corner, corner + 5.0, search="certified", gap=0.01)
    proof = result.certificate
    assert proof is not None

    def with_proof(**changes: Any) -> RegistrationResult:
        return replace(result, certificate=replace(proof, **changes))

    assert with_proof(seconds=proof.seconds + 1.0) == result
    assert with_proof(boxes=proof.boxes + 1) != result
    assert replace(result, certificate=None) != result
    assert replace(result, confidence=result.confidence + 0.5) != result
