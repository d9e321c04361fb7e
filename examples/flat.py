"""Two partial views of a body, registered with round and with flat components: which is nearer to the true pose.

Writes ``flat.png``: the finest components of the target, round and flat, and the errors for views 27° and 70° apart.
Run: ``python examples/flat.py [folder]``
"""

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, rigid
from svgm.view.camera import Camera
from svgm.view.colours import INK, SOURCE, TARGET
from svgm.view.pictures.draw import bounding_box, draw_ellipses, frame
from svgm.view.pictures.figure import new_figure, save

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
folder.mkdir(parents=True, exist_ok=True)

KINDS = ("isotropic", "full")
HERE, THERE = (7.0, 4.0, 3.0), {27: (4.0, 6.5, 3.0), 70: (-2.0, 7.5, 3.0)}
truth = rigid.exp([0.3, -0.2, 0.4, 0.5, -0.2, 0.1])


def scan(seed: int, eye: tuple[float, float, float]) -> np.ndarray:
    """About 2,000 points of the body that can be seen from a place, with noise."""
    return datasets.partial_view(datasets.body(7_000, seed=seed)[0], eye, noise=0.001, seed=seed)


errors = {}
for angle, eye in THERE.items():
    for kind in KINDS:
        errors[angle, kind] = []
        for seed in range(6):
            target = scan(seed + 100, HERE)
            source = rigid.apply(rigid.invert(truth), scan(seed, eye))
            result = svgm.register(source, target, covariance=kind)
            errors[angle, kind].append(np.degrees(rigid.pose_error(result.transformation, truth)[0]))
        print(f"views {angle}° apart, {kind}: median rotation error {np.median(errors[angle, kind]):.3f}°")

camera = Camera.at(np.array(HERE))
figure = new_figure(13.2, 4.7)
for column, kind in enumerate(KINDS):
    mixture = svgm.register(target, target, search="local", covariance=kind).mixtures[1]
    axes = figure.add_axes(((column + 0.02) / 3, 0.02, 0.96 / 3, 0.9))
    frame(axes, bounding_box(camera, target, margin=mixture.sigma), f"{kind}: {len(mixture)} components")
    order = np.argsort(camera.depth(mixture.means), kind="stable")
    draw_ellipses(axes, camera, mixture.means[order], mixture.full_covariances()[order], TARGET)

axes = figure.add_axes((2.16 / 3, 0.11, 0.8 / 3, 0.81))
for place, ((_, kind), values) in enumerate(errors.items()):
    colour = SOURCE if kind == "isotropic" else TARGET
    axes.scatter(np.full(len(values), place), values, s=22, color=colour, linewidths=0)
    axes.plot([place - 0.3, place + 0.3], [np.median(values)] * 2, color=INK, lw=1.5)
axes.set_xticks(range(len(errors)), [f"{angle}°\n{kind}" for angle, kind in errors], fontsize=9)
axes.set_yscale("log")
axes.set_title("rotation error in degrees, and the median", fontsize=10)
save(figure, folder / "flat.png")
