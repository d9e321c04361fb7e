"""register(search=...): from a start, from everywhere, with a proof; and what the result says of itself."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from benchmarks.datasets import dragon_scans, relative
from svgm import InputError, Mixture, RegistrationResult, fit, fit_two_class, kde, prepare, register
from svgm.rigid import apply, exp, invert, pose, pose_error
from svgm.search.distinct import apart
from svgm.search.rotations import even_rotations
from svgm.shapes import body, visible

SEARCHES = ("auto", "local", "global", "certified")


def random_pose(d: int, seed: int, reach: float = 5.0) -> np.ndarray:
    """Any rotation, and a translation beyond the sets' size."""
    rng = np.random.default_rng(seed)
    q, r = np.linalg.qr(rng.normal(size=(d, d)))
    q = q * np.sign(np.diag(r))
    q[:, 0] *= np.sign(np.linalg.det(q))
    return pose(q, rng.uniform(-reach, reach, size=d))


def close(T: np.ndarray, reference: np.ndarray, rotation: float = 0.03, translation: float = 0.05) -> bool:
    errors = pose_error(T, reference)
    return errors[0] <= rotation and errors[1] <= translation


def valid(result: RegistrationResult) -> None:
    """Finite, rigid, in range, and nothing that JSON does not know."""
    d = result.dimension
    assert np.isfinite(result.transformation).all()
    assert np.isfinite(result.covariance).all()
    assert np.isfinite(result.objective)
    assert np.allclose(result.rotation @ result.rotation.T, np.eye(d), atol=1e-9)
    assert np.linalg.det(result.rotation) > 0
    assert 0.0 <= result.confidence <= 1.0
    assert 0.0 <= result.overlap <= 1.0
    assert result.search in ("local", "global", "certified")
    assert (result.certificate is not None) == (result.search == "certified")
    scores = [other.score for other in result.alternatives]
    assert scores == sorted(scores, reverse=True)
    assert np.isfinite(scores).all()
    record = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert record["search"] == result.search
    assert record["trusted"] == result.trusted
    assert record["ambiguous"] == result.ambiguous
    assert len(record["alternatives"]) == len(result.alternatives)
    assert np.array_equal(record["transformation"], result.transformation)


