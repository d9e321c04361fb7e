"""The result of a similarity or an affine map: its covariance, its mixtures, its files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm import RegistrationResult, rigid
from svgm.registration.linear.answer import as_rigid
from tests.registration.linear.shapes import outline

SCALE = 4.0


@pytest.fixture(scope="module")
def pair() -> tuple[np.ndarray, np.ndarray]:
    return outline(300), outline(300, seed=1)


@pytest.fixture(scope="module")
def similarity(pair: tuple[np.ndarray, np.ndarray]) -> RegistrationResult:
    return svgm.register(SCALE * pair[0], pair[1], transform="similarity", threads=1)


@pytest.fixture(scope="module")
def affine(pair: tuple[np.ndarray, np.ndarray]) -> RegistrationResult:
    return svgm.register(pair[0] @ np.diag([0.5, 1.0]), pair[1], transform="affine", threads=1)


def test_the_parts_of_a_similarity(similarity: RegistrationResult) -> None:
    assert np.allclose(similarity.rotation @ similarity.rotation.T, np.eye(2))
    assert np.allclose(similarity.scale * similarity.rotation, similarity.transformation[:2, :2])
    assert similarity.transform.kind == "similarity"
    assert "similarity, scale 0.25" in repr(similarity)


def test_the_covariance_is_in_the_units_of_the_source(
    similarity: RegistrationResult, pair: tuple[np.ndarray, np.ndarray]
) -> None:
    """It is that of the rigid registration of the scaled source, and the target's errors are the same."""
    carried = SCALE * similarity.scale * pair[0]
    pose = rigid.pose(similarity.rotation, similarity.translation)
    scaled = svgm.register(carried, svgm.prepare(pair[1]), init=pose, threads=1)
    assert np.allclose(similarity.centre, SCALE * pair[0].mean(axis=0))
    place = pair[0][:5]
    ours = similarity.covariance_at(SCALE * place)
    theirs = scaled.covariance_at(SCALE * similarity.scale * place)
    assert np.allclose(ours, theirs, rtol=0.05)


def test_the_covariance_of_an_affine_map_is_in_the_frame_of_the_target(affine: RegistrationResult) -> None:
    errors = affine.covariance_at(np.linalg.solve(affine.transformation[:2, :2], affine.centre)[None])
    assert np.allclose(errors[0], affine.central_covariance[1:, 1:])


@pytest.mark.parametrize("kind", ["similarity", "affine"])
def test_the_mixtures_are_in_the_coordinates_of_their_sets(kind: str, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(kind)
    source, target = result.mixtures
    moved = source.transformed(result.transformation)
    assert moved.inner_product(target) / moved.norm / target.norm == pytest.approx(-result.objective, abs=1e-3)
    for stage in result.stages:
        assert stage.mixtures is not None


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("kind", ["similarity", "affine"])
def test_files(kind: str, suffix: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(kind)
    result.save(tmp_path / f"result{suffix}")
    loaded = RegistrationResult.load(tmp_path / f"result{suffix}")
    assert loaded == result
    assert loaded.kind == kind


@pytest.mark.parametrize("kind", ["similarity", "affine"])
def test_as_rigid_is_the_registration_of_the_carried_source(
    kind: str, pair: tuple[np.ndarray, np.ndarray], request: pytest.FixtureRequest
) -> None:
    result = request.getfixturevalue(kind)
    first, rest = as_rigid(result)
    points = (SCALE if kind == "similarity" else np.array([0.5, 1.0])) * pair[0]
    assert rest.kind == "rigid"
    assert np.allclose(rest.transform.apply(points @ first.T), result.transform.apply(points))
    assert np.allclose(rest.covariance_at(points[:3] @ first.T), result.covariance_at(points[:3]))
    assert len(rest.stages) == len(result.stages)
    assert len(rest.alternatives) == len(result.alternatives)
    source, target = rest.mixtures
    moved = source.transformed(rest.transformation)
    assert moved.inner_product(target) / moved.norm / target.norm == pytest.approx(-result.objective, abs=1e-3)
