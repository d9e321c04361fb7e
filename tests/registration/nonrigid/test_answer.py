"""register(transform="nonrigid"): equivariance, occlusion, outliers, noise, files, what the result says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm import Deformation, InputError, RegistrationResult, datasets
from svgm.rigid import apply, exp

CURVE = datasets.butterfly(90, turns=1)


def bend(points: np.ndarray) -> np.ndarray:
    return points + 0.25 * np.sin(0.8 * points[:, ::-1] + [0.3, 1.0])


@pytest.fixture(scope="module")
def result() -> RegistrationResult:
    return svgm.register(CURVE, bend(CURVE), transform="nonrigid")


def error(result: RegistrationResult, points: np.ndarray, truth: np.ndarray) -> float:
    return float(np.linalg.norm(result.apply(points) - truth, axis=1).mean())


def test_a_deformation_is_found_and_described(result: RegistrationResult) -> None:
    assert error(result, CURVE, bend(CURVE)) < 0.005
    assert result.kind == "nonrigid"
    assert isinstance(result.transform, Deformation)
    assert result.warp is not None
    assert result.warp.folds == 0
    assert result.warp.bending > 0
    assert result.warp.outliers < 0.05
    assert result.overlap > 0.95
    assert result.objective < -0.9
    assert "deformed" in repr(result)


def test_turned_outliers_and_a_missing_part(rng: np.random.Generator) -> None:
    pose = exp([2.5, 3.0, -2.0])
    truth = apply(pose, bend(CURVE))
    clutter = rng.uniform(truth.min(axis=0), truth.max(axis=0), size=(45, 2))
    found = svgm.register(CURVE, np.concatenate([truth, clutter]), transform="nonrigid")
    assert error(found, CURVE, truth) < 0.05
    assert found.warp is not None
    assert 0.2 < found.warp.outliers < 0.45
    part = svgm.register(CURVE, truth[:70], transform="nonrigid")
    assert error(part, CURVE[:70], truth[:70]) < 0.05
    assert part.warp is not None
    assert part.warp.partners[:60].mean() > 0.9 > 0.5 > part.warp.partners[80:].mean()


def test_units_and_rigid_motions_carry_the_answer(result: RegistrationResult) -> None:
    moved = result.apply(CURVE)
    there, here = exp([0.7, 4.0, 1.0]), exp([-1.1, 0.5, 9.0])
    other = svgm.register(apply(here, 1000.0 * CURVE), apply(there, 1000.0 * bend(CURVE)), transform="nonrigid")
    expected = apply(there, 1000.0 * moved)
    assert np.abs(other.apply(apply(here, 1000.0 * CURVE)) - expected).max() < 1.0


def test_the_same_input_gives_the_same_output(result: RegistrationResult, tmp_path: Path) -> None:
    again = svgm.register(CURVE, bend(CURVE), transform="nonrigid")
    assert again == result
    for suffix in ("npz", "json"):
        result.save(tmp_path / f"result.{suffix}")
        loaded = RegistrationResult.load(tmp_path / f"result.{suffix}")
        assert loaded == result
        assert loaded.transform == result.transform


def test_the_merged_mixture_holds_the_warped_source(result: RegistrationResult) -> None:
    merged = result.merged()
    assert np.abs(merged.means).max() < 1.2 * np.abs(bend(CURVE)).max()


def test_a_local_search_starts_from_the_initial_pose_and_pairs_help() -> None:
    near = svgm.register(CURVE, bend(CURVE), transform="nonrigid", search="local")
    assert near.search == "local"
    assert error(near, CURVE, bend(CURVE)) < 0.01
    pairs = np.column_stack([np.arange(0, 90, 15)] * 2)
    pose = exp([3.0, 0.0, 0.0])
    truth = apply(pose, bend(CURVE))
    held = svgm.register(CURVE, truth, transform="nonrigid", search="local", pairs=pairs)
    assert error(held, CURVE, truth) < 0.02


def test_three_dimensions(rng: np.random.Generator) -> None:
    body = rng.normal(size=(150, 3)) * [2.0, 1.0, 0.5]
    truth = body + 0.1 * np.sin(body[:, [1, 2, 0]])
    found = svgm.register(body, truth, transform="nonrigid", search="local")
    assert error(found, body, truth) < 0.01
    assert found.central_covariance.shape == (6, 6)


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="search"):
        svgm.register(CURVE, CURVE, transform="nonrigid", search="certified")
    line = np.column_stack([np.linspace(0, 1, 30)] * 2)
    with pytest.raises(InputError, match="span the space"):
        svgm.register(line, CURVE, transform="nonrigid")
