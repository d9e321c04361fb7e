"""hannover1: registrations within 0.5 m and 0.2 rad of the reference, from identity, all points, default parameters.

``python -m benchmarks.hannover --help``
"""

from __future__ import annotations

import time

import click
import numpy as np

from benchmarks.datasets import hannover_reference, hannover_scan
from benchmarks.report import bar, header, run_all
from svgm import register
from svgm.rigid import pose_error

BARS = {1: 99.8, 3: 95.0, 5: 65.0}


def one(job: tuple[int, int]) -> tuple[float, float, float]:
    """Rotation error (rad), translation error (m) and seconds of one pair."""
    target, source = job
    begin = time.perf_counter()
    result = register(hannover_scan(source), hannover_scan(target), threads=1)
    seconds = time.perf_counter() - begin
    return (*pose_error(result.transformation, hannover_reference(target, source)), seconds)


@click.command()
@click.option("--gaps", default="1,3,5", show_default=True, help="Scans between the two of a pair.")
@click.option("--every", default="1,5,5", show_default=True, help="Every so many pairs, for each gap.")
@click.option("--processes", default=2, show_default=True)
def main(gaps: str, every: str, processes: int) -> None:
    """Print the share of inliers for each gap."""
    header("hannover1, all points, identity start, default parameters; inlier: 0.5 m and 0.2 rad")
    for gap, stride in zip(map(int, gaps.split(",")), map(int, every.split(",")), strict=True):
        jobs = [(target, target + gap) for target in range(1, 301 - gap, stride)]
        rows = np.array(run_all(one, jobs, processes))
        inlier = (rows[:, 0] < 0.2) & (rows[:, 1] < 0.5)
        outliers = [f"{jobs[k][0]}<-{jobs[k][1]} ({rows[k, 1]:.2f} m)" for k in np.flatnonzero(~inlier)]
        print(
            f"gap {gap}: {inlier.sum()} of {len(jobs)} inliers, median error {np.median(rows[:, 1]):.3f} m and "
            f"{np.median(rows[:, 0]):.4f} rad, mean {rows[:, 2].mean():.2f} s a pair; outliers: "
            f"{', '.join(outliers) or 'none'}"
        )
        bar(f"gap {gap}: inliers (per cent)", 100 * inlier.mean(), BARS.get(gap, 0.0), at_least=True)


if __name__ == "__main__":
    main()
