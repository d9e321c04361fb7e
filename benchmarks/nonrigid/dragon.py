"""Dragon scans bent by known smooth maps: different points in source and target, a part cut out of the target."""

from __future__ import annotations

import resource

import numpy as np

from benchmarks.datasets import Array, dragon_scans
from benchmarks.nonrigid.methods import Deform, available, processor_seconds
from svgm.rigid import apply, exp

#: Scans that are bent: every third.
SCANS = range(0, 15, 3)

#: Share of the target that is cut out, and points of each set.
CUT, POINTS = 0.2, 2000


def bend(points: Array, seed: int, strength: float = 0.12) -> Array:
    """A smooth map: a sum of long waves in the directions of random vectors, `strength` radii high, then a turn."""
    rng = np.random.default_rng(seed)
    centre = points.mean(axis=0)
    unit = float(np.sqrt(points.var(axis=0).sum()))
    u = (points - centre) / unit
    moved = u.copy()
    for _ in range(3):
        wave, phase = rng.normal(size=3), rng.uniform(0, 2 * np.pi)
        wave *= 2.0 / np.linalg.norm(wave)
        moved += strength * rng.normal(size=3) * np.sin(u @ wave + phase)[:, None]
    turn = exp(np.r_[rng.normal(size=3) * 0.15, rng.normal(size=3) * 0.1])
    return centre + unit * apply(turn, moved)


def pair(scan: Array, seed: int, points: int) -> tuple[Array, Array, Array]:
    """Source, target (other points, bent, a part cut out), and the truth for the source's points.  0: all points."""
    rng = np.random.default_rng(100 + seed)
    bent = bend(scan, seed)
    order = rng.permutation(len(scan))
    half = len(scan) // 2
    one, other = (order[:points], order[half : half + points]) if points else (np.arange(len(scan)),) * 2
    target = bent[other]
    if points:
        normal = rng.normal(size=3)
        along = target @ normal
        target = target[along > np.quantile(along, CUT)]
    return scan[one], target, bent[one]


def dragon(peers: bool = True, *, whole: bool = False) -> dict[str, float]:
    """Print error and time of each method for each bent scan."""
    scans, _ = dragon_scans()
    methods = available(large=True)
    if whole or not peers:
        methods = {"svgm": methods["svgm"]}
    errors: dict[str, list[float]] = {name: [] for name in methods}
    spent: dict[str, list[float]] = {name: [] for name in methods}
    sets = "all points" if whole else f"{POINTS} points, {CUT:.0%} cut out"
    print(f"dragon, {sets}: mean error in radii, processor seconds")
    for number in SCANS[:2] if whole else SCANS:
        source, target, truth = pair(scans[number], number, 0 if whole else POINTS)
        words = [f"scan {number} ({len(source)} and {len(target)} points)"]
        for name, deform in methods.items():
            error, seconds = _tried(deform, source, target, truth)
            errors[name].append(error)
            spent[name].append(seconds)
            words.append(f"{name} {error:.4f} {seconds:.1f} s")
        print(" | ".join(words), flush=True)
    means = {name: float(np.mean(values)) for name, values in errors.items()}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("mean: " + " | ".join(f"{name} {means[name]:.4f} {np.mean(spent[name]):.1f} s" for name in means))
    print(f"largest memory of the process {memory:.0f} MB")
    return means


def _tried(deform: Deform, source: Array, target: Array, truth: Array) -> tuple[float, float]:
    unit = float(np.sqrt(truth.var(axis=0).sum()))
    begin = processor_seconds()
    moved = deform(source, target)
    return float(np.linalg.norm(moved - truth, axis=1).mean()) / unit, processor_seconds() - begin