@pytest.fixture(scope="module", params=["curve", "surface"])
def problem(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A shape, itself moved by much with some noise, and the motion."""
    points = request.getfixturevalue(request.param)
    T = random_pose(points.shape[1], 3)
    return points, apply(T, points) + 0.01 * np.random.default_rng(1).normal(size=points.shape), T


@pytest.fixture(scope="module")
def answer(problem: tuple[np.ndarray, np.ndarray, np.ndarray]) -> RegistrationResult:
    return register(*problem[:2], search="global")


# Everywhere


@pytest.mark.parametrize("seed", range(6))
def test_any_pose_is_found_in_2d(dense_curve: np.ndarray, seed: int) -> None:
    T = random_pose(2, seed)
    result = register(dense_curve[::20], apply(T, dense_curve[7::20]), search="global")
    assert close(result.transformation, T)
    assert result.search == "global"
    valid(result)


def test_any_pose_is_found_in_3d(dense_surface: np.ndarray) -> None:
    T = random_pose(3, 0)
    result = register(dense_surface[::20], apply(T, dense_surface[7::20]), search="global")
    assert close(result.transformation, T)
    assert not result.ambiguous
    assert all(not close(other.transformation, result.transformation) for other in result.alternatives)
    valid(result)


def test_neither_the_start_nor_the_number_of_threads_matters(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray], answer: RegistrationResult
) -> None:
    source, target, truth = problem
    assert close(answer.transformation, truth)
    d = source.shape[1]
    for threads in (1, 3) if d == 2 else (3,):
        assert register(source, target, init=random_pose(d, 8), search="global", threads=threads) == answer


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_the_unit_of_length(curve: np.ndarray, unit: float) -> None:
    target = apply(random_pose(2, 3), curve)
    one, other = register(curve, target, search="global"), register(unit * curve, unit * target, search="global")
    assert np.allclose(other.rotation, one.rotation, atol=1e-6)
    assert np.allclose(other.translation, unit * one.translation, atol=1e-5 * unit)
    assert other.confidence == pytest.approx(one.confidence, abs=0.02)
    assert other.overlap == pytest.approx(one.overlap, abs=0.02)


def test_moving_either_set_and_the_unit_of_length(
    problem: tuple[np.ndarray, np.ndarray, np.ndarray], answer: RegistrationResult
) -> None:
    source, target, _ = problem
    d = source.shape[1]
    unit = 1e3
    A, B = random_pose(d, 21, 100.0), random_pose(d, 22, 100.0)
    moved = register(unit * apply(A, source), unit * apply(B, target), search="global")
    back = invert(B) @ pose(moved.rotation, moved.translation / unit) @ A
    assert close(back, answer.transformation, 0.01, 0.01)
    assert moved.confidence == pytest.approx(answer.confidence, abs=0.15)


def test_survey_coordinates(curve: np.ndarray) -> None:
    T = random_pose(2, 3)
    near = register(curve, apply(T, curve), search="global")
    offset = np.array([4e5, 5e6])
    far = register(curve + offset, apply(T, curve) - offset, search="global")
    assert np.allclose(far.rotation, near.rotation, atol=1e-6)


def test_a_part_of_the_whole_in_2d(dense_curve: np.ndarray) -> None:
    T = random_pose(2, 31)
    part = dense_curve[200:1500:10]
    result = register(part, apply(T, dense_curve[::15]), search="global")
    assert close(result.transformation, T, 0.05, 0.05)
    assert result.overlap > 0.8
    back = register(apply(T, dense_curve[::15]), part, search="global")
    assert close(back.transformation, invert(T), 0.05, 0.3)
    assert back.overlap < result.overlap


# Automatic


def test_auto_keeps_a_trusted_local_answer(dense_surface: np.ndarray, dense_curve: np.ndarray) -> None:
    for points, T in ((dense_curve[::8], exp([0.3, 0.2, 0.1])), (dense_surface[::5], exp([0.2, -0.1, 0.2, 0.1, 0, 0]))):
        target = apply(T, points)
        local, auto = register(points, target, search="local"), register(points, target, search="auto")
        assert local.trusted
        assert np.array_equal(auto.transformation, local.transformation)
        assert auto.search == "local"
        assert close(auto.transformation, T, 2e-3, 2e-3)
        assert register(points, target) == auto


@pytest.mark.parametrize("shape", ["dense_curve", "dense_surface"])
def test_auto_searches_elsewhere_when_the_start_is_hopeless(shape: str, request: pytest.FixtureRequest) -> None:
    points = request.getfixturevalue(shape)[::20]
    d = points.shape[1]
    T = pose(even_rotations(7, d)[3], np.full(d, 200.0))
    target = apply(T, points)
    start = T @ pose(np.eye(d), np.full(d, 500.0))
    local = register(points, target, init=start, search="local")
    assert not local.trusted
    result = register(points, target, init=start)
    assert close(result.transformation, T, 0.01, 0.05)
    assert result.confidence > local.confidence
    turned = register(points, target, init=start @ pose(even_rotations(7, d)[2], np.zeros(d)))
    assert close(turned.transformation, T, 0.01, 0.05)


def test_wrong_answers_are_believed_less(dense_surface: np.ndarray) -> None:
    source, target = dense_surface[::8], dense_surface[4::8]
    right = register(source, target, search="local")
    turned = register(source, target, init=exp([np.pi, 0, 0, 0, 0, 0]), search="local", gamma=10.0, annealing=None)
    assert pose_error(turned.transformation, np.eye(4))[0] > 0.5
    assert turned.confidence < right.confidence
    assert turned.overlap < right.overlap


def test_sets_that_have_nothing_in_common(rng: np.random.Generator, dense_curve: np.ndarray) -> None:
    """A blob of noise and a shape: whatever the answer, it is not to be believed."""
    noise, shape = rng.normal(size=(200, 2)), dense_curve[::15]
    same = register(shape, dense_curve[7::15], search="global")
    for pair in ((noise, shape), (shape, noise)):
        result = register(*pair, search="global")
        valid(result)
        assert not result.trusted
        assert result.confidence < 0.8 * same.confidence


# Symmetric shapes


def rectangle(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    s = (np.arange(n) + rng.uniform(0, 1)) * 10.0 / n % 10.0
    return np.select(
        [(s < 3)[:, None], (s < 5)[:, None], (s < 8)[:, None]],
        [np.c_[s, 0 * s], np.c_[3 + 0 * s, s - 3], np.c_[8 - s, 2 + 0 * s]],
        np.c_[0 * s, 10 - s],
    )


def box(n: int, seed: int) -> np.ndarray:
    """The surface of a box with sides 3, 2 and 1."""
    rng = np.random.default_rng(seed)
    sides = np.array([3.0, 2.0, 1.0])
    areas = np.array([2.0, 3.0, 6.0])
    face = rng.choice(3, size=n, p=areas / areas.sum())
    points = rng.uniform(0, 1, size=(n, 3))
    points[np.arange(n), face] = np.round(points[np.arange(n), face])
    return points * sides


def test_a_rectangle_has_two_answers() -> None:
    T = random_pose(2, 5)
    source, target = rectangle(300, 1), apply(T, rectangle(300, 2))
    result = register(source, target, search="global")
    half = pose(-np.eye(2), np.array([3.0, 2.0]))
    found = [result.transformation, *(other.transformation for other in result.alternatives if other.score > 0.7)]
    for wanted in (T, T @ half):
        assert any(close(pose, wanted, 0.05, 0.1) for pose in found)
    assert result.ambiguous
    valid(result)


def test_a_box_has_four_answers() -> None:
    T = random_pose(3, 6)
    source, target = box(1200, 1), apply(T, box(1200, 2))
    result = register(source, target, search="global")
    found = [result.transformation, *(other.transformation for other in result.alternatives if other.score > 0.7)]
    for signs in ([1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]):
        turn = np.diag(np.array(signs, dtype=float))
        symmetry = pose(turn, (np.eye(3) - turn) @ [1.5, 1.0, 0.5])
        assert any(close(pose, T @ symmetry, 0.05, 0.1) for pose in found)
    assert result.ambiguous
    valid(result)


# A proof


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
    result = register(curve, curve, search="certified", gamma=1.0, gap=gap, progress=lambda *call: calls.append(call))
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


# Few points, and other representations


LANDMARKS = {
    2: np.array([[0.0, 0.0], [3.0, 0.2], [1.0, 2.0], [-1.0, 0.7], [2.0, -1.5]]),
    3: np.array(
        [[0.0, 0.0, 0.0], [3.0, 0.2, 0.5], [1.0, 2.0, -0.4], [-1.0, 0.7, 1.9], [2.0, -1.5, 1.0], [0.3, 1.1, -2.0]]
    ),
}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(("d", "n"), [(2, 3), (3, 4)])
def test_a_few_landmarks(d: int, n: int, search: str) -> None:
    points = LANDMARKS[d][:n]
    T = random_pose(d, 12)
    valid(register(points, apply(T, points), search=search, gap=0.1, seconds=0.05))


@pytest.mark.parametrize(("d", "n"), [(2, 4), (2, 5), (3, 6)])
def test_landmarks_are_found_from_everywhere(d: int, n: int) -> None:
    points = LANDMARKS[d][:n]
    for seed in range(1 if d == 3 else 3):
        T = random_pose(d, seed)
        result = register(points, apply(T, points), search="global")
        assert close(result.transformation, T, 0.02, 0.05)
        far = pose(np.eye(d), np.full(d, 1e3)) @ T
        assert close(register(points, apply(far, points)).transformation, far, 0.02, 0.05)  # auto


@pytest.mark.parametrize(("shape", "search"), [("line", "auto"), ("plane", "certified")])
def test_degenerate_sets(shape: str, search: str) -> None:
    s = np.linspace(-1.0, 1.0, 40)
    points = {
        "line": s[:, None] * np.array([1.0, 2.0, 0.5]),
        "plane": np.array(list(product(s[::6], 0.7 * s[::8], [0.0]))),
    }[shape]
    valid(register(points, points, search=search, gap=0.1, seconds=0.2))


def test_ready_mixtures(curve: np.ndarray) -> None:
    source, truth = curve, random_pose(2, 3)
    target = apply(truth, curve)
    for mixtures in (
        (fit(source, gamma=16), target),
        (fit(source, gamma=16), fit(target, gamma=16)),
        (source, kde(target, gamma=16)),
        (fit(source, gamma=4), target),
        (source, fit(target, gamma=4)),
    ):
        result = register(*mixtures, search="global")
        valid(result)
        assert close(result.transformation, truth, 0.1, 0.15)


def test_signed_and_coarse_mixtures_are_no_error(curve: np.ndarray) -> None:
    target = apply(random_pose(2, 3), curve)
    valid(register(fit_two_class(curve, gamma=30), fit_two_class(target, gamma=30), search="global"))
    valid(register(fit(curve, gamma=0.5), fit(target, gamma=0.5), search="global"))
    two = Mixture([[0.0, 0.0], [1.0, 0.0]], 1.0, [0.5, 0.5])
    for search in SEARCHES:
        valid(register(two, curve, search=search, gap=0.1, seconds=0.2))


def test_prepared_sets(curve: np.ndarray) -> None:
    T = random_pose(2, 6)
    prepared = prepare(apply(T, curve))
    first = register(curve, prepared, search="global")
    assert close(first.transformation, T)
    assert register(curve, prepared, search="global") == first
    assert np.array_equal(register(prepare(curve), prepared, search="global").transformation, first.transformation)


def test_without_annealing(curve: np.ndarray) -> None:
    T = random_pose(2, 9)
    for search in ("auto", "global", "certified"):
        result = register(curve, apply(T, curve), search=search, annealing=None, gamma=8.0, gap=0.1)
        assert close(result.transformation, T, 0.05, 0.05)


def test_outliers_far_away(dense_surface: np.ndarray, rng: np.random.Generator) -> None:
    T = random_pose(3, 14)
    junk = rng.normal(size=(5, 3)) * 30.0
    result = register(np.concatenate([dense_surface[::20], junk]), apply(T, dense_surface[9::20]), search="global")
    valid(result)
    assert apart(result.transformation[None], T)[0] < 0.3


# Sensors


def test_known_sensors() -> None:
    points, _ = body(12_000)
    sensors = np.array([[0.0, 3.0, 8.0], [0.0, -3.0, 8.0]])
    left, right = (points[visible(points, sensor)][::2] for sensor in sensors)
    T = random_pose(3, 15)
    result = register(left, apply(T, right), search="global", viewpoint=[sensors[0], apply(T, sensors[1:])[0]])
    valid(result)
    assert close(result.transformation, T, 0.05, 0.05)


def test_one_viewpoint_serves_both_sets(curve: np.ndarray) -> None:
    result = register(curve, curve, search="local", viewpoint=[0.0, 9.0])
    valid(result)
    assert close(result.transformation, np.eye(3))
    assert register(curve, curve, search="local", viewpoint=[[0, 9], [0, 9]]) == result


# Refused


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"search": "everywhere"}, r"^search must be one of auto, local, global, certified, got 'everywhere'$"),
        ({"search": None}, r"^search must be one of"),
        ({"search": "certified", "gap": 0.0}, r"^gap must"),
        ({"search": "certified", "gap": -1.0}, r"^gap must"),
        ({"search": "certified", "gap": 1e-12}, r"^gap must be at least"),
        ({"search": "certified", "gap": float("nan")}, r"^gap must"),
        ({"search": "certified", "gap": "small"}, r"^gap must"),
        ({"search": "certified", "seconds": -1.0}, r"^seconds must"),
        ({"search": "certified", "seconds": "soon"}, r"^seconds must"),
        ({"search": "certified", "seconds": float("nan")}, r"^seconds must"),
        ({"viewpoint": [1.0, 2.0, 3.0]}, r"^viewpoint must be 2 finite coordinates"),
        ({"viewpoint": [1.0, np.nan]}, r"^viewpoint must be 2 finite coordinates"),
        ({"viewpoint": [[1.0, 2.0]] * 3}, r"^viewpoint must be 2 finite coordinates"),
        ({"viewpoint": "here"}, r"^viewpoint must"),
        ({"viewpoint": 3.0}, r"^viewpoint must"),
    ],
)
def test_refused(curve: np.ndarray, options: dict, match: str) -> None:
    with pytest.raises(InputError, match=match) as caught:
        register(curve, curve, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("options", [{"gap": 0.0}, {"seconds": -1.0}])
def test_refused_in_every_mode(curve: np.ndarray, options: dict) -> None:
    for search in SEARCHES:
        with pytest.raises(InputError):
            register(curve, curve, search=search, **options)


# Real scans


def test_dragon_scans_96_degrees_apart(data: Path) -> None:
    scans, poses = dragon_scans()
    source, target = scans[3], scans[7]
    truth = relative(poses, 3, 7)
    assert np.degrees(pose_error(np.eye(4), truth)[0]) == pytest.approx(96.0, abs=2.0)
    result = register(source, target, search="global")
    assert np.degrees(pose_error(result.transformation, truth)[0]) < 1.0
    local = register(source, target, search="local")
    assert np.degrees(pose_error(local.transformation, truth)[0]) > 5.0
    assert not local.trusted
    assert local.confidence < result.confidence
