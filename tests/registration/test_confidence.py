"""What a result says of itself: wrong answers are believed less, symmetric shapes have several."""

from __future__ import annotations

import numpy as np

from svgm import register
from svgm.rigid import apply, exp, pose, pose_error
from tests.registration.register.answers import close, random_pose, valid


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
