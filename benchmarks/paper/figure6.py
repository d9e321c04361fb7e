"""Figure 6: sensitivity to gamma and nu."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.datasets import dragon_pairs
from benchmarks.paper.experiment import Experiment, Report, Results, Row
from benchmarks.paper.output import table
from benchmarks.paper.pictures import figure
from benchmarks.paper.problems import Dragon, Problem
from benchmarks.paper.table2 import converged
from svgm.view.pictures.figure import save

GAMMAS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
NUS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)


def problems(seeds: Sequence[int]) -> list[tuple[str, Problem]]:
    """The 24 degree pairs."""
    return [("24", Dragon(i, j, seed=seed)) for seed in seeds for i, j in dragon_pairs(1)]


def report(results: Results) -> Report:
    """Median rotation error for every gamma and nu."""
    rows: list[Row] = []
    for gamma in GAMMAS:
        for nu in NUS:
            runs = [r.run for r in results.scored if (r.setting["gamma"], r.setting["nu"]) == (gamma, nu)]
            rows.append(
                {
                    "gamma / gamma-hat": gamma,
                    "nu": nu,
                    "median error (rad)": float(np.median([run.rotation for run in runs])),
                    "converged": sum(converged(run) for run in runs),
                    "pairs": len(runs),
                }
            )
    grid = np.array([row["median error (rad)"] for row in rows]).reshape(len(GAMMAS), len(NUS))
    body = [[f"{gamma:g}", *(f"{value:.4f}" for value in line)] for gamma, line in zip(GAMMAS, grid, strict=True)]
    counts = [f"{gamma:g}: {min(r['converged'] for r in rows if r['gamma / gamma-hat'] == gamma)}" for gamma in GAMMAS]
    markdown = (
        "Median rotation error (rad) of the pairs 24° apart; SVR with one scale, gamma in multiples of gamma-hat.\n\n"
        + table(["gamma \\ nu", *(f"{nu:g}" for nu in NUS)], body)
        + f"\n\nPairs converged of {rows[0]['pairs']}, the least over nu, by gamma: {', '.join(counts)}."
    )
    return Report(rows, markdown, lambda path: _draw(grid, path))


def _draw(grid: np.ndarray, path: Path) -> None:
    """The paper's surface as two families of curves, which can be read."""
    picture, axes = figure(1, 2)
    left, right = axes[0]
    for nu, line in zip(NUS, grid.T, strict=True):
        left.plot(GAMMAS, line, marker=".", label=f"nu {nu:g}")
    for gamma, line in list(zip(GAMMAS, grid, strict=True))[::2]:
        right.plot(NUS, line, marker=".", label=f"gamma {gamma:g}")
    for axis, name in ((left, "gamma / gamma-hat"), (right, "nu")):
        axis.set_xscale("log")
        axis.set_xlabel(name, fontsize=8)
        axis.set_ylabel("median rotation error (rad)", fontsize=8)
        axis.set_ylim(0.0, None)
        axis.legend(fontsize=7, frameon=False)
    save(picture, path)


EXPERIMENT = Experiment(
    name="figure6",
    title="Figure 6: sensitivity of SVR (one scale) to gamma and nu, DRAGON-STAND pairs 24 degrees apart",
    methods=("SVR",),
    problems=problems,
    report=report,
    fixed={"SVR": [{"gamma": gamma, "nu": nu} for gamma in GAMMAS for nu in NUS]},
)
