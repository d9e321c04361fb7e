"""Locate many scans in one model: the model is prepared once, its SVMs are trained once, and every scan reuses them.

Writes ``many_sources.png``: the scans where they were and where they belong.
Run: ``python examples/many_sources.py [folder]``
"""

import sys
import time
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, rigid, view

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

model, _ = datasets.body(12_000, seed=1)
generator = np.random.default_rng(5)
target = svgm.prepare(model)
for number, angle in enumerate(np.radians([20, 80, 140, 200, 260, 320])):
    points, _ = datasets.body(12_000, seed=2 + number)
    scan = datasets.partial_view(
        points, viewpoint=(8 * np.cos(angle), 8 * np.sin(angle), 3.0), noise=0.001, seed=number
    )
    truth = rigid.exp(0.3 * generator.standard_normal(6))
    scan = rigid.apply(rigid.invert(truth), scan)
    begin = time.perf_counter()
    result = svgm.register(scan, target)
    seconds = time.perf_counter() - begin
    rotation, translation = rigid.pose_error(result.transformation, truth)
    print(f"scan {number}: off by {np.degrees(rotation):.2f} degrees and {translation:.3f}, {1e3 * seconds:.0f} ms")
view.registration(scan, model, result, path=folder / "many_sources.png", camera=view.Camera.at((3.0, 7.0, 3.0)))
