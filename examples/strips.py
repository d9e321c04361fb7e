"""Two strips of a landscape that overlap in part, registered with round and with flat components, whole and in part.

Seen from above a landscape is a sheet.  Round components draw two sheets to full overlap; flat ones keep roof on roof.
Safest is the part of the source that lies within the target.

Writes ``strips.png``: both strips from above, roofs bold, as the coordinates put them and by the three registrations.
Run: ``python examples/strips.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import rigid
from svgm.view.camera import Camera
from svgm.view.colours import SOURCE, TARGET
from svgm.view.pictures.draw import bounding_box, frame
from svgm.view.pictures.figure import new_figure, save

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

# Of each house: middle, length, width, height of the eaves, angle.
HOUSES = (
    (20, 25, 12, 8, 5.5, 0.3),
    (55, 18, 9, 9, 7.0, 1.1),
    (80, 50, 16, 7, 6.0, 2.0),
    (35, 70, 10, 7, 5.0, 0.8),
    (70, 90, 14, 9, 8.0, 2.6),
)


def survey(low: float, high: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Ground and roofs between two x, in metres, seen from above; and which points are roofs."""
    generator = np.random.default_rng(seed)
    x, y = generator.uniform(low, high, 30_000), generator.uniform(0.0, 110.0, 30_000)
    z, roofs = 3.0 * np.sin(x / 31.0) + 2.0 * np.cos(y / 23.0) + 0.02 * x, np.zeros(len(x), dtype=bool)
    for east, north, length, width, height, angle in HOUSES:
        along = np.cos(angle) * (x - east) + np.sin(angle) * (y - north)
        across = np.cos(angle) * (y - north) - np.sin(angle) * (x - east)
        roof = (np.abs(along) < length / 2) & (np.abs(across) < width / 2)
        roofs |= roof
        z[roof] = 3.0 * np.sin(east / 31.0) + height + 3.0 - 0.7 * np.abs(across[roof])
    return np.c_[x, y, z] + 0.02 * generator.standard_normal((len(x), 3)), roofs


middle = rigid.pose(np.eye(3), np.array([55.0, 55.0, 0.0]))
truth = middle @ rigid.exp([0.0, 0.0, np.radians(0.2), 0.9, -0.5, 0.3]) @ rigid.invert(middle)
target, roofs = survey(0.0, 85.0, seed=1)
source, other_roofs = survey(30.0, 110.0, seed=2)
source = rigid.apply(rigid.invert(truth), source)

low, high = target[:, :2].min(axis=0) + 5.0, target[:, :2].max(axis=0) - 5.0
within = source[((source[:, :2] > low) & (source[:, :2] < high)).all(axis=1)]
panels = [("by the coordinates", np.eye(4))]
for name, points, covariance in (
    ("whole, round components", source, "isotropic"),
    ("whole strips", source, "full"),
    ("the part within", within, "full"),
):
    result = svgm.register(points, target, search="local", covariance=covariance)
    T = result.transformation
    off = np.linalg.norm((T @ middle - truth @ middle)[:3, 3])
    print(f"{name}: {off:.2f} m off in the middle, confidence {result.confidence:.2f}")
    panels.append((f"{name}: {off:.2f} m off", T))

camera = Camera.at(np.array([0.0, 0.0, 1.0]), up=(0.0, 1.0, 0.0))
figure = new_figure(17.6, 4.7)
for column, (title, T) in enumerate(panels):
    axes = figure.add_axes(((column + 0.02) / 4, 0.02, 0.96 / 4, 0.9))
    frame(axes, bounding_box(camera, target, source), title)
    for points, tall, colour in ((target, roofs, TARGET), (rigid.apply(T, source), other_roofs, SOURCE)):
        axes.scatter(*points[~tall, :2].T, s=0.3, color=colour, alpha=0.25, linewidths=0)
        axes.scatter(*points[tall, :2].T, s=4.0, color=colour, alpha=0.8, linewidths=0)
save(figure, folder / "strips.png")
