"""Generated scenes for the judgement of confidences: what repeats itself, what slides, and what has no order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.datasets import Array
from svgm.rigid import rotation_exp

#: Deviation of the noise on all scenes, in metres.
NOISE = 0.01


def noise(count: int, dimension: int, rng: np.random.Generator) -> Array:
    """Independent points of a unit cube, or of a Gaussian."""
    draws = rng.random((count, dimension)) if rng.random() < 0.5 else rng.normal(size=(count, dimension))
    return np.asarray(draws)


def outline(count: int, rng: np.random.Generator) -> Array:
    """Points along a smooth closed curve: a circle with five random harmonics."""
    angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, count))
    radius = np.ones(count)
    for order in range(2, 7):
        radius += 0.35 / order * rng.normal() * np.cos(order * angle + rng.uniform(0.0, 2.0 * np.pi))
    stretch = np.array([1.0, rng.uniform(0.5, 1.0)])
    return np.abs(radius)[:, None] * np.c_[np.cos(angle), np.sin(angle)] * stretch + NOISE * rng.normal(size=(count, 2))


def blob(count: int, rng: np.random.Generator) -> Array:
    """Points on a smooth closed surface: a ball with random bumps."""
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radius = np.ones(count)
    for _ in range(12):
        middle = rng.normal(size=3)
        closeness = directions @ (middle / np.linalg.norm(middle))
        radius += rng.uniform(-0.3, 0.4) * np.exp(rng.uniform(3.0, 9.0) * (closeness - 1.0))
    return np.asarray(radius[:, None] * directions * rng.uniform(0.6, 1.0, 3))


def rectangle(corner: Sequence[float], first: Sequence[float], second: Sequence[float]) -> Array:
    """A flat piece: a corner and two sides, as rows."""
    return np.array([corner, first, second], dtype=float)


def box(low: Sequence[float], high: Sequence[float]) -> list[Array]:
    """The six faces of a box."""
    low, size = np.asarray(low, dtype=float), np.asarray(high, dtype=float) - np.asarray(low, dtype=float)
    faces = []
    for k in range(3):
        first, second = np.eye(3)[(k + 1) % 3] * size, np.eye(3)[(k + 2) % 3] * size
        faces += [rectangle(low, first, second), rectangle(low + np.eye(3)[k] * size, first, second)]
    return faces


def sampled(pieces: Sequence[Array], density: float, rng: np.random.Generator) -> Array:
    """Points on flat pieces, so many to the square metre."""
    points = []
    for corner, first, second in pieces:
        count = rng.poisson(density * np.linalg.norm(np.cross(first, second)))
        points.append(corner + rng.random((count, 1)) * first + rng.random((count, 1)) * second)
    together = np.concatenate(points)
    return np.asarray(together + NOISE * rng.normal(size=together.shape))


def room(rng: np.random.Generator) -> list[Array]:
    """A room of one to three dozen square metres, with furniture at random places."""
    width, depth = rng.uniform(4.0, 7.0), rng.uniform(3.0, 5.0)
    pieces = box((0, 0, 0), (width, depth, 2.6))
    for _ in range(int(rng.integers(4, 9))):
        size = rng.uniform((0.4, 0.4, 0.4), (1.6, 0.9, 1.9))
        place = rng.uniform((0.0, 0.0), (width - size[0], depth - size[1]))
        pieces += box((*place, 0.0), (*(place + size[:2]), size[2]))
    return pieces


def corridor(length: float) -> list[Array]:
    """Floor, ceiling and two walls, without ends."""
    return box((0, 0, 0), (length, 2.0, 2.5))[2:]


def stairs(steps: int) -> list[Array]:
    """Equal steps, without ends."""
    return [
        piece
        for k in range(steps)
        for piece in (
            rectangle((0.3 * k, 0, 0.18 * k), (0.3, 0, 0), (0, 1.5, 0)),
            rectangle((0.3 * (k + 1), 0, 0.18 * k), (0, 0, 0.18), (0, 1.5, 0)),
        )
    ]


def columns(count: int) -> list[Array]:
    """A row of equal columns on a floor, 3 m apart."""
    floor = rectangle((-1.5, -1.5, 0), (3.0 * count, 0, 0), (0, 3.0, 0))
    return [floor, *(piece for k in range(count) for piece in box((3.0 * k, -0.3, 0), (3.0 * k + 0.5, 0.3, 3.0)))]


def houses(count: int) -> list[Array]:
    """A row of equal houses on flat ground, 12 m apart."""
    ground = rectangle((-3.0, -6.0, 0), (12.0 * count, 0, 0), (0, 16.0, 0))
    pieces = [ground]
    for k in range(count):
        pieces += box((12.0 * k, 0, 0), (12.0 * k + 8.0, 7.0, 5.0))
        pieces += box((12.0 * k + 2.0, -1.5, 0), (12.0 * k + 3.5, 0.0, 2.5))
    return pieces


def trees(count: int, rng: np.random.Generator) -> Array:
    """Stems on uneven ground, with round crowns; 40 m across."""
    places, points = rng.uniform(-20.0, 20.0, (count, 2)), []
    for place in places:
        angle, height, thick = rng.uniform(0, 2 * np.pi, 120), rng.uniform(0, 4.0, 120), rng.uniform(0.15, 0.35)
        points.append(np.c_[place[0] + thick * np.cos(angle), place[1] + thick * np.sin(angle), height])
        points.append(np.r_[place, 5.5] + rng.uniform(0.8, 1.6) * rng.normal(size=(150, 3)) * [0.7, 0.7, 0.6])
    return np.concatenate([*points, terrain(3000, 40.0, rng)])


def terrain(count: int, side: float, rng: np.random.Generator, *, waves: Array | None = None) -> Array:
    """Uneven ground; `waves` of an earlier call of :func:`ground_waves` give the same ground."""
    places = rng.uniform(-side / 2, side / 2, (count, 2))
    return np.c_[places, heights(places, ground_waves(rng) if waves is None else waves)]


def ground_waves(rng: np.random.Generator) -> Array:
    """Twelve waves, 3 to 30 m long: direction and frequency (2), phase, height."""
    lengths, angles = np.exp(rng.uniform(np.log(3.0), np.log(30.0), 12)), rng.uniform(0.0, 2.0 * np.pi, 12)
    wave = 2.0 * np.pi / lengths
    return np.c_[wave * np.cos(angles), wave * np.sin(angles), rng.uniform(0.0, 2.0 * np.pi, 12), 0.02 * lengths]


def heights(places: Array, waves: Array) -> Array:
    """Of the ground at places (n, 2)."""
    return np.asarray(np.sin(places @ waves[:, :2].T + waves[:, 2]) @ waves[:, 3])


def rooms_2d(count: int, doors: Sequence[float]) -> Array:
    """Walls (m, 2, 2) of a row of rooms, 4 m x 3 m, each with a door at a share of its front."""
    walls = [((0.0, 3.0), (4.0 * count, 3.0)), ((0.0, -2.0), (4.0 * count, -2.0))]
    for k in range(count):
        left, door = 4.0 * k, 4.0 * k + 0.5 + 2.0 * doors[k]
        walls += [((left, 0.0), (door, 0.0)), ((door + 1.0, 0.0), (left + 4.0, 0.0)), ((left, 0.0), (left, 3.0))]
    return np.array([*walls, ((4.0 * count, 0.0), (4.0 * count, 3.0))], dtype=float)


def on_walls(walls: Array, density: float, rng: np.random.Generator) -> Array:
    """Points on walls (m, 2, 2), so many to the metre."""
    points = []
    for start, end in walls:
        share = rng.random((rng.poisson(density * np.linalg.norm(end - start)), 1))
        points.append(start + share * (end - start))
    together = np.concatenate(points)
    return np.asarray(together + NOISE * rng.normal(size=together.shape))


def within(points: Array, low: float, high: float) -> Array:
    """The points between two values of x."""
    return points[(points[:, 0] >= low) & (points[:, 0] <= high)]


def small_turn(dimension: int, rng: np.random.Generator, degrees: float) -> Array:
    """A rotation by up to so many degrees about a random axis."""
    vector = rng.normal(size=3 if dimension == 3 else 1)
    return rotation_exp(np.radians(rng.uniform(0.0, degrees)) * vector / np.linalg.norm(vector), dimension)
