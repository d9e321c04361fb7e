"""A butterfly bent by a known smooth map, with noise, outliers and a part missing: the deformation is found again.

Prints the distance of the butterfly's points from where the map takes them, and writes ``nonrigid.png``: both sets and
the grid, before and after.  Run: ``python examples/nonrigid.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, rigid, view

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)


def bend(points):
    """The map that is to be found: x is pushed by a wave of y, y by one of x, and all is shifted."""
    x, y = points.T
    return np.column_stack([x + 0.5 * np.sin(0.9 * y) + 3.0, y + 0.4 * np.sin(0.8 * x + 0.5)])


source = datasets.butterfly(300, turns=1)
seen = datasets.occlude(datasets.butterfly(300, turns=1, seed=2), 0.15, place=(2.2, 1.0))
target = datasets.disturb(bend(seen), noise=0.003, outliers=0.15, seed=1)

result = svgm.register(source, target, transform="nonrigid")

nearest = rigid.apply(result.transformation, source)
for name, moved in (("before", source), ("by the nearest rigid motion", nearest), ("after", result.apply(source))):
    error = np.linalg.norm(moved - bend(source), axis=1)
    print(f"{name}: mean error {error.mean():.3f}, largest {error.max():.3f}")
print(result.warp)
view.deformation(source, target, result, path=folder / "nonrigid.png")
