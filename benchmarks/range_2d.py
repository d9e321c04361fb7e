"""Convergence range of the 2D sets: the contiguous range of initial rotations that end within 1 degree.

The model is turned about the origin by angles from -3.14 to 3.14 rad and registered to the unturned set, from
identity, default parameters (Table 1 of the paper).  ``python -m benchmarks.range_2d --help``
"""

from __future__ import annotations

import click
import numpy as np

from benchmarks.datasets import shape_2d
from benchmarks.report import bar, header, run_all
from svgm import register
from svgm.rigid import rotation_exp, rotation_log

BARS = {"road": 3.1, "contour": 1.6, "fish": 1.6, "glyph": 1.6}
PAPER = {"road": 3.1, "contour": 1.6, "fish": 1.6, "glyph": 1.6}


def one(job: tuple[str, float]) -> float:
    """Rotation error in degrees from one initial rotation."""
    name, angle = job
    points = shape_2d(name)
    turn = rotation_exp(np.array([angle]), 2)
    result = register(points @ turn.T, points, threads=1)
    return float(np.degrees(np.abs(rotation_log(turn @ result.rotation))[0]))


@click.command()
@click.option("--step", default=0.01, show_default=True, help="Radians between initial rotations.")
@click.option("--sets", default="road,contour,fish,glyph", show_default=True)
@click.option("--processes", default=2, show_default=True)
def main(step: float, sets: str, processes: int) -> None:
    """Print the range for each set."""
    header(f"2D convergence range, rotation error <= 1 degree, step {step} rad")
    half = np.arange(0.0, 3.14 + 1e-9, step)
    for name in sets.split(","):
        errors = run_all(one, [(name, sign * angle) for sign in (1, -1) for angle in half], processes)
        good = np.array(errors).reshape(2, -1) <= 1.0
        # The range ends before the first rotation, going out from zero, that does not converge.
        ends = [float(half[side.argmin() - 1]) if not side.all() else float(half[-1]) for side in good]
        print(f"{name}: -{ends[1]:.2f} .. {ends[0]:.2f} rad; {good.mean():.1%} of all rotations converge")
        bar(f"{name}: smaller end of the range (paper's SVR {PAPER[name]})", min(ends), BARS[name], at_least=True)


if __name__ == "__main__":
    main()
