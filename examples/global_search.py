"""Register two scans of a body with no idea how they lie: one of them turned upside down and carried away.

Prints what the search found and how far it can be believed; writes ``global_search.png``: the answer and the poses that
were next to it.  Run: ``python examples/global_search.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, rigid, view

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

truth = rigid.exp([2.5, 0.8, -1.2, 30.0, -20.0, 5.0])
target = datasets.partial_view(datasets.body(15_000, seed=1)[0], viewpoint=(7.0, 4.0, 3.0), noise=0.001, seed=1)
source = datasets.partial_view(datasets.body(15_000, seed=2)[0], viewpoint=(1.0, 8.0, 3.0), noise=0.001, seed=2)
source = rigid.apply(rigid.invert(truth), source)

for search in ("local", "global"):
    result = svgm.register(source, target, search=search)
    rotation, translation = rigid.pose_error(result.transformation, truth)
    print(
        f"{search}: off by {np.degrees(rotation):.2f} degrees and {translation:.3f}; "
        f"confidence {result.confidence:.3f}, overlap {result.overlap:.0%}"
    )
view.candidates(source, target, result, path=folder / "global_search.png", camera=view.Camera.at((3.0, 7.0, 3.0)))
