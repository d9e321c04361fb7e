"""What the parts share: pairs whose source has been turned away, the calls compared, and where the truth was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from rich.console import Console
from rich.progress import track

from benchmarks.datasets import Array
from benchmarks.paper.problems import Dragon, Pair
from svgm import RegistrationResult, register
from svgm.rigid import apply, invert, pose, pose_error, rotation_exp

T = TypeVar("T")

#: Whether these errors, in radians and the points' unit, are those of a right answer.
Near = Callable[[float, float], bool]

#: The calls that are compared: the search over all poses, and the default call.
CALLS = {"global": {"search": "global"}, "default": {}}


@dataclass(frozen=True)
class Turned(Pair):
    """A pair whose source has been moved by `motion`, so that no method profits from the frames of the scans.

    The truth is that of the moved source.
    """

    motion: Array

    def errors(self, answer: Array) -> tuple[float, float]:
        """Rotation (rad) and translation error of an answer with the motion undone: at the origin of the scan."""
        return pose_error(answer @ self.motion, self.truth @ self.motion)


def turn(pair: Pair, motion: Array) -> Turned:
    """The pair with its source moved."""
    return Turned(apply(motion, pair.source), pair.target, pair.truth @ invert(motion), pair.unit, motion)


def anywhere(rng: np.random.Generator, reach: float) -> Array:
    """A motion in 3D: any rotation, all as likely, and a translation of up to `reach` along each axis."""
    w, *vector = rng.normal(size=4)  # a quaternion in any direction
    length = np.linalg.norm(vector)
    omega = 2.0 * np.arctan2(length, w) * np.array(vector) / length
    return pose(rotation_exp(omega, 3), rng.uniform(-reach, reach, 3))


def on_the_ground(rng: np.random.Generator, reach: float, dimension: int) -> Array:
    """A motion in the plane, or in 3D of something that stands upright: any heading, and a shift of up to `reach`."""
    heading, direction = rng.uniform(-np.pi, np.pi, 2)
    away = reach * np.sqrt(rng.uniform())
    omega = np.array([heading]) if dimension == 2 else np.array([0.0, 0.0, heading])
    shift = np.zeros(dimension)
    shift[:2] = away * np.cos(direction), away * np.sin(direction)
    return pose(rotation_exp(omega, dimension), shift)


@dataclass(frozen=True)
class TurnedDragon(Dragon):
    """Two DRAGON-STAND scans with all their points, the source moved anywhere, always by the same motion."""

    points: int = 0

    def load(self) -> Turned:
        """Up to a diagonal away."""
        pair = super().load()
        return turn(pair, anywhere(np.random.default_rng([self.source, self.target]), pair.unit))


def call(pair: Pair, **options: Any) -> Callable[[], RegistrationResult]:
    """A registration of the pair, ready to be timed."""
    return partial(register, pair.source, pair.target, **options)


def warm_up(pair: Pair, others: Iterable[Callable[[Pair], Callable[[], object]]] = ()) -> None:
    """Every call once on few points: what is loaded or built by the first one is no part of a registration."""
    few = replace(pair, source=pair.source[::10], target=pair.target[::10])
    for work in (*(call(few, **options) for options in CALLS.values()), *(other(few) for other in others)):
        work()


@dataclass(frozen=True)
class Outcome:
    """What a registration found: its errors, whether they are small enough, and where else the truth was.

    ``place`` is that of the first alternative that is right, counted from 1, and ``score`` its score relative to the
    answer's; 0 for none.
    """

    right: bool
    rotation: float
    translation: float
    confidence: float
    overlap: float
    place: int
    score: float


def outcome(result: RegistrationResult, errors: Callable[[Array], tuple[float, float]], near: Near) -> Outcome:
    """The answer and its alternatives held against the truth."""
    rotation, translation = errors(result.transformation)
    others = ((k, other) for k, other in enumerate(result.alternatives, 1) if near(*errors(other.transformation)))
    place, score = next(((k, float(other.score)) for k, other in others), (0, 0.0))
    found = near(rotation, translation)
    return Outcome(found, rotation, translation, float(result.confidence), float(result.overlap), place, score)


def watched(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, with a bar on the standard error."""
    yield from track(items, what, total, console=Console(stderr=True), transient=True)
