"""The 2D sets, stretched and sheared: affine registration."""

from __future__ import annotations

import numpy as np

import svgm
from benchmarks.datasets import Array, shape_2d
from benchmarks.speed.findings import Findings

NAMES = ("road", "contour", "fish", "glyph")

#: Angles (rad) by which the target is turned besides, and maps for each of them.
ANGLES, MAPS = (0.0, -1.0, -0.5, 0.5, 1.0), 10

#: The stretch is up to this.
LARGEST = 2.0

#: An answer is right if it takes the points within this of the truth on average, in root mean square radii.
NEAR = 0.02

#: Noise that is added to the target, in the same unit.
NOISE = (0.0, 0.02)


def run(findings: Findings, every: int, seed: int) -> None:
    """Count the sets that are right for all maps, at each angle."""
    for noise in NOISE:
        for angle in ANGLES:
            errors = {name: [_error(name, angle, noise, [seed, k]) for k in range(0, MAPS, every)] for name in NAMES}
            complete = sum(max(found) < NEAR + 0.5 * noise for found in errors.values())
            count = sum(error < NEAR + 0.5 * noise for found in errors.values() for error in found)
            every_error = np.concatenate(list(errors.values()))
            name = f"shapes, affine, {angle:+g} rad, noise {noise:g}: sets right with every map, of {len(NAMES)}"
            print(
                f"{name}: {complete}; {count} of {every_error.size} maps right, error {np.median(every_error):.4f} "
                f"(median), {every_error.max():.4f} at most",
                flush=True,
            )
            findings.details[f"shapes {angle:+g} {noise:g}"] = {each: list(found) for each, found in errors.items()}
            if noise == 0.0:
                findings.check(name, complete, len(NAMES), at_least=True)


def _error(name: str, angle: float, noise: float, seed: list[int]) -> float:
    """Mean distance of the moved source from the truth, in root mean square radii of the target."""
    rng = np.random.default_rng([*seed, NAMES.index(name)])
    source = shape_2d(name)
    linear = _turn(angle) @ _stretch(rng)
    exact = source @ linear.T + rng.normal(size=2) * np.ptp(source)
    size = float(np.sqrt(exact.var(axis=0).sum()))
    target = exact + noise * size * rng.normal(size=exact.shape)
    result = svgm.register(source, target, transform="affine", threads=1)
    return float(np.linalg.norm(result.transform.apply(source) - exact, axis=1).mean() / size)


def _stretch(rng: np.random.Generator) -> Array:
    """A stretch by up to `LARGEST` along one direction, or a shear whose singular values are so far apart, and a scale
    between 1/2 and 2."""
    ratio = rng.uniform(1.0, LARGEST)
    if rng.random() < 0.5:
        axes = _turn(rng.uniform(0.0, np.pi))
        linear = axes @ np.diag([np.sqrt(ratio), 1.0 / np.sqrt(ratio)]) @ axes.T
    else:
        # Singular values of [[1, k], [0, 1]] are r and 1/r with r - 1/r = k.
        shear = np.sqrt(ratio) - 1.0 / np.sqrt(ratio)
        linear = np.array([[1.0, shear * rng.choice([-1.0, 1.0])], [0.0, 1.0]])
    return np.asarray(linear * np.exp(rng.uniform(-np.log(2.0), np.log(2.0))), dtype=np.float64)


def _turn(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])
