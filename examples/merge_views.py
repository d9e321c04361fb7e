"""Merge two aligned mixtures (Figure 3 of the paper): the plain sum counts the overlap twice, GMMerge does not.

Writes ``merge_views.png``: both mixtures, the sum, GMMerge, and the mixture of all points for comparison.
Run: ``python examples/merge_views.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, view

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

whole = datasets.butterfly(2000, seed=1)
left = datasets.occlude(whole, 0.3, place=(2.6, 1.0))
right = datasets.occlude(datasets.butterfly(2000, seed=2), 0.3, place=(-2.6, 1.0))

# Mixtures that are compared or merged need one scale.
scale = svgm.estimate_scale(whole)
first, second, union = (svgm.fit(points, gamma=60, scale=scale) for points in (left, right, np.vstack([left, right])))
naive, merged = svgm.merge_naive(first, second), svgm.merge(first, second)

print(f"components: {len(first)} and {len(second)}; sum {len(naive)}, GMMerge {len(merged)}, union {len(union)}")
print(f"L2 distance to the union: sum {naive.l2_distance(union):.2e}, GMMerge {merged.l2_distance(union):.2e}")
panels = [
    (f"source, {len(first)} components", first),
    (f"target, {len(second)}", second),
    (f"naive sum, {len(naive)}", naive),
    (f"GMMerge, {len(merged)}", merged),
    (f"fitted to all points, {len(union)}", union),
]
view.densities([panels], path=folder / "merge_views.png")
