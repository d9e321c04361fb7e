"""A scan in an unknown unit, registered to a model: a similarity; and a stretched drawing: an affine map.

Writes ``similarity.png``: scan and model before and after, what the objective says about the scale, and the drawing.
Run: ``python examples/similarity.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, rigid
from svgm.view.camera import Camera
from svgm.view.colours import INK, SOURCE, TARGET
from svgm.view.pictures.draw import bounding_box, draw_points, frame
from svgm.view.pictures.figure import new_figure, save

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

# The model is in metres.  The scan sees one side of it, and its unit is not known: here it is an inch.
model = datasets.body(4_000, seed=1)[0]
INCHES = 1.0 / 0.0254
motion = rigid.exp([0.4, -1.0, 2.0, 30.0, -10.0, 5.0])
motion[:3, :3] *= INCHES
scan = rigid.apply(motion, datasets.partial_view(datasets.body(7_000, seed=2)[0], (7.0, 4.0, 3.0), noise=0.002, seed=2))

result = svgm.register(scan, model, transform="similarity")
print(f"scale {result.scale:.5f}, true {1.0 / INCHES:.5f}; confidence {result.confidence:.2f}")

# The correlation of the two densities over the scale about the scan's centre; the source's Gaussians are scaled too.
source, target = result.mixtures
centre = rigid.apply(result.transformation, result.centre[None])[0]
factors = np.geomspace(0.2, 5.0, 61)
correlations = []
for factor in factors:
    scaled = result.transformation.copy()
    scaled[:3, :3] *= factor
    scaled[:3, 3] = centre - scaled[:3, :3] @ result.centre
    moved = source.transformed(scaled)
    correlations.append(moved.inner_product(target) / moved.norm / target.norm)
print(f"correlation {max(correlations):.2f} at {factors[np.argmax(correlations)]:.2f} times the answer's scale")

# A drawing, stretched 2:1 and turned by a radian.
drawing = datasets.butterfly(600, seed=3)
linear = np.array([[np.cos(1.0), -np.sin(1.0)], [np.sin(1.0), np.cos(1.0)]]) @ np.diag([2.0, 1.0])
stretched = datasets.butterfly(600, seed=4) @ linear.T
affine = svgm.register(drawing, stretched, transform="affine")
error = np.abs(affine.transformation[:2, :2] - linear).max()
print(f"affine: {affine.transform}, largest error of the matrix {error:.3f}")

camera = Camera.at(np.array((7.0, 4.0, 3.0)))
figure = new_figure(14.0, 4.0)
for column, (title, points) in enumerate([("in inches", scan), ("after", result.transform.apply(scan))]):
    axes = figure.add_axes(((column + 0.02) / 4, 0.02, 0.96 / 4, 0.88))
    frame(axes, bounding_box(camera, model, points), f"scan and model, {title}")
    draw_points(axes, camera, (model, TARGET), (points, SOURCE))
axes = figure.add_axes((2.16 / 4, 0.14, 0.8 / 4, 0.76))
axes.plot(np.log2(factors), correlations, color=INK)
axes.set_xticks([-2, -1, 0, 1, 2], ["1/4", "1/2", "1", "2", "4"])
axes.set_title("correlation, over the scale / the answer's", fontsize=10)
axes = figure.add_axes((3.04 / 4, 0.02, 0.94 / 4, 0.88))
for points, colour in ((stretched, TARGET), (drawing, INK), (affine.transform.apply(drawing), SOURCE)):
    axes.scatter(*points.T, s=2, color=colour, linewidths=0)
axes.set_aspect("equal")
axes.axis("off")
axes.set_title("a drawing, the stretched one, and the answer", fontsize=10)
save(figure, folder / "similarity.png")
