"""A scan of a bracket against its nominal shape: aligned to some micrometres, then coloured by how far it is off.

The part has a dent of 0.3 mm; the scan has 0.02 mm of noise and is anywhere.  Writes ``deviations.png``.
Run: ``python examples/deviations.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

import svgm
from svgm import datasets, rigid
from svgm.view.camera import Camera
from svgm.view.colours import INK, TARGET
from svgm.view.pictures.draw import bounding_box, draw_points, frame
from svgm.view.pictures.figure import new_figure, save

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

# Plate, back, rib and boss, as corners of blocks in millimetres.
BLOCKS = np.array(
    [
        [[0, 0, 0], [80, 50, 8]],
        [[0, 42, 8], [80, 50, 40]],
        [[10, 20, 8], [16, 42, 30]],
        [[48, 10, 8], [68, 26, 16]],
    ],
    dtype=float,
)
DENT = np.array([33.0, 13.0])


def surface(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points on the outside of the blocks, evenly by area, and their normals."""
    generator = np.random.default_rng(seed)
    sides = BLOCKS[:, 1] - BLOCKS[:, 0]
    areas = np.repeat(sides.prod(axis=1)[:, None] / sides, 2, axis=1).ravel()  # two faces across each axis
    face = generator.choice(len(areas), count, p=areas / areas.sum())
    block, axis, end = face // 6, face % 6 // 2, face % 2
    points = BLOCKS[block, 0] + generator.random((count, 3)) * sides[block]
    points[np.arange(count), axis] = BLOCKS[block, end, axis]
    normals = (2.0 * end - 1.0)[:, None] * np.eye(3)[axis]
    just_outside = points + 1e-6 * normals
    outside = ~np.any([((just_outside > low) & (just_outside < high)).all(axis=1) for low, high in BLOCKS], axis=0)
    return points[outside], normals[outside]


nominal, normals = surface(60_000, seed=1)
eye = np.array([200.0, -300.0, 300.0])
points, directions = surface(100_000, seed=2)
seen = datasets.visible(points, eye)
points, directions = points[seen], directions[seen]
on_top = (np.abs(points[:, 2] - 8.0) < 1e-6) & (directions[:, 2] > 0.0)
points[:, 2] -= np.where(on_top, 0.3 * np.exp(-(((points[:, :2] - DENT) / 4.0) ** 2).sum(axis=1)), 0.0)
points += 0.02 * np.random.default_rng(3).standard_normal(points.shape)
truth = rigid.exp([0.5, -0.8, 2.0, 200.0, -100.0, 50.0])
scan = rigid.apply(rigid.invert(truth), points)

result = svgm.register(scan, nominal)
aligned = rigid.apply(result.transformation, scan)
nearest = cKDTree(nominal).query(aligned)[1]
deviation = np.einsum("ij,ij->i", aligned - nominal[nearest], normals[nearest])
# Noise is of single points: neighbours within 1.5 mm have one deviation.
around = cKDTree(aligned).query_ball_point(aligned[::3], 1.5)
local = np.array([np.median(deviation[members]) for members in around])

off = 1e3 * np.linalg.norm(aligned.mean(axis=0) - points.mean(axis=0))
deepest = aligned[::3][np.argmin(local)]
print(f"confidence {result.confidence:.2f}; off by {off:.0f} micrometres")
print(f"deepest: {local.min():+.2f} mm at x {deepest[0]:.0f}, y {deepest[1]:.0f} mm")

camera = Camera.at(eye)
figure = new_figure(9.6, 4.9)
box = bounding_box(camera, nominal)
for column, title in enumerate((f"nominal, {len(nominal):,} points", f"scan, {len(scan):,} points, by deviation")):
    axes = figure.add_axes((0.01 + 0.455 * column, 0.02, 0.44, 0.9))
    frame(axes, box, title)
    if column == 0:
        draw_points(axes, camera, (nominal, TARGET))
        continue
    page, order = camera.page(aligned[::3]), np.argsort(camera.depth(aligned[::3]))
    dots = axes.scatter(*page[order].T, c=local[order], s=3.0, cmap="coolwarm", vmin=-0.3, vmax=0.3, linewidths=0)
    bar = figure.colorbar(dots, cax=figure.add_axes((0.925, 0.12, 0.014, 0.7)))
    bar.set_label("mm", color=INK, fontsize=9)
    bar.ax.tick_params(labelsize=8)
save(figure, folder / "deviations.png")
