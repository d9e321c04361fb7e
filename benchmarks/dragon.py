"""DRAGON-STAND: pairs converged of 30 at 24, 48, 72 and 96 degrees, from identity, default parameters.

The criterion is the paper's, |q̂·q| > 0.99.  ``python -m benchmarks.dragon --help``
"""

from __future__ import annotations

import time

import click
import numpy as np

from benchmarks.datasets import Array, dragon_pairs, dragon_scans, relative, subsample
from benchmarks.report import bar, header, run_all
from svgm import register
from svgm.rigid import pose_error

STEPS = (1, 2, 3, 4)
BARS = (30, 30, 20, 10)


def one(job: tuple[Array, Array, Array]) -> tuple[float, float]:
    """Rotation error in degrees and seconds of one pair."""
    source, target, truth = job
    begin = time.perf_counter()
    result = register(source, target, threads=1)
    seconds = time.perf_counter() - begin
    return np.degrees(pose_error(result.transformation, truth)[0]), seconds


@click.command()
@click.option("--points", default=2000, show_default=True, help="Random points per scan; 0 for all of them.")
@click.option("--seeds", default="0,1,2", show_default=True)
@click.option("--processes", default=2, show_default=True)
def main(points: int, seeds: str, processes: int) -> None:
    """Print the convergence counts and the accuracy for each seed."""
    scans, poses = dragon_scans()
    header(f"DRAGON-STAND, {points or 'all'} points per scan, identity start, default parameters")
    for seed in [int(word) for word in seeds.split(",")]:
        sets = [subsample(scan, points, 1000 * seed + k) if points else scan for k, scan in enumerate(scans)]
        jobs = [(sets[i], sets[j], relative(poses, i, j)) for step in STEPS for i, j in dragon_pairs(step)]
        rows = np.array(run_all(one, jobs, processes)).reshape(len(STEPS), 30, 2)
        # |q̂·q| is the cosine of half the angle between the rotations.
        converged = np.cos(np.radians(rows[..., 0]) / 2) > 0.99
        counts = converged.sum(axis=1)
        for step, count, least in zip(STEPS, counts, BARS, strict=True):
            bar(f"seed {seed}: converged of 30 at {24 * step} degrees", count, least, at_least=True)
        accuracy = float(np.median(rows[0, converged[0], 0]))
        bar(f"seed {seed}: median rotation error of the converged 24 degree pairs (degrees)", accuracy, 0.3)
        print(f"seed {seed}: mean seconds a pair, one thread each: {rows[..., 1].mean():.3f}", flush=True)


if __name__ == "__main__":
    main()
