"""Register two copies of a 2D curve: each lacks a part, one is turned by 100 degrees, both have noise and outliers.

Writes ``register_2d.png``: both sets before and after.  Run: ``python examples/register_2d.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, rigid, view

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

truth = rigid.exp([np.radians(100), 2.0, -1.0])
target = datasets.occlude(datasets.butterfly(1500, seed=1), 0.1, place=(-1.6, -1.3))
source = datasets.occlude(datasets.butterfly(1500, seed=2), 0.1, place=(2.2, 2.0))
target = datasets.disturb(target, noise=0.004, outliers=0.1, seed=1)
source = datasets.disturb(source, noise=0.004, outliers=0.1, seed=2)
source = rigid.apply(rigid.invert(truth), source)

result = svgm.register(source, target)

rotation, translation = rigid.pose_error(result.transformation, truth)
print(f"{result.status.value}; off by {np.degrees(rotation):.2f} degrees and {translation:.3f}")
view.registration(source, target, result, path=folder / "register_2d.png")
