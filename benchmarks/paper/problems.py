"""Registration problems with known answers: a few plain values, whose points are made where they are needed."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from benchmarks.datasets import (
    Array,
    dragon_scans,
    hannover_reference,
    hannover_scan,
    on_grid,
    relative,
    shape_2d,
    subsample,
)
from benchmarks.paper.perturb import with_noise, with_outliers
from svgm.datasets import occlude
from svgm.rigid import apply, invert, pose, rotation_exp


@dataclass(frozen=True)
class Pair:
    """Two point sets, the true pose of the source in the target's frame, and the length that settings refer to."""

    source: Array
    target: Array
    truth: Array
    unit: float


@dataclass(frozen=True)
class Problem:
    """Made anew from its values by :meth:`load`; its key is what results are kept under."""

    #: Data whose settings go together: one of the keys of `Method.settings`.
    family: ClassVar[str]

    @property
    def key(self) -> str:
        """Name and values, in one line."""
        return f"{type(self).__name__.lower()} {' '.join(str(value) for value in astuple(self))}"

    def load(self) -> Pair:
        """The points."""
        raise NotImplementedError


@dataclass(frozen=True)
class Shape(Problem):
    """A 2D set, perturbed and turned (the model), to be registered to the set (the scene).

    Turned about its mean, as the paper's symmetric ranges show that it was done there; or about the origin, which also
    carries the set away.
    """

    family: ClassVar[str] = "shapes_2d"

    name: str
    angle: float
    about: str = "mean"
    perturbation: str = "none"
    level: float = 0.0
    repetition: int = 0

    def load(self) -> Pair:
        """Outliers come to both sets, each with its own; noise and occlusion to the model alone, as in the paper."""
        model = scene = shape_2d(self.name)
        # Two sets of one repetition differ, two runs of it don't.
        draws = ["none", "outliers", "noise", "occlusion"].index(self.perturbation), round(1000 * self.level)
        rng = np.random.default_rng([self.repetition, *draws, sum(map(ord, self.name))])
        if self.perturbation == "outliers":
            model, scene = (with_outliers(points, self.level, rng) for points in (model, scene))
        elif self.perturbation == "noise":
            model = with_noise(model, self.level, rng)
        elif self.perturbation == "occlusion":
            model = occlude(model, self.level, seed=int(rng.integers(2**31)))
        turn = rotation_exp(np.array([self.angle]), 2)
        middle = shape_2d(self.name).mean(axis=0) if self.about == "mean" else np.zeros(2)
        moved = pose(turn, middle - turn @ middle)
        return Pair(apply(moved, model), scene, invert(moved), _diagonal(scene))


@dataclass(frozen=True)
class Dragon(Problem):
    """Two DRAGON-STAND scans, `points` random ones of each, the source without an occluded part."""

    family: ClassVar[str] = "dragon"

    source: int
    target: int
    points: int = 2000
    seed: int = 0
    occlusion: float = 0.0

    def load(self) -> Pair:
        """Occluded after sampling, so that the density stays."""
        scans, poses = _dragons()
        moving, fixed = (
            subsample(scans[k], self.points, 1000 * self.seed + k) if self.points else scans[k]
            for k in (self.source, self.target)
        )
        if self.occlusion:
            draws = np.random.SeedSequence([self.seed, self.source, self.target, round(1000 * self.occlusion)])
            moving = occlude(moving, self.occlusion, seed=int(draws.generate_state(1)[0]))
        return Pair(moving, fixed, relative(poses, self.source, self.target), _diagonal(fixed))


@dataclass(frozen=True)
class Street(Problem):
    """hannover1: a scan and the one `gap` later, on a grid of 0.1 m as in the paper; lengths in metres."""

    family: ClassVar[str] = "hannover"

    target: int
    gap: int = 1

    def load(self) -> Pair:
        """The later scan is the source."""
        source = self.target + self.gap
        return Pair(_street(source), _street(self.target), hannover_reference(self.target, source), 1.0)


@lru_cache(maxsize=1)
def _dragons() -> tuple[list[Array], list[Array]]:
    return dragon_scans()


@lru_cache(maxsize=16)
def _street(number: int) -> Array:
    return on_grid(hannover_scan(number), 0.1)


def _diagonal(points: Array) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0)))
