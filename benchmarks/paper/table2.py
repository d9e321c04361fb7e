"""Table 2: DRAGON-STAND pairs that converge, by relative pose, with run time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.criteria import same_rotation
from benchmarks.datasets import dragon_pairs
from benchmarks.methods.registry import METHODS
from benchmarks.paper.experiment import Experiment, Report, Results, Row
from benchmarks.paper.output import table
from benchmarks.paper.pictures import curves, figure
from benchmarks.paper.problems import Dragon, Problem
from benchmarks.paper.published import TABLE_2
from benchmarks.paper.store import Run
from benchmarks.report import Bar
from svgm.view.pictures.figure import save

LOCAL = (
    *("svgm", "svgm, isotropic", "svgm, chosen", "SVR+", "SVR", "GMR", "CPD", "ICP", "ICP, many starts", "GICP"),
    *("GICP, small", "VGICP", "NDP", "NDD"),
)
GLOBAL = ("svgm, default call", "FGR", "RANSAC", "KISS", "GOI", "S4P")
STEPS = (1, 2, 3, 4)

#: Of the paper's columns, ours that belong beside them.
BESIDE = {"svgm": "SVR", "svgm, isotropic": "SVR", "svgm, chosen": "SVR"}
BESIDE |= {name: name for name in ("SVR", "GMR", "CPD", "ICP", "GOI", "S4P")}


def problems(seeds: Sequence[int]) -> list[tuple[str, Problem]]:
    """30 pairs a pose, both ways round, 2,000 random points a scan."""
    return [
        (str(24 * step), Dragon(i, j, seed=seed)) for seed in seeds for step in STEPS for i, j in dragon_pairs(step)
    ]


def training() -> dict[str, list[Problem]]:
    """Cross-fitting: pairs with an even target get what was chosen on pairs with an odd one, and the other way round.

    The training pairs have other random points (seed 100), and every pose is among them.
    """
    folds: dict[str, list[Problem]] = {"even targets": [], "odd targets": []}
    for step in STEPS:
        for target in range(15):
            # Half of the pairs of each pose; sources on either side in turn.
            other = (target + (1 if target % 4 < 2 else -1) * step) % 15
            folds["odd targets" if target % 2 == 0 else "even targets"].append(Dragon(other, target, seed=100))
    return folds


def fold(problem: Problem) -> str:
    """By the parity of the target."""
    assert isinstance(problem, Dragon)
    return "odd targets" if problem.target % 2 else "even targets"


def converged(run: Run) -> bool:
    """The paper's criterion."""
    return same_rotation(run.rotation)


def loss(runs: Sequence[Run]) -> tuple[float, ...]:
    """Pairs that do not converge; then the error of those that do."""
    good = [run.rotation for run in runs if converged(run)]
    return float(len(runs) - len(good)), float(np.median(good)) if good else np.inf


def report(results: Results) -> Report:
    """Counts beside the paper's."""
    rows: list[Row] = []
    for method in results.methods:
        published = TABLE_2.get(BESIDE.get(method, ""))
        for place, group in enumerate(results.groups):
            runs = results.of(method, group)
            good = [run.rotation for run in runs if converged(run)]
            rows.append(
                {
                    "method": method,
                    "search": METHODS[method].search,
                    "pose (degrees)": int(group),
                    "converged": len(good),
                    "pairs": len(runs),
                    "paper converged": published[place] if published else "",
                    "median error of converged (degrees)": float(np.degrees(np.median(good))) if good else "",
                    "mean seconds": float(np.mean([run.seconds for run in runs])),
                    "paper seconds": published[4] if published else "",
                }
            )
    return Report(rows, _markdown(results, rows), lambda path: _draw(rows, results.methods, path), _bars(results, rows))


def _markdown(results: Results, rows: Sequence[Row]) -> str:
    head = ["method"]
    for group in results.groups:
        head += [f"±{group}°", "paper"]
    head += ["median error at 24°", "mean time (s)", "paper (s)"]
    body = []
    for search in ("local", "global"):
        for method in results.methods:
            mine = [row for row in rows if row["method"] == method]
            if mine[0]["search"] != search:
                continue
            cells: list[object] = [method if search == "local" else f"{method} (global)"]
            for row in mine:
                cells += [row["converged"], row["paper converged"]]
            error = mine[0]["median error of converged (degrees)"]
            seconds = np.mean([row["mean seconds"] for row in mine])
            cells += [f"{error:.2f}°" if error != "" else "", f"{seconds:.3g}", mine[0]["paper seconds"]]
            body.append(cells)
    pairs = rows[0]["pairs"]
    return f"Pairs converged of {pairs}, |q̂·q| > 0.99, from the identity, 2,000 points a scan.\n\n" + table(head, body)


def _bars(results: Results, rows: Sequence[Row]) -> list[Bar]:
    bars = []
    for row in rows:
        if row["method"] != "svgm":
            continue
        pose, share = row["pose (degrees)"], row["converged"] / row["pairs"] * 30
        what = f"svgm at {pose}°, converged of 30"
        bars.append(Bar(f"{what}, the paper's SVR", share, row["paper converged"], at_least=True))
        peers = [
            r["converged"] / r["pairs"] * 30
            for r in rows
            if r["method"] in results.peers and r["pose (degrees)"] == pose
        ]
        if peers:
            bars.append(Bar(f"{what}, best other local method", share, max(peers), at_least=True))
    return bars


def _draw(rows: Sequence[Row], methods: Sequence[str], path: Path) -> None:
    picture, axes = figure(1, 2, width=4.6, height=3.6)
    poses = sorted({row["pose (degrees)"] for row in rows})
    for axis, search in zip(axes[0], ("local", "global"), strict=True):
        values = {
            method: [row["converged"] / row["pairs"] for row in rows if row["method"] == method]
            for method in methods
            if METHODS[method].search == search or method == "svgm"
        }
        curves(axis, poses, values)
        axis.set_xticks(poses, [f"±{pose}°" for pose in poses])
        axis.set_ylim(-0.02, 1.02)
        axis.set_title("local methods" if search == "local" else "global methods (svgm is local)", fontsize=10)
        axis.set_ylabel("share of pairs converged", fontsize=8)
        axis.legend(fontsize=7, frameon=False, loc="lower left")
    save(picture, path)


EXPERIMENT = Experiment(
    name="table2",
    title="Table 2: DRAGON-STAND, 2,000 random points a scan, pairs converged by relative pose, and run time",
    methods=(*LOCAL, *GLOBAL),
    problems=problems,
    report=report,
    training=training(),
    fold=fold,
    loss=loss,
)
