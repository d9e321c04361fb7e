"""What the searches take: landmarks, degenerate sets, mixtures, prepared sets, sensors; and what they refuse."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from svgm import InputError, Mixture, fit, fit_two_class, kde, prepare, register
from svgm.datasets import body, visible
from svgm.rigid import apply, pose
from tests.registration.register.answers import SEARCHES, close, random_pose, valid

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


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"search": "everywhere"}, r"^search must be one of auto, local, global, certified, got 'everywhere'$"),
        ({"search": None}, r"^search must be one of"),
        ({"search": "certified", "gap": 0.0}, r"^gap must"),
        ({"search": "certified", "gap": -1.0}, r"^gap must"),
        ({"search": "certified", "gap": 1e-12}, r"^gap must be positive, from 1e-07"),
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
