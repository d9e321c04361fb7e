"""Points that fill a volume: ``python -m benchmarks.volumes`` times their registration over that of a surface.

Both have as many points, and both are generated.
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np

import svgm
from benchmarks.datasets import Array
from benchmarks.report import bar, header
from svgm.datasets import body
from svgm.rigid import apply, exp

#: Of the time of a surface of as many points.
MOST = 5.0

MOTION = exp([0.3, -0.2, 0.4, 0.5, -0.2, 0.1])


def points(kind: str, count: int, seed: int) -> Array:
    """A surface, a 3D Gaussian, which looks alike from all sides, or a filled box."""
    if kind == "surface":
        return body(count, seed=seed)[0]
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 3)) if kind == "Gaussian" else rng.uniform(size=(count, 3)) * [1.0, 2.0, 3.0]


def seconds(kind: str, count: int, search: str) -> float:
    """Of a processor, for one registration on one thread."""
    source, target = apply(MOTION, points(kind, count, 1)), points(kind, count, 2)
    begin = process_time()
    svgm.register(source, target, search=search, threads=1)
    return process_time() - begin


def main() -> None:
    """Print a ratio for each search and kind of volume."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=300_000)
    count = parser.parse_args().points
    header(f"volumes of {count:,} points")
    seconds("surface", 1000, "global")  # what the first call loads
    for search in ("local", "auto", "global"):
        surface = seconds("surface", count, search)
        print(f"{search}: surface {surface:.2f} s")
        for kind in ("Gaussian", "box"):
            bar(f"{search}: {kind}, time over the surface's", seconds(kind, count, search) / surface, MOST)


if __name__ == "__main__":
    main()
