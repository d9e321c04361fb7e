"""Registration with full covariances, the default, beside the isotropic algorithm of the paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from svgm import InputError, Mixture, RegistrationResult, fit, prepare, register
from svgm.datasets import body, butterfly, occlude, partial_view
from svgm.registration.tuning import TUNING
from svgm.rigid import apply, exp, invert, log, pose_error

#: Where the target's sensor is, and the source's, 27 and 70 degrees away as seen from the body.
TARGET, SOURCES = (7.0, 4.0, 3.0), {27: (4.0, 6.5, 3.0), 70: (-2.0, 7.5, 3.0)}

MOTION = {2: exp([0.4, 0.3, -0.2]), 3: exp([0.3, -0.2, 0.25, 0.2, 0.1, -0.3])}


def view(seed: int, eye: tuple[float, ...]) -> np.ndarray:
    """Some 2,500 points of the generated body, as a sensor there sees them."""
    return partial_view(body(7_000, seed=seed)[0], eye, noise=0.001, seed=seed)


@pytest.fixture(scope="module")
def views() -> tuple[np.ndarray, np.ndarray]:
    return view(1, SOURCES[27]), view(101, TARGET)


@pytest.fixture(scope="module")
def result(views: tuple[np.ndarray, np.ndarray]) -> RegistrationResult:
    return register(*views)


def degrees(result: RegistrationResult, truth: np.ndarray) -> float:
    return float(np.degrees(pose_error(result.transformation, truth)[0]))


@pytest.mark.parametrize(("angle", "bar"), [(27, 0.06), (70, 0.08)])
def test_partial_views_are_matched_exactly(angle: int, bar: float) -> None:
    """Round components are pulled by what only one view has, flat ones are not."""
    pairs = [(view(seed, SOURCES[angle]), view(seed + 100, TARGET)) for seed in range(5)]
    full = np.median([degrees(register(*pair), np.eye(4)) for pair in pairs])
    isotropic = np.median([degrees(register(*pair, covariance="isotropic"), np.eye(4)) for pair in pairs])
    assert full < bar
    assert full < 0.3 * isotropic


@pytest.mark.parametrize("angle", [27, 70])
def test_the_covariance_is_that_of_the_errors_at_partial_overlap(angle: int) -> None:
    """Of the rotation and of the translation, within a factor of 2.5 over a few samplings."""
    results = [register(view(seed, SOURCES[angle]), view(seed + 100, TARGET)) for seed in range(8)]
    errors = np.array([log(invert(result.transformation)) for result in results])
    predicted = np.median([np.diag(result.covariance) for result in results], axis=0)
    for part in (slice(0, 3), slice(3, 6)):
        ratio = np.sqrt(predicted[part].sum() / np.square(errors[:, part]).sum(axis=1).mean())
        assert 1 / 2.5 < ratio < 2.5


def test_an_outline_cut_in_half() -> None:
    """In 2D: one half of the one set is missing."""
    source = butterfly(600, turns=1, seed=1)
    target = apply(MOTION[2], occlude(butterfly(600, turns=1, seed=2), 0.4, seed=3))
    full, isotropic = (register(source, target, covariance=kind) for kind in ("full", "isotropic"))
    assert degrees(full, MOTION[2]) < 0.5
    assert degrees(full, MOTION[2]) < degrees(isotropic, MOTION[2])


def test_the_fine_levels_are_full_and_the_coarse_ones_round(result: RegistrationResult) -> None:
    assert result.mixtures is not None
    assert all(mixture.covariances is not None for mixture in result.mixtures)
    for stage in result.stages:
        assert stage.mixtures is not None
        for mixture in stage.mixtures:
            assert (mixture.covariances is not None) == (stage.gamma >= TUNING.full_from)
    flatness = [np.sqrt(np.linalg.eigvalsh(mixture.covariances)) for mixture in result.mixtures]
    assert all(np.median(deviations[:, 0] / deviations[:, 2]) < 0.3 for deviations in flatness)


def test_isotropic_has_no_covariances(views: tuple[np.ndarray, np.ndarray]) -> None:
    result = register(*views, covariance="isotropic")
    assert all(mixture.covariances is None for stage in result.stages for mixture in stage.mixtures or ())
    assert result.mixtures is not None
    assert all(mixture.covariances is None for mixture in result.mixtures)
    assert [stage.gamma for stage in result.stages] == pytest.approx(
        0.1 * np.sqrt(10.0) ** np.arange(len(result.stages))
    )  # Algorithm 1: all levels


def test_the_unit_of_length(views: tuple[np.ndarray, np.ndarray], result: RegistrationResult) -> None:
    for unit in (1e-4, 1e5):
        other = register(*(unit * points for points in views))
        assert np.allclose(other.rotation, result.rotation, atol=1e-9)
        assert np.allclose(other.translation, unit * result.translation, atol=1e-9 * unit)
        lengths = np.r_[np.ones(3), np.full(3, unit)]
        assert np.allclose(other.covariance, result.covariance * np.outer(lengths, lengths), rtol=1e-5, atol=0)


def test_any_number_of_threads(views: tuple[np.ndarray, np.ndarray], result: RegistrationResult) -> None:
    for threads in (1, 2, 3):
        assert register(*views, threads=threads) == result


def test_the_other_way_round_is_the_inverse(views: tuple[np.ndarray, np.ndarray], result: RegistrationResult) -> None:
    back = register(*views[::-1])
    apart = log(result.transformation @ back.transformation)
    assert np.linalg.norm(apart) < 1e-4
    assert np.sqrt(np.diag(back.covariance)) == pytest.approx(np.sqrt(np.diag(result.covariance)), rel=0.2)


def test_moving_both_sets(views: tuple[np.ndarray, np.ndarray], result: RegistrationResult) -> None:
    A = exp([0.5, -1.0, 2.0, 10.0, -20.0, 5.0])
    moved = register(*(apply(A, points) for points in views)).transformation
    rotation, translation = pose_error(invert(A) @ moved @ A, result.transformation)
    assert rotation < 1e-3
    assert translation < 3e-3


@pytest.mark.parametrize("d", [2, 3])
def test_mixtures_with_covariances(d: int) -> None:
    points = butterfly(400, turns=1) if d == 2 else body(1500)[0]
    source, target = (fit(p, gamma=40, covariance="full") for p in (points, apply(MOTION[d], points)))
    result = register(source, target)
    assert degrees(result, MOTION[d]) < 0.3
    assert result.mixtures is not None
    # The finest level is as fine as the mixtures: they are used as they are.
    assert [len(mixture) for mixture in result.mixtures] == [len(source), len(target)]
    assert np.allclose(result.mixtures[0].covariances, source.covariances, rtol=1e-9)
    assert degrees(register(source, apply(MOTION[d], points)), MOTION[d]) < 0.5  # a mixture and points
    assert degrees(register(source, fit(apply(MOTION[d], points), gamma=40)), MOTION[d]) < 1.0  # flat and round


def test_a_stray_component_takes_no_covariance_with_it() -> None:
    mixture = fit(butterfly(300, turns=1), gamma=40, covariance="full")
    assert mixture.covariances is not None
    means, weights = np.vstack([mixture.means, [[1e6, 1e6]]]), np.append(mixture.weights, 1e-9)
    own = np.concatenate([mixture.covariances, mixture.covariances[:1]])
    stray = Mixture(means, mixture.variance, weights / weights.sum(), covariances=own)
    prepared = prepare(stray)
    assert prepared.strays == 1
    kept = prepared.full_mixture(mixture.sigma, 1.0, 1.0)
    assert np.allclose(kept.covariances, mixture.covariances, rtol=1e-9)


def test_a_merged_result_covers_both_views(views: tuple[np.ndarray, np.ndarray], result: RegistrationResult) -> None:
    merged = result.merged()
    assert result.mixtures is not None
    assert merged.covariances is not None
    assert max(map(len, result.mixtures)) < len(merged) < sum(map(len, result.mixtures))
    for points in (apply(result.transformation, views[0]), views[1]):
        density = merged.density(points)
        assert np.quantile(density, 0.01) > 10 * merged.density(points + np.array([0.0, 0.0, 8.0])).max()


def test_files_keep_covariances(result: RegistrationResult, tmp_path: Path) -> None:
    result.save(tmp_path / "result.npz")
    loaded = RegistrationResult.load(tmp_path / "result.npz")
    assert loaded == result
    assert loaded.mixtures == result.mixtures
    assert [stage.mixtures for stage in loaded.stages] == [stage.mixtures for stage in result.stages]
    with np.load(tmp_path / "result.npz") as arrays:
        assert int(arrays["version"]) == 2


def test_a_few_points_are_still_registered(curve: np.ndarray, surface: np.ndarray) -> None:
    """Sets too sparse to show a surface finely: not worse than the isotropic algorithm."""
    for points in (curve[::3], surface):
        d = points.shape[1]
        target = apply(MOTION[d], points) + 0.01 * np.random.default_rng(3).normal(size=points.shape)
        full, isotropic = (register(points, target, covariance=kind) for kind in ("full", "isotropic"))
        assert degrees(full, MOTION[d]) < max(1.0, 1.2 * degrees(isotropic, MOTION[d]))


@pytest.mark.parametrize("value", ["diagonal", "Full", None, 3])
def test_refused(curve: np.ndarray, value: object) -> None:
    with pytest.raises(InputError, match=r"^covariance must be one of full, isotropic, got ") as caught:
        register(curve, curve, covariance=value)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
