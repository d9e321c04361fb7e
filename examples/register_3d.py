"""Register two scans of a 3D body from viewpoints 70 degrees apart: each sees what the other cannot.

Writes ``register_3d.png``: both scans before and after.  Run: ``python examples/register_3d.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, rigid, view

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

truth = rigid.exp([0.3, 0.4, -0.5, 0.6, 0.2, 0.1])
points, _ = datasets.body(15_000, seed=1)
target = datasets.partial_view(points, viewpoint=(7.0, 4.0, 3.0), noise=0.001, seed=1)
points, _ = datasets.body(15_000, seed=2)
source = datasets.partial_view(points, viewpoint=(-2.0, 7.5, 3.0), noise=0.001, seed=2)
source = rigid.apply(rigid.invert(truth), source)

result = svgm.register(source, target)

rotation, translation = rigid.pose_error(result.transformation, truth)
print(f"{result.status.value}; off by {np.degrees(rotation):.2f} degrees and {translation:.3f}")
camera = view.Camera.at((3.0, 7.0, 3.0))
view.registration(source, target, result, path=folder / "register_3d.png", camera=camera)
