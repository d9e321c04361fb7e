"""Directions that the data do not hold: named for planes, corridors, balls, cylinders, lines and rings, else not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from svgm import RegistrationResult, Undetermined, datasets, register
from svgm.registration.undetermined import information_without
from svgm.rigid import apply, exp

Scan = Callable[[np.random.Generator], np.ndarray]


def plane(rng: np.random.Generator) -> np.ndarray:
    return np.c_[rng.uniform(-1, 1, (3000, 2)), 0.005 * rng.normal(size=3000)]


def shifted_plane(rng: np.random.Generator) -> np.ndarray:
    """The second of two such sheets overlaps the first one in part."""
    return plane(rng) + np.array([rng.uniform(0, 0.6), 0.0, 0.0])


def corridor(rng: np.random.Generator) -> np.ndarray:
    x = rng.uniform(-5, 5, 4000) + rng.uniform(0, 2)
    y, z = rng.uniform(-1, 1, (2, 4000))
    wall = np.arange(4000) % 4
    section = np.choose(wall, [y, y, 1.0, -1.0]), np.choose(wall, [1.0, -1.0, z, z])
    return np.c_[x, section[0], section[1]] + 0.005 * rng.normal(size=(4000, 3))


def ball(rng: np.random.Generator) -> np.ndarray:
    points = rng.normal(size=(3000, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] + 0.005 * rng.normal(size=(3000, 3))


def cylinder(rng: np.random.Generator) -> np.ndarray:
    angle = rng.uniform(0, 2 * np.pi, 4000)
    points = np.c_[np.cos(angle), np.sin(angle), rng.uniform(-3, 3, 4000)]
    return points + 0.005 * rng.normal(size=(4000, 3))


def line(rng: np.random.Generator) -> np.ndarray:
    return np.c_[rng.uniform(-1, 1, 400) + rng.uniform(0, 0.4), 0.004 * rng.normal(size=400)]


def ring(rng: np.random.Generator) -> np.ndarray:
    angle = rng.uniform(0, 2 * np.pi, 400)
    return np.c_[np.cos(angle), np.sin(angle)] + 0.004 * rng.normal(size=(400, 2))


CASES = {
    "plane": (plane, ["rotation", "translation", "translation"]),
    "plane, overlap in part": (shifted_plane, ["rotation", "translation", "translation"]),
    "corridor": (corridor, ["translation"]),
    "ball": (ball, ["rotation", "rotation", "rotation"]),
    "cylinder": (cylinder, ["rotation", "translation"]),
    "line": (line, ["translation"]),
    "ring": (ring, ["rotation"]),
}


def kinds(result: RegistrationResult) -> list[str]:
    return sorted(each.kind for each in result.undetermined)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", CASES)
def test_named(name: str, seed: int) -> None:
    make, expected = CASES[name]
    rng = np.random.default_rng(seed)
    result = register(make(rng), make(rng), search="local")
    assert kinds(result) == expected
    assert not result.trusted
    eigenvalues = np.linalg.eigvalsh(result.central_covariance)
    assert eigenvalues.min() > 0
    assert np.isfinite(eigenvalues).all()
    information = result.information
    assert np.array_equal(information, information.T)
    assert np.linalg.eigvalsh(information).min() >= -1e-9 * np.abs(information).max()
    for each in result.undetermined:
        scale = np.abs(information).max() * np.abs(each.tangent).max()
        assert np.abs(information @ each.tangent).max() <= 1e-9 * scale


def test_where_they_point() -> None:
    rng = np.random.default_rng(3)
    (along,) = register(corridor(rng), corridor(rng), search="local").undetermined
    assert abs(along.direction[0]) > 0.999
    shift = np.array([10.0, -20.0, 30.0])
    found = register(cylinder(rng) + shift, cylinder(rng) + shift, search="local").undetermined
    turn = next(each for each in found if each.kind == "rotation")
    assert abs(turn.direction[2]) > 0.999
    assert np.allclose(turn.point[:2], shift[:2], atol=0.05)
    (turn,) = register(ring(rng) + shift[:2], ring(rng) + shift[:2], search="local").undetermined
    assert np.allclose(turn.point, shift[:2], atol=0.05)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e4])
def test_units_and_frames_change_nothing(unit: float) -> None:
    rng = np.random.default_rng(5)
    source, target = corridor(rng), corridor(rng)
    motion = exp([0.4, -0.3, 0.7, 3.0, 1.0, -2.0])
    one = register(source, target, search="local").undetermined
    # The source in another frame, its initial pose with it.
    moved = register(unit * apply(motion, source), unit * apply(motion, target), search="local").undetermined
    assert [each.kind for each in moved] == [each.kind for each in one]
    turned = motion[:3, :3] @ one[0].direction
    assert abs(turned @ moved[0].direction) > 0.999


def test_not_named() -> None:
    view = [
        datasets.partial_view(datasets.body(7000, seed=k)[0], eye, noise=0.001, seed=k)
        for k, eye in enumerate([(7.0, 4.0, 3.0), (4.0, 6.5, 3.0)])
    ]
    assert not register(*view).undetermined
    rng = np.random.default_rng(0)
    curve = datasets.butterfly(4000, turns=1)
    one, other = (curve[rng.integers(0, 4000, 300)] + 0.01 * rng.normal(size=(300, 2)) for _ in range(2))
    assert not register(one, other).undetermined


def test_the_end_of_a_corridor_holds_it() -> None:
    rng = np.random.default_rng(2)

    def closed() -> np.ndarray:
        x, end = rng.uniform(-5, 5, 4000), np.c_[np.full(200, 5.0), rng.uniform(-1, 1, (200, 2))]
        walls = corridor(rng)
        walls[:, 0] = x
        return np.vstack([walls, end + 0.005 * rng.normal(size=end.shape)])

    assert not register(closed(), closed(), search="local").undetermined


def test_points_without_a_surface() -> None:
    rng = np.random.default_rng(0)
    landmarks = rng.normal(size=(6, 3))
    assert register(landmarks, landmarks).undetermined == ()


def test_in_a_file() -> None:
    rng = np.random.default_rng(0)
    result = register(line(rng), line(rng), search="local")
    (found,) = result.undetermined
    (plain,) = result.as_dict()["undetermined"]
    assert Undetermined(**plain).as_dict() == found.as_dict()


def test_information_along_a_screw() -> None:
    screw = Undetermined("screw", np.array([0.0, 0.0, 1.0]), np.array([1.0, 2.0, 0.0]), 0.5)
    assert np.allclose(screw.tangent, [0, 0, 1, 2, -1, 0.5])
    found = information_without(np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), (screw,))
    assert np.allclose(found @ screw.tangent, 0.0, atol=1e-12)
    assert np.linalg.matrix_rank(found, tol=1e-9) == 5
