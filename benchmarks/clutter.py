"""Clutter: ``python -m benchmarks.clutter`` adds uniform points to both sets of a pair and registers them.

3D: dragon scans with 2,000 points, 24 and 48 degrees apart, and views of generated bodies, with clutter of its own in
a ball around each set.  Beside each other: all points; the default call, which leaves clutter out; the sets without
clutter.  Then clean sets, in which nothing must be found, and the 2D sets of Figure 5, where nothing is left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from time import process_time

import numpy as np

import svgm
from benchmarks.datasets import (
    Array,
    dragon_pairs,
    dragon_scans,
    hannover_paths,
    hannover_scan,
    lidar_pair,
    on_grid,
    relative,
    subsample,
)
from benchmarks.paper.perturb import with_outliers
from benchmarks.paper.problems import Shape
from benchmarks.paper.table1 import SETS
from benchmarks.report import bar, header
from svgm.datasets import body, butterfly, partial_view
from svgm.geometry.clutter import not_clutter
from svgm.registration.prepared import Prepared
from svgm.rigid import apply, invert, pose, pose_error, rotation_exp

SHARES = (0.1, 0.3, 0.5, 0.7)
FIGURE_5 = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)

#: Right: within so many degrees.
RIGHT = 5.0


def in_ball(points: Array, share: float, rng: np.random.Generator) -> Array:
    """The points, then clutter in a ball around them until it is this share of all."""
    count = round(share / (1.0 - share) * len(points))
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    radius = float(np.linalg.norm(points - centre, axis=1).max())
    return np.vstack([points, centre + radius * rng.uniform(size=(count, 1)) ** (1.0 / 3.0) * directions])


def dragons(step: int, every: int) -> Iterator[tuple[Array, Array, Array]]:
    """Pairs of dragon scans, 2,000 points each, and the true pose of the source."""
    scans, poses = dragon_scans()
    for source, target in dragon_pairs(step)[::every]:
        yield (
            subsample(scans[source], 2000, 3000 + source),
            subsample(scans[target], 2000, 4000 + target),
            relative(poses, source, target),
        )


def bodies(count: int) -> Iterator[tuple[Array, Array, Array]]:
    """Two views of a generated body, 27 degrees apart, each with random points of its own, in one frame."""
    for k in range(count):
        views = [
            partial_view(body(6000, seed=100 + 2 * k + j)[0], eye, noise=0.001, seed=k)
            for j, eye in enumerate(((7.0, 4.0, 3.0), (4.0, 6.5, 3.0)))
        ]
        yield views[0], views[1], np.eye(4)


def measure(name: str, pairs: list[tuple[Array, Array, Array]], share: float) -> list[float]:
    """Print a row; the errors of the default call."""
    errors: dict[str, list[float]] = {"all points": [], "default": [], "clean": []}
    seconds: dict[str, list[float]] = {kind: [] for kind in errors}
    for number, (source, target, truth) in enumerate(pairs):
        rng = np.random.default_rng([number, round(1000 * share), 18])
        dirty = in_ball(source, share, rng), in_ball(target, share, rng)
        for kind in errors:
            begin = process_time()
            if kind == "all points":
                result = svgm.register(*(Prepared(points, 0.01, "points") for points in dirty), threads=1)
            else:
                result = svgm.register(*(dirty if kind == "default" else (source, target)), threads=1)
            seconds[kind].append(process_time() - begin)
            errors[kind].append(float(np.degrees(pose_error(result.transformation, truth)[0])))
    columns = [
        f"{kind}: {sum(error <= RIGHT for error in errors[kind])} right, {np.median(errors[kind]):.2f} degrees, "
        f"{np.mean(seconds[kind]):.2f} s"
        for kind in errors
    ]
    print(f"  {name}, {100 * share:.0f} % clutter, {len(pairs)} pairs: " + "; ".join(columns), flush=True)
    return errors["default"]


def clean_sets() -> Iterator[tuple[str, Array]]:
    """Real scans and generated sets without clutter, whole and thinned."""
    scans, _ = dragon_scans()
    for k, scan in enumerate(scans):
        yield "dragon", scan
        for count in (100, 300, 2000):
            yield f"dragon, {count} points", subsample(scan, count, k)
    for number in range(1, len(hannover_paths()) + 1):
        scan = hannover_scan(number)
        yield "hannover1", scan
        yield "hannover1, grid of 0.1 m", on_grid(scan, 0.1)
        yield "hannover1, 1500 points", subsample(scan, 1500, number)
        yield "hannover1, 300 points", subsample(scan, 300, number)
    for scan in lidar_pair()[:2]:
        yield "lidar_pair", scan
        yield "lidar_pair, 2000 points", subsample(scan, 2000, 0)
    rng = np.random.default_rng(18)
    for k in range(50):
        yield "body", body(900, seed=k)[0]
        yield "view of a body", partial_view(body(6000, seed=k)[0], (7.0, 4.0, 3.0), noise=0.001, seed=k)
        yield "uniform volume", rng.uniform(size=(int(rng.integers(60, 4000)), 3))
        yield "Gaussian cloud", rng.normal(size=(int(rng.integers(60, 4000)), 3))


def outlines(repetitions: int) -> None:
    """The 2D sets of Figure 5 with the default call, and outlines that share no points."""
    print("2D, sets of Figure 5: mean rotation error of the default call (rad), answers off by more than 0.1 rad")
    for level in FIGURE_5:
        errors = []
        for name in SETS:
            for k in range(repetitions):
                pair = Shape(name, 1.0, "mean", "outliers", level, k).load()
                result = svgm.register(pair.source, pair.target, threads=1)
                errors.append(pose_error(result.transformation, pair.truth)[0])
        lost = int((np.array(errors) > 0.1).sum())
        print(f"  {level:g}: {np.mean(errors):.4f}, {lost} of {len(errors)}", flush=True)
    print("2D, outlines of 300 points that share none: the same, and without clutter")
    for level in SHARES:
        dirty, clean = [], []
        for k in range(repetitions):
            rng = np.random.default_rng([k, round(1000 * level), 18])
            source, target = butterfly(300, seed=2 * k), butterfly(300, seed=2 * k + 1)
            truth = pose(rotation_exp(np.array([1.0]), 2), np.zeros(2))
            pairs = (with_outliers(source, level, rng), with_outliers(target, level, rng)), (source, target)
            for (moving, fixed), errors in zip(pairs, (dirty, clean), strict=True):
                result = svgm.register(apply(invert(truth), moving), fixed, threads=1)
                errors.append(pose_error(result.transformation, truth)[0])
        lost = int((np.array(dirty) > 0.1).sum())
        print(
            f"  {level:g}: median {np.median(dirty):.4f}, {lost} of {len(dirty)}; clean {np.median(clean):.4f}",
            flush=True,
        )


def main() -> None:
    """Print a row for each kind of pair and share of clutter, and each kind of clean set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=3, help="only every so many of the dragon pairs")
    parser.add_argument("--repetitions", type=int, default=10, help="of each 2D set and level")
    asked = parser.parse_args()
    header("clutter: uniform points in both sets")
    print("3D: right (within 5 degrees), median rotation error, processor time")
    kinds = {
        "dragon 24 degrees": list(dragons(1, asked.every)),
        "dragon 48 degrees": list(dragons(2, asked.every)),
        "views of bodies": list(bodies(8)),
    }
    wrong = 0
    for name, pairs in kinds.items():
        for share in SHARES:
            wrong += sum(error > RIGHT for error in measure(name, pairs, share))
    tested: dict[str, list[bool]] = {}
    for name, points in clean_sets():
        tested.setdefault(name, []).append(not_clutter(points) is not None)
    print("clean sets in which clutter is found")
    for name, found in tested.items():
        print(f"  {name}: {sum(found)} of {len(found)}", flush=True)
    outlines(asked.repetitions)
    bar("wrong answers of the default call, 3D", wrong, 0)
    bar("clean real scans with clutter", sum(sum(f) for n, f in tested.items() if n[:3] in ("dra", "han", "lid")), 0)


if __name__ == "__main__":
    main()
