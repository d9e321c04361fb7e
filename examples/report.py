"""Register two views of a body and write a report: one HTML file with the answer in words and a scene to turn.

Writes ``report.html``, and ``report.png`` to glance at.  Run: ``python examples/report.py [folder]``
"""

import sys
from pathlib import Path

import svgm
from svgm import datasets, rigid, view
from svgm.view.words import assessment, certainty

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

target = datasets.partial_view(datasets.body(8000, seed=1)[0], viewpoint=[6.0, 3.0, 2.0])
source = datasets.partial_view(datasets.body(8000, seed=2)[0], viewpoint=[8.0, -1.0, 3.0])
source = rigid.apply(rigid.exp([0.5, -0.3, 0.8, 0.5, -0.2, 0.1]), source)

result = svgm.register(source, target)

print(assessment(result), *certainty(result, source), sep="\n")
view.registration_report(source, target, result, folder / "report.html", names=("left view", "right view"))
view.registration(source, target, result, path=folder / "report.png")
