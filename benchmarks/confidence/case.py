"""One pair of point sets, and what is right for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.confidence import scenes
from benchmarks.datasets import Array
from svgm.rigid import apply, invert, pose, pose_error


@dataclass(frozen=True)
class Sets:
    """Two sets and the true pose of the source; None if the sets have nothing in common."""

    source: Array
    target: Array
    truth: Array | None


@dataclass(frozen=True)
class Case:
    """One pair.

    Attributes
    ----------
    family
        The kind of data; a fit leaves whole kinds out.
    name
        Of the pair.
    kind
        "overlap"; "unrelated": no pose is right; "slides": many poses fit equally well.
    load
        Makes the sets.
    limits
        An answer is right up to this rotation (rad) and this translation of the source's middle, in metres.  Where the
        second is None: up to 5 % of the source's diameter.
    """

    family: str
    name: str
    kind: str
    load: Callable[[], Sets]
    limits: tuple[float, float | None] = (0.2, None)

    def right(self, transformation: Array, sets: Sets) -> bool:
        """Whether an answer is right."""
        if sets.truth is None:
            return False
        middle = sets.source.mean(axis=0)
        rotation, _ = pose_error(transformation, sets.truth)
        apart = float(np.linalg.norm(apply(transformation, middle[None]) - apply(sets.truth, middle[None])))
        limit = self.limits[1]
        if limit is None:
            limit = 0.05 * float(np.linalg.norm(np.ptp(sets.source, axis=0)))
        return rotation < self.limits[0] and apart < limit


def rng_of(*numbers: int) -> np.random.Generator:
    """Random numbers of their own for each purpose."""
    return np.random.default_rng(numbers)


def move(source: Array, target: Array, rng: np.random.Generator, degrees: float, shift: float) -> Sets:
    """The source turned by up to so many degrees, and shifted by up to this share of its size."""
    d = source.shape[1]
    size = float(np.linalg.norm(np.ptp(source, axis=0)))
    turn, middle = scenes.small_turn(d, rng, degrees), source.mean(axis=0)
    motion = pose(turn, middle - turn @ middle + shift * size * rng.uniform(-1.0, 1.0, d))
    return Sets(apply(motion, source), target, invert(motion))
