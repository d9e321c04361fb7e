"""What occlusion does to two densities (Figure 2 of the paper): the SVM's hardly changes where points remain.

A kernel density estimate weighs every point the same, so it fades where points are few; the SVM weighs its support
vectors so that the density is even.  Writes ``occlusion.png``.  Run: ``python examples/occlusion.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, view

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

whole = datasets.butterfly(2000)
# A part in shadow, not gone: of its points one in eight is left.
near = np.linalg.norm(whole - [2.0, 1.8], axis=1) < 1.6
occluded = whole[~near | (np.arange(len(whole)) % 8 == 0)]

scale = svgm.estimate_scale(whole)
rows = []
for name, points in (("A", whole), ("B", occluded)):
    kde = svgm.kde(points, gamma=40, scale=scale)
    mixture = svgm.fit(points, gamma=40, scale=scale)
    rows.append(
        [
            (f"Point-set {name}, {len(points)} points", points),
            (f"KDE {name}, {len(kde)} components", kde),
            (f"SVGM {name}, {len(mixture)} components", mixture),
        ]
    )

for column, name in ((1, "KDE"), (2, "SVGM")):
    before, after = rows[0][column][1], rows[1][column][1]
    print(f"{name}: relative L2 distance between A and B {before.l2_distance(after) / before.norm**2:.3f}")
view.densities(rows, path=folder / "occlusion.png", same_scale=False)
