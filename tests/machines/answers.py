"""Registrations and fits by whose answers machines are compared; ``python -m tests.machines.answers`` prints them.

A pose is written as where it takes the corners of the source's box, in units of the finest sigma; a fit as densities,
in units of the highest.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

import svgm
from svgm.datasets import body, butterfly, partial_view
from svgm.rigid import apply, exp

Pair = tuple[np.ndarray, np.ndarray]
Searches = tuple[str, ...]

SEARCHES = ("local", "auto", "global")

#: A start that a local search can leave, and one that only a search everywhere can.
NEAR = {2: exp([0.4, 0.3, -0.2]), 3: exp([0.3, -0.2, 0.25, 0.2, 0.1, -0.3])}
FAR = {2: exp([2.5, 30.0, -10.0]), 3: exp([1.5, -2.0, 1.0, 20.0, -9.0, 5.0])}


def generated(searches: Searches) -> Iterator[tuple[str, Pair, Searches]]:
    """Two samples of a curve; two partial views of a body, for these searches."""
    yield "butterfly", (butterfly(800, seed=1), butterfly(800, seed=2)), SEARCHES
    eyes = {1: [8.0, -1.0, 3.0], 2: [6.0, 3.0, 2.0]}
    source, target = (partial_view(body(6000, seed=seed)[0], viewpoint=eye) for seed, eye in eyes.items())
    yield "body", (source, target), searches


def recorded(folder: Path) -> Iterator[tuple[str, Pair, Searches]]:
    """A 2D set; two scans of a statue, and of streets, one pair dense."""
    fish = svgm.read_points(folder / "shapes_2d" / "fish.txt")
    yield "fish", (fish, fish), ("local", "global")
    dragon = [svgm.read_points(folder / "dragon_stand" / f"dragonStandRight_{angle}.ply") for angle in (48, 24)]
    yield "dragon", (dragon[0][::15], dragon[1][::15]), ("auto", "global")
    lidar = [svgm.read_points(folder / "lidar_pair" / f"{name}.ply") for name in ("source", "target")]
    yield "lidar", (lidar[0][::8], lidar[1][::8]), ("auto",)
    hannover = [svgm.read_points(folder / "hannover1" / f"scan{number:03d}.ply") for number in (21, 20)]
    yield "hannover", (hannover[0], hannover[1]), ("auto",)


def corners(points: np.ndarray) -> np.ndarray:
    """The corners (2^d, d) of the box around points."""
    return np.array(list(product(*zip(points.min(axis=0), points.max(axis=0), strict=True))))


def answers() -> Iterator[tuple[str, list[list[float]]]]:
    """Each with its name."""
    folder = Path(os.environ.get("SVGM_DATA", "no folder"))
    # A global search in 3D takes seconds: with data it is that of the dragon.
    pairs = [*generated(("local", "auto")), *recorded(folder)] if folder.is_dir() else generated(SEARCHES)
    for name, (source, target), searches in pairs:
        sigma = svgm.register(source, target, search="local").stages[-1].sigma
        # Full covariances everywhere, round ones where one quick search tells enough.
        rounds = [("local", "isotropic")] if "local" in searches else []
        for search, kind in [*((search, "full") for search in searches), *rounds]:
            moved = apply((FAR if search == "global" else NEAR)[source.shape[1]], source)
            result = svgm.register(moved, target, search=search, covariance=kind)
            yield f"{name}, {search}, {kind}", (apply(result.transformation, corners(moved)) / sigma).tolist()
        mixture = svgm.fit(source, gamma=8.0)
        density = mixture.density(source[:200])
        yield f"{name}, fit", (density / density.max())[:, None].tolist()


if __name__ == "__main__":
    print(json.dumps(dict(answers())))
