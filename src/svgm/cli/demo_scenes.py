"""Scenes of the demo: two partial views of a shape, and the motion between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from svgm.datasets import body, butterfly, disturb, occlude, partial_view
from svgm.geometry.points import Array
from svgm.rigid import apply, exp, invert


@dataclass(frozen=True)
class Scene:
    """Two point sets, the true pose of the source in the target, the gamma to merge at, and in 3D the viewpoint."""

    name: str
    source: Array
    target: Array
    truth: Array
    gamma: float
    eye: Array | None = None


def scenes() -> Iterator[Scene]:
    """A curve in 2D with a part cut out of each copy, and a body in 3D seen from two sides, 60° apart."""
    truth = exp([np.radians(40.0), 1.0, 0.5])
    source = disturb(occlude(butterfly(1500, seed=1), 0.15, place=(2.2, 2.0)), noise=0.001, seed=1)
    target = disturb(occlude(butterfly(1500, seed=2), 0.15, place=(-1.6, -1.3)), noise=0.001, seed=2)
    yield Scene("butterfly", apply(invert(truth), source), target, truth, gamma=60.0)

    truth = exp([0.2, -0.3, 0.5, 0.5, 0.3, -0.2])
    source = partial_view(body(12_000, seed=1)[0], eye_at(30.0), noise=0.001, seed=1)
    target = partial_view(body(12_000, seed=2)[0], eye_at(90.0), noise=0.001, seed=2)
    yield Scene("body", apply(invert(truth), source), target, truth, gamma=30.0, eye=eye_at(60.0))


def eye_at(azimuth: float) -> Array:
    """A viewpoint beside the body and a little above it, at an azimuth in degrees."""
    angle = np.radians(azimuth)
    return 8.0 * np.array([np.cos(angle), np.sin(angle), 0.35])
