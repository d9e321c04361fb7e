"""Figure 4: the 2D sets, each under one of the perturbations."""

from __future__ import annotations

from pathlib import Path

from benchmarks.paper.experiment import Report, Row
from benchmarks.paper.output import table
from benchmarks.paper.pictures import figure
from benchmarks.paper.problems import Shape
from svgm.view.colours import SOURCE, TARGET
from svgm.view.pictures.figure import save

TITLE = "Figure 4: the 2D sets, scene and model, each under one of the perturbations"

#: As in the paper; levels in the middle of Figure 5's.
PERTURBED = (
    Shape("road", 1.0),
    Shape("contour", 1.0, "mean", "outliers", 0.5),
    Shape("fish", 1.0, "mean", "noise", 0.15),
    Shape("glyph", 1.0, "mean", "occlusion", 0.3),
)


def report(seed: int) -> Report:
    """How many points each has; the seed chooses the repetition."""
    shapes = [Shape(s.name, s.angle, s.about, s.perturbation, s.level, seed) for s in PERTURBED]
    rows: list[Row] = []
    for shape in shapes:
        pair = shape.load()
        rows.append(
            {
                "set": shape.name,
                "perturbation": shape.perturbation,
                "level": shape.level,
                "scene points": len(pair.target),
                "model points": len(pair.source),
            }
        )
    body = [list(row.values()) for row in rows]
    return Report(rows, table(list(rows[0]), body), lambda path: _draw(shapes, path))


def _draw(shapes: list[Shape], path: Path) -> None:
    picture, axes = figure(2, 4, width=2.8, height=2.8)
    for axis in axes.ravel():
        axis.set_aspect("equal")
        axis.set(xticks=[], yticks=[])
        axis.spines[["left", "bottom"]].set_visible(False)
    for k, shape in enumerate(shapes):
        pair = shape.load()
        scene, model = axes[k // 2, 2 * (k % 2) : 2 * (k % 2) + 2]
        scene.plot(*pair.target.T, ".", color=TARGET, markersize=3)
        model.plot(*pair.source.T, ".", color=SOURCE, markersize=3)
        what = {"none": "rotation"}.get(shape.perturbation, shape.perturbation)
        scene.set_title(f"({'abcd'[k]}) {shape.name}, scene", fontsize=9)
        model.set_title(f"model with {what}", fontsize=9)
    save(picture, path)
