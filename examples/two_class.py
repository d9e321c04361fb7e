"""The reconstruction variant: an SVM of the surface against free space beside it draws fine detail.

Writes ``two_class.png``: the decision functions of the one-class and of the two-class SVM, with their zero lines.
Run: ``python examples/two_class.py [folder]``
"""

import sys
from pathlib import Path

import svgm
from svgm import datasets, view

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

points = datasets.disturb(datasets.butterfly(700, turns=1), noise=0.001)
one_class = svgm.fit(points, gamma=200)
two_class = svgm.fit_two_class(points, gamma=200)

print(f"one-class: {one_class}\ntwo-class: {two_class}")
panels = [
    (f"one class, {len(one_class)} components", one_class),
    (f"two classes, {len(two_class)} components", two_class),
]
view.decision(panels, points, path=folder / "two_class.png")
