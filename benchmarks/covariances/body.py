"""Two views of the generated body from places apart, about 2,000 points each: the scans of docs/choosing.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from benchmarks.datasets import Array
from benchmarks.paper.problems import Pair, Problem
from svgm.datasets import body, partial_view

#: Where the target's sensor is, and by the angle (degrees) between the two as seen from the origin the source's.
TARGET, SOURCES = (7.0, 4.0, 3.0), {27: (4.0, 6.5, 3.0), 70: (-2.0, 7.5, 3.0)}

SEEDS = range(2, 8)


@dataclass(frozen=True)
class Body(Problem):
    """The source's points have the seed, the target's another one."""

    family: ClassVar[str] = "dragon"

    angle: int
    seed: int

    def load(self) -> Pair:
        """Both in the frame of the body: the truth is the identity."""
        source, target = _view(self.seed, SOURCES[self.angle]), _view(self.seed + 100, TARGET)
        return Pair(source, target, np.eye(4), float(np.linalg.norm(np.ptp(target, axis=0))))


def _view(seed: int, eye: tuple[float, ...]) -> Array:
    return partial_view(body(7_000, seed=seed)[0], eye, noise=0.001, seed=seed)
