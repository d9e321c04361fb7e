"""Stray points: ``python -m benchmarks.strays`` registers clean pairs and the same with a few points far away.

The answer must be that of the clean pair within its covariance, in about its time and memory.  Every case runs in a
process of its own: its peak memory first, then times, in turns with the clean pair's.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from itertools import product
from time import process_time
from typing import Any

import numpy as np

import svgm
from benchmarks.datasets import Array, dragon_scans, shape_2d, subsample
from benchmarks.report import bar, header
from svgm.rigid import apply, exp, invert, log

#: Of a case over the clean pair.
MOST_TIME, MOST_MEMORY = 1.5, 1.3

#: Radii of the set between its middle and a stray, and how many strays there are.
DISTANCES, COUNTS = (1e2, 1e3, 1e5, 1e7, 1e9), (1, 10)
SETS, SEARCHES, WHERE = ("fish", "dragon"), ("local", "auto", "global"), ("source", "target", "both")

#: Times of a case and of the clean pair, taken in turns.
TURNS = 3


def clean_pair(name: str) -> tuple[Array, Array]:
    """FISH and itself turned by half a radian, or two dragon scans 24 degrees apart with 2,000 points each."""
    if name == "fish":
        fish = shape_2d("fish")
        return apply(exp([0.5, 0.3, 0.2]), fish), fish
    scans, _ = dragon_scans()
    return subsample(scans[1], 2000, 0), subsample(scans[0], 2000, 1)


def with_strays(points: Array, distance: float, count: int, seed: int) -> Array:
    """Strays in random directions, so many root mean square radii from the middle."""
    directions = np.random.default_rng(seed).normal(size=(count, points.shape[1]))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    return np.vstack([points, points.mean(axis=0) + distance * np.sqrt(points.var(axis=0).sum()) * directions])


def measure(name: str, search: str, where: str, distance: float, count: int) -> dict[str, Any]:
    """One case; without strays if `count` is 0."""
    clean = clean_pair(name)
    source, target = (
        with_strays(points, distance, count, seed) if count and where in (side, "both") else points
        for seed, (side, points) in enumerate(zip(("source", "target"), clean, strict=True))
    )
    svgm.register(source[:50], target[:50])  # what the first call loads is not the case's
    before = process_time()
    result = svgm.register(source, target, search=search, threads=1)
    found = {
        "transformation": result.transformation.tolist(),
        "covariance": result.covariance.tolist(),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "seconds": process_time() - before,
    }
    if count:
        times = np.array([[_seconds(*pair, search) for pair in (clean, (source, target))] for _ in range(TURNS)])
        found["ratio"] = float(np.median(times[:, 1]) / np.median(times[:, 0]))
    return found


def _seconds(source: Array, target: Array, search: str) -> float:
    begin = process_time()
    svgm.register(source, target, search=search, threads=1)
    return process_time() - begin


def main() -> None:
    """Print a row a case and the worst of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.case:
        print(json.dumps(measure(*json.loads(asked.case))))
        return
    header("strays: the same pair with and without a few points far away")
    worst = {"deviations": 0.0, "time": 0.0, "memory": 0.0}
    for name, search in product(SETS, SEARCHES):
        clean = _child(name, search, "both", 0.0, 0)
        print(f"{name}, {search}: clean {clean['seconds']:.3f} s, {clean['megabytes']:.0f} MB")
        for where, distance, count in product(WHERE, DISTANCES, COUNTS):
            found = _child(name, search, where, distance, count)
            figures = {
                "deviations": _deviations(clean, found),
                "time": found["ratio"],
                "memory": found["megabytes"] / clean["megabytes"],
            }
            worst = {key: max(worst[key], figure) for key, figure in figures.items()}
            row = ", ".join(f"{key} {figure:.2f}" for key, figure in figures.items())
            print(f"  {where:6} {count:2} at {distance:.0e}: {row}", flush=True)
    bar("largest distance from the clean answer, in its standard deviations", worst["deviations"], 1.0)
    bar("largest time over the clean pair's", worst["time"], MOST_TIME)
    bar("largest memory over the clean pair's", worst["memory"], MOST_MEMORY)


def _child(*case: str | float) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.strays", "--case", json.dumps(case)]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return found


def _deviations(clean: dict[str, Any], found: dict[str, Any]) -> float:
    """Mahalanobis distance of an answer from the clean one."""
    error = log(invert(np.array(clean["transformation"])) @ np.array(found["transformation"]))
    return float(np.sqrt(max(0.0, error @ np.linalg.pinv(np.array(clean["covariance"])) @ error)))


if __name__ == "__main__":
    main()
