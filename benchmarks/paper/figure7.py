"""Figure 7: occlusion of the dragon."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.datasets import dragon_pairs
from benchmarks.paper import table2
from benchmarks.paper.experiment import Experiment, Report, Results, Row
from benchmarks.paper.figure5 import OURS
from benchmarks.paper.output import table
from benchmarks.paper.pictures import curves, figure, legend
from benchmarks.paper.problems import Dragon, Problem
from benchmarks.paper.table2 import converged
from benchmarks.report import Bar
from svgm.view.pictures.figure import save

FRACTIONS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
STEPS = (1, 2)


def problems(seeds: Sequence[int]) -> list[tuple[str, Problem]]:
    """All pairs 24 and 48 degrees apart, a part of the source cut out around a random point."""
    return [
        (f"{24 * step} {fraction:g}", Dragon(i, j, seed=seed, occlusion=fraction))
        for seed in seeds
        for step in STEPS
        for fraction in FRACTIONS
        for i, j in dragon_pairs(step)
    ]


def report(results: Results) -> Report:
    """Mean error and share converged at each fraction."""
    rows: list[Row] = []
    for group in results.groups:
        pose, fraction = group.split()
        for method in results.methods:
            runs = results.of(method, group)
            rows.append(
                {
                    "pose (degrees)": int(pose),
                    "occluded": float(fraction),
                    "method": method,
                    "mean error (rad)": float(np.mean([run.rotation for run in runs])),
                    "share converged": float(np.mean([converged(run) for run in runs])),
                    "pairs": len(runs),
                    "seconds": float(np.mean([run.seconds for run in runs])),
                }
            )
    parts, bars = [], []
    others = results.peers
    for pose in (24 * step for step in STEPS):
        for column, form in (("mean error (rad)", "{:.3f}"), ("share converged", "{:.0%}")):
            body = [
                [method, *(form.format(_value(rows, pose, fraction, method, column)) for fraction in FRACTIONS)]
                for method in results.methods
            ]
            parts.append(
                f"**±{pose}°: {column}**, by the occluded share\n\n" + table(["method", *map(str, FRACTIONS)], body)
            )
        for name in [name for name in OURS if others and name in results.methods]:
            for fraction in FRACTIONS:
                what = f"±{pose}°, {fraction:g} occluded"
                error, *errors = (_value(rows, pose, fraction, m, "mean error (rad)") for m in (name, *others))
                bars.append(Bar(f"{what}: mean error of {name}, best other local", error, min(errors)))
                share, *shares = (_value(rows, pose, fraction, m, "share converged") for m in (name, *others))
                bars.append(
                    Bar(f"{what}: share converged of {name}, best other local", share, max(shares), at_least=True)
                )
    return Report(rows, "\n\n".join(parts), lambda path: _draw(rows, results.methods, path), bars)


def _value(rows: Sequence[Row], pose: int, fraction: float, method: str, column: str) -> float:
    found = (r for r in rows if (r["pose (degrees)"], r["occluded"], r["method"]) == (pose, fraction, method))
    return float(next(found)[column])


def _draw(rows: Sequence[Row], methods: Sequence[str], path: Path) -> None:
    """The paper's four panels."""
    picture, axes = figure(2, len(STEPS))
    for line, column in zip(axes, ("mean error (rad)", "share converged"), strict=True):
        for axis, step in zip(line, STEPS, strict=True):
            values = {m: [_value(rows, 24 * step, f, m, column) for f in FRACTIONS] for m in methods}
            curves(axis, FRACTIONS, values)
            axis.set_title(f"±{24 * step}°", fontsize=9)
            axis.set_xlabel("occluded share of the source", fontsize=8)
            axis.set_ylabel(column, fontsize=8)
            axis.set_ylim(0.0, None)
    legend(picture, axes[0][0])
    save(picture, path)


EXPERIMENT = Experiment(
    name="figure7",
    title="Figure 7: DRAGON-STAND with a part of the source occluded, poses 24 and 48 degrees apart",
    methods=table2.LOCAL,
    problems=problems,
    report=report,
    training=table2.training(),
    fold=table2.fold,
    loss=table2.loss,
)
