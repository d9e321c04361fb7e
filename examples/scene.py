"""A scene of one's own: what merging two occluded shapes kept of each, with the points and their box.

Writes ``scene.html``, to look at in a browser, and the densities as ``scene.png``; ``view.show(scene)`` would serve the
same live.  Run: ``python examples/scene.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, view

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

whole = datasets.butterfly(1500, seed=3)
source, target = (datasets.occlude(whole, 0.25, place=place) for place in ((-1.6, -1.3), (2.2, 2.0)))
scale = svgm.estimate_scale(whole)
parts = [svgm.fit(points, gamma=60, scale=scale) for points in (source, target)]
merged = svgm.merge(*parts)

(left, bottom), (right, top) = whole.min(axis=0), whole.max(axis=0)
corners = np.array([[left, bottom], [right, bottom], [right, top], [left, top], [left, bottom]])
layers = [
    *view.merge_scene(*parts, merged).layers,
    view.Lines(name="box", vertices=corners, colour="#8a8a8a"),
    view.Cloud(name="points", points=whole, colour="#8a8a8a", shown=False),
]
view.write_html(view.Scene(layers, title="Two occluded butterflies, merged"), folder / "scene.html")
view.densities([[("source", parts[0]), ("target", parts[1]), ("merged", merged)]], path=folder / "scene.png")
