"""The surface of a body from eight partial views: two-class mixtures with their viewpoints, fused, as a mesh.

Writes ``surface.png``: the points of all views, the surface of one view, and the surface of the merged mixture.
Run: ``python examples/surface.py [folder]``
"""

import sys
from itertools import product
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, view

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

points, _ = datasets.body(20_000, seed=1)
eyes = [8.0 * np.array(corner) for corner in product((1.0, -1.0), repeat=3)]
views = [datasets.partial_view(points, eye, noise=0.001, seed=k) for k, eye in enumerate(eyes)]

# One scale for all, and the seen side of each view is free space: then the surface is one sheet, not a skin.
mixtures = [svgm.fit_two_class(seen, scale=0.08, gamma=1, viewpoint=eye) for seen, eye in zip(views, eyes, strict=True)]
models = mixtures
while len(models) > 1:  # neighbours first, in a balanced tree
    models = [svgm.merge(source, target) for target, source in zip(models[::2], models[1::2], strict=True)]
merged = models[0]

one, fused = svgm.surface(mixtures[0]), svgm.surface(merged)
print(f"one view: {one}\nmerged:   {fused}\n          from {merged}")
panels = [
    (f"eight views, {sum(map(len, views)):,} points", np.vstack(views)),
    (f"surface of one view, {len(one.simplices):,} triangles", one),
    (f"surface of the merged mixture, {len(fused.simplices):,}", fused),
]
view.mesh(panels, path=folder / "surface.png", camera=view.Camera.at(np.array([0.6, 1.0, 0.5])))
