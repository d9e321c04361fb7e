"""Certified search: proofs that hold, and repeat."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.search.certified import violations
from svgm import InputError, Mixture
from svgm.geometry.points import Array
from svgm.registration.objective import Objective
from svgm.registration.prepared import as_prepared
from svgm.registration.search import branch_and_bound
from svgm.registration.search.branch_and_bound import BoundedObjective, certify
from svgm.rigid import invert, pose, pose_error, rotation_exp


def bent(n: int, d: int, variance: float = 0.05) -> Mixture:
    """Some components along a bent line without symmetry, of unequal weights, centred."""
    s = np.linspace(-1.0, 1.0, n)
    means = np.c_[1.2 * s, 0.8 * s**2, 0.5 * s**3 + 0.3 * np.cos(4 * s)][:, :d]
    weights = 1.0 + 0.5 * s
    return Mixture(means - means.mean(axis=0), variance, weights / weights.sum())


def turned(mixture: Mixture, omega: list[float], shift: list[float]) -> tuple[Mixture, Array]:
    T = pose(rotation_exp(np.array(omega), mixture.dimension), np.array(shift))
    return mixture.transformed(T), T


def test_no_sampled_pose_beats_a_bound() -> None:
    checked, violated, tightest = violations(20_000, 3)
    assert checked >= 20_000
    assert violated == 0
    assert 0.0 < tightest < 1e-6  # tiny boxes have tight bounds


def test_bounds_converge_at_third_order() -> None:
    mixture = bent(8, 2)
    problem = BoundedObjective(mixture, mixture, 1)
    boxes = branch_and_bound.roots(2, 1.0)
    losses = []
    for size in (0.08, 0.04, 0.02):
        small = type(boxes)(boxes.charts, np.array([[0.3, 0.2, -0.1]]), np.full((1, 3), size))
        upper, _ = problem.bound(small)
        grid = np.linspace(-size, size, 9)
        places = small.centres + np.array(np.meshgrid(grid, grid, grid)).reshape(3, -1).T
        inside = type(boxes)(np.zeros(len(places), np.int64), places, np.zeros_like(places))
        losses.append(float(upper[0] - problem.bound(inside)[1].max()))
    assert losses[1] < losses[0] / 5
    assert losses[2] < losses[1] / 5


def test_a_gaussian_exceeds_its_taylor_polynomial_by_no_more_than_the_core_says() -> None:
    """The constants in bound_loop.cpp, on a grid of distances a, lengths r and directions."""
    r = np.geomspace(1e-2, 8.0, 400)[:, None]
    for a in np.arange(0.0, 8.0, 0.05):
        e = np.exp(-0.5 * a**2)
        y = a * r * np.linspace(-1.0, 1.0, 201)
        excess = e * (np.exp(-y - 0.5 * r**2) - 1.0 + y - 0.5 * y**2 + 0.5 * r**2) / r**2
        worst = np.maximum.accumulate(excess.max(axis=1))
        reach = r[:, 0]
        beside = 0.5 * (1.0 - (1.0 - np.minimum(reach, 6.0) / 6.0) ** 4) * e
        straight = (np.exp(-0.5 * (a - reach) ** 2) - e * (1.0 + a * reach + 0.5 * (a**2 - 1.0) * reach**2)) / reach**2
        anyhow = min(0.0898, (0.44627 - (a**2 - 1.0) * e) / 3.0)
        rising = (reach <= min(1.75 * (a - 1.7320508), a - 1.08)) | (a <= 1.7320508)
        bound = np.maximum(beside, np.where(rising, straight, anyhow))
        assert (worst <= bound + 1e-12).all(), a


@pytest.mark.parametrize(("d", "omega", "shift"), [(2, [2.5], [0.4, -0.2]), (3, [1.0, -2.0, 0.5], [0.1, 0.2, -0.3])])
def test_finds_a_known_motion_and_proves_it(d: int, omega: list[float], shift: list[float]) -> None:
    target = bent(6, d, 0.1 if d == 2 else 0.4)  # in 3D wide Gaussians halve the work
    source, T = turned(target, omega, [0.0] * d)
    moved, back = turned(target, [0.0] * len(omega), shift)
    found, proof = certify(source, moved)
    assert proof.complete
    assert proof.gap <= proof.requested == 1e-3
    assert proof.bound <= -1.0 + 1e-9
    assert proof.objective == pytest.approx(-1.0, abs=1e-8)
    assert max(pose_error(found, back @ invert(T))) < 1e-4


def test_a_different_target_has_a_valid_bound(rng: np.random.Generator) -> None:
    source, target = bent(7, 2, 0.02), Mixture(rng.normal(size=(5, 2)), 0.1, np.full(5, 0.2))
    found, proof = certify(source, target, gap=1e-4)
    objective = Objective(source, target)
    assert objective(found[None])[0][0] == pytest.approx(proof.objective, abs=1e-12)
    angles, shifts = rng.uniform(-np.pi, np.pi, (20_000, 1)), rng.normal(0.0, 1.0, (20_000, 2))
    assert objective(pose(rotation_exp(angles, 2), shifts))[0].min() >= proof.bound


def test_repeats_whatever_the_threads() -> None:
    source, target = bent(6, 2), bent(9, 2, 0.03)
    runs = [certify(source, target, threads=threads) for threads in (1, 2, 1)]
    assert len({(run[0].tobytes(), run[1].objective, run[1].bound, run[1].boxes) for run in runs}) == 1


def test_few_kept_boxes_change_the_order_only(monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = bent(9, 2, 0.005), bent(9, 2, 0.003)
    _, usual = certify(source, target)
    monkeypatch.setattr(branch_and_bound, "KEPT_BOXES", 100)
    monkeypatch.setattr(branch_and_bound, "BATCH", (64, 64))
    _, narrow = certify(source, target)
    assert narrow.complete
    assert narrow.objective == pytest.approx(usual.objective, rel=1e-9)
    assert narrow.boxes <= 1.2 * usual.boxes


def test_out_of_time_the_bound_still_holds() -> None:
    calls: list[tuple[object, ...]] = []
    mixture = bent(20, 3, 0.01)
    _, proof = certify(mixture, mixture, seconds=0.0, progress=lambda *call: calls.append(call))
    assert not proof.complete
    assert proof.bound < -1.001
    assert [call[::2] for call in calls] == [("proving", 100)]
    assert 0 <= calls[0][1] < 100


def test_good_starts_are_kept() -> None:
    target = bent(6, 2, 0.02)
    source, T = turned(target, [1.0], [0.0, 0.0])
    _, proof = certify(source, target, starts=invert(T)[None], gap=0.5, seconds=0.0)
    assert proof.objective == pytest.approx(-1.0, abs=1e-9)


def test_one_component_each_and_points_in_one_place() -> None:
    single = Mixture([[0.0, 0.0, 0.0]], 0.2, [1.0])
    _, proof = certify(single, Mixture([[0.3, 0.0, 0.0], [0.3, 0.0, 0.0]], 0.1, [0.5, 0.5]))
    assert proof.complete
    assert proof.bound <= proof.objective


def test_interrupts_get_through() -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        certify(bent(9, 2), bent(9, 2), progress=stop)


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="2D or 3D"):
        certify(bent(5, 2), bent(5, 3))
    with pytest.raises(InputError, match="positive"):
        certify(bent(5, 2), Mixture([[0.0, 0.0], [1.0, 0.0]], 0.1, [1.0, -0.5]))
    with pytest.raises(InputError, match="gap"):
        certify(bent(5, 2), bent(5, 2), gap=0.0)


def test_real_sets_in_the_plane(data: Path) -> None:
    points = np.loadtxt(data / "shapes_2d" / "fish.txt")
    turn = rotation_exp(np.array([2.0]), 2)
    moving, fixed = as_prepared(points @ turn.T, 0.01, "source"), as_prepared(points, 0.01, "target")
    sigma = fixed.scale / np.sqrt(10.0)
    found, proof = certify(moving.mixture(sigma, moving.radius), fixed.mixture(sigma, moving.radius), threads=2)
    assert proof.complete
    assert pose_error(found, pose(turn.T, np.zeros(2)))[0] < 1e-3
