"""Figure 5: outliers, noise and occlusion on the 2D sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.paper.experiment import Experiment, Report, Results, Row
from benchmarks.paper.output import table
from benchmarks.paper.pictures import curves, figure, legend
from benchmarks.paper.problems import Problem, Shape
from benchmarks.paper.store import Run
from benchmarks.paper.table1 import METHODS, SETS, TRAINING
from benchmarks.report import Bar
from svgm.view.pictures.figure import save

#: Outliers: share of all points; noise: in sigma-hats; occlusion: share of the model.
LEVELS = {
    "outliers": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
    "noise": (0.0, 0.05, 0.1, 0.15, 0.2, 0.3),
    "occlusion": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6),
}
AXES = {"outliers": "outliers / all points", "noise": "noise (sigma-hat)", "occlusion": "occluded share"}
REPETITIONS = 50
ANGLE = 1.0

#: The default call, and the same with nu chosen on the training pairs; both are held to the bars.
OURS = ("svgm", "svgm, chosen")


def problems(seeds: Sequence[int]) -> list[tuple[str, Problem]]:
    """50 repetitions of every level; one at level 0, where nothing is random."""
    return [
        (f"{perturbation} {level:g}", Shape(name, ANGLE, "mean", perturbation, level, 1000 * seed + k))
        for seed in seeds
        for perturbation, levels in LEVELS.items()
        for level in levels
        for name in SETS
        for k in range(REPETITIONS if level else 1)
    ]


def training() -> dict[str, list[Problem]]:
    """Sets that are not scored, three repetitions at every level; parameters are chosen per perturbation."""
    return {
        perturbation: [
            Shape(name, ANGLE, "mean", perturbation, level, k)
            for level in levels[1:]
            for name in TRAINING
            for k in range(3)
        ]
        for perturbation, levels in LEVELS.items()
    }


def fold(problem: Problem) -> str:
    """The perturbation."""
    assert isinstance(problem, Shape)
    return problem.perturbation


def loss(runs: Sequence[Run]) -> tuple[float, ...]:
    """Mean rotation error, as the figure shows."""
    return (float(np.mean([run.rotation for run in runs])),)


def report(results: Results) -> Report:
    """Mean rotation errors over sets and repetitions."""
    rows: list[Row] = []
    for group in results.groups:
        perturbation, level = group.split()
        for method in results.methods:
            runs = results.of(method, group)
            row: Row = {"perturbation": perturbation, "level": float(level), "method": method}
            row["mean error (rad)"] = float(np.mean([run.rotation for run in runs]))
            row["share within 0.1 rad"] = float(np.mean([run.rotation <= 0.1 for run in runs]))
            for name in SETS:
                errors = [run.rotation for run in runs if run.problem.split()[1] == name]
                row[f"{name} (rad)"] = float(np.mean(errors))
            row["seconds"] = float(np.mean([run.seconds for run in runs]))
            rows.append(row)
    parts = ["Mean rotation error in radians over the four sets and 50 repetitions; 1 rad at the start."]
    bars = []
    for perturbation, levels in LEVELS.items():
        body = []
        for method in results.methods:
            body.append([method, *(f"{_value(rows, perturbation, level, method):.3f}" for level in levels)])
        parts.append(f"**{perturbation}** ({AXES[perturbation]})\n\n" + table(["method", *map(str, levels)], body))
        if perturbation != "noise":
            others = results.peers
            for name in [name for name in OURS if others and name in results.methods]:
                for level in levels[1:]:
                    error = _value(rows, perturbation, level, name)
                    least = min(_value(rows, perturbation, level, other) for other in others)
                    bars.append(Bar(f"{perturbation} {level:g}: mean error of {name}, best other method", error, least))
    return Report(rows, "\n\n".join(parts), lambda path: _draw(rows, results.methods, path), bars)


def _value(rows: Sequence[Row], perturbation: str, level: float, method: str) -> float:
    found = (r for r in rows if (r["perturbation"], r["level"], r["method"]) == (perturbation, level, method))
    return float(next(found)["mean error (rad)"])


def _draw(rows: Sequence[Row], methods: Sequence[str], path: Path) -> None:
    """The paper's three panels, and below them each set."""
    measures = {"mean of the four sets": "mean error (rad)"} | {name: f"{name} (rad)" for name in SETS}
    picture, axes = figure(len(measures), 3, height=2.5)
    for line, (what, column) in zip(axes, measures.items(), strict=True):
        for axis, (perturbation, levels) in zip(line, LEVELS.items(), strict=True):
            values = {
                method: [float(r[column]) for r in rows if (r["perturbation"], r["method"]) == (perturbation, method)]
                for method in methods
            }
            curves(axis, levels, values)
            axis.set_title(f"{perturbation}: {what}", fontsize=9)
            axis.set_xlabel(AXES[perturbation], fontsize=8)
            axis.set_ylim(0.0, 2.0)
        line[0].set_ylabel("rotation error (rad)", fontsize=8)
    legend(picture, axes[0][0])
    save(picture, path)


EXPERIMENT = Experiment(
    name="figure5",
    title="Figure 5: rotation error against outliers, noise and occlusion, 2D sets turned by 1 rad, 50 repetitions",
    methods=METHODS,
    problems=problems,
    report=report,
    training=training(),
    fold=fold,
    loss=loss,
)
