"""Table 1: convergence ranges of the 2D sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.paper.experiment import Experiment, Report, Results, Row
from benchmarks.paper.output import table
from benchmarks.paper.pictures import COLOURS, figure
from benchmarks.paper.problems import Problem, Shape
from benchmarks.paper.published import TABLE_1
from benchmarks.paper.store import Run
from benchmarks.report import Bar
from svgm.view.pictures.figure import save

SETS = ("road", "contour", "fish", "glyph")
#: The collection's deformed versions of three of them and of a fifth, which are not scored.  (That fifth set itself is
#: a sine: nearly the same after half a turn.)
TRAINING = ("contour_deformed", "fish_deformed", "glyph_deformed", "curve_deformed")

METHODS = ("svgm", "svgm, isotropic", "svgm, chosen", "SVR+", "SVR", "GMR", "CPD", "ICP", "ICP, many starts", "NDD")

#: Of the paper's rows, ours that belong beside them: its SVR and GMR were annealed here.
BESIDE = {"svgm": "SVR", "svgm, isotropic": "SVR", "svgm, chosen": "SVR", "SVR+": "SVR"}
BESIDE |= {name: name for name in ("GMR", "CPD", "ICP")}

#: Initial rotations, one side: 0 to 3.14 rad by 0.01.
ANGLES = tuple(round(0.01 * k, 2) for k in range(315))

#: What the sets are turned about.
PLACES = ("mean", "origin")

#: Converged: an error of at most one degree.
NEAR = np.radians(1.0)


def problems(seeds: Sequence[int]) -> list[tuple[str, Problem]]:
    """Each set turned by each angle both ways, about its mean and about the origin; nothing random."""
    return [
        (f"{name} {about}", Shape(name, sign * angle, about))
        for about in PLACES
        for name in SETS
        for angle in ANGLES
        for sign in (1.0, -1.0)
    ]


def training() -> dict[str, list[Problem]]:
    """Other sets of the collection, turned by 13 angles each."""
    angles = [round(float(angle), 2) for angle in np.linspace(-3.0, 3.0, 13)]
    return {about: [Shape(name, angle, about) for name in TRAINING for angle in angles] for about in PLACES}


def fold(problem: Problem) -> str:
    """By the point that it is turned about."""
    assert isinstance(problem, Shape)
    return problem.about


def loss(runs: Sequence[Run]) -> tuple[float, ...]:
    """Rotations that do not converge; then time."""
    return float(np.sum([run.rotation > NEAR for run in runs])), float(np.mean([run.seconds for run in runs]))


def report(results: Results) -> Report:
    """Ranges beside the paper's."""
    rows: list[Row] = []
    for group in results.groups:
        name, about = group.split()
        for method in results.methods:
            runs = results.of(method, group)
            good = converged(runs)
            published = TABLE_1[name].get(BESIDE.get(method, "")) if about == "mean" else None
            rows.append(
                {
                    "set": name,
                    "turned about": about,
                    "method": method,
                    "from": -end(good[1], ANGLES),
                    "to": end(good[0], ANGLES),
                    "share converged": float(good.mean()),
                    "seconds": float(np.mean([run.seconds for run in runs])),
                    "paper from": published[0] if published else "",
                    "paper to": published[1] if published else "",
                }
            )
    bars = [
        Bar(
            f"svgm on {row['set']}, about its {row['turned about']}, smaller end of the range (rad), paper's SVR",
            min(-row["from"], row["to"]),
            TABLE_1[row["set"]]["SVR"][1],
            at_least=True,
        )
        for row in rows
        if row["method"] == "svgm"
    ]
    markdown = "\n\n".join(
        [
            "Range of initial rotations (radians) around 0 that all end within 1° of the truth; sets turned about "
            "their means, as in the paper.",
            _ranges([row for row in rows if row["turned about"] == "mean"], results.methods),
            "The same, turned about the origin, so that the sets are shifted too; the paper has no such figures.",
            _ranges([row for row in rows if row["turned about"] == "origin"], results.methods),
        ]
    )
    return Report(rows, markdown, lambda path: _draw([r for r in rows if r["turned about"] == "mean"], path), bars)


def _ranges(rows: Sequence[Row], methods: Sequence[str]) -> str:
    """A line a method: for each set the range, the paper's, and the share of all rotations that converge."""
    printed = any(row["paper to"] != "" for row in rows)
    head, body = ["method"], []
    for name in SETS:
        head += [name, "paper", "converged"] if printed else [name, "converged"]
    for method in methods:
        mine = [row for row in rows if row["method"] == method]
        cells = [method]
        for row in mine:
            cells.append(spelled(row["from"], row["to"]))
            if printed:
                cells.append("" if row["paper to"] == "" else f"{row['paper from']:.1f}..{row['paper to']:.1f}")
            cells.append(f"{row['share converged']:.0%}")
        body.append([*cells, f"{1e3 * np.mean([row['seconds'] for row in mine]):.3g} ms"])
    return table([*head, "mean time"], body)


def converged(runs: Sequence[Run]) -> np.ndarray:
    """Which angles converge, (2, angles): turned one way and the other, as in :func:`problems`."""
    return np.array([run.rotation <= NEAR for run in runs]).reshape(-1, 2).T


def end(good: np.ndarray, angles: Sequence[float]) -> float:
    """The last angle before the first, going out from zero, that does not converge."""
    if good.all():
        return angles[-1]
    first = int(good.argmin())
    return angles[first - 1] if first else 0.0


def spelled(low: float, high: float) -> str:
    return f"±{high:.2f}" if -low == high else f"{low:.2f}..{high:.2f}"


def _draw(rows: Sequence[Row], path: Path) -> None:
    """Ranges as bars, the paper's as thin ones below."""
    groups = list(dict.fromkeys(row["set"] for row in rows))
    picture, axes = figure(1, len(groups), width=3.2, height=0.42 * len({row["method"] for row in rows}) + 0.6)
    for axis, name in zip(axes[0], groups, strict=True):
        mine = [row for row in rows if row["set"] == name][::-1]
        for place, row in enumerate(mine):
            axis.barh(
                place + 0.12, row["to"] - row["from"], 0.45, row["from"], color=COLOURS.get(row["method"], "grey")
            )
            if row["paper to"] != "":
                axis.barh(place - 0.25, row["paper to"] - row["paper from"], 0.16, row["paper from"], color="#444444")
        axis.set_yticks(range(len(mine)), [row["method"] for row in mine] if axis is axes[0][0] else [])
        axis.set_xlim(-3.2, 3.2)
        axis.set_title(name, fontsize=10)
        axis.set_xlabel("initial rotation (rad)", fontsize=8)
    picture.suptitle("Convergence range; thin dark bars: printed in the paper", fontsize=10)
    save(picture, path)


EXPERIMENT = Experiment(
    name="table1",
    title="Table 1: convergence range of the 2D sets, step 0.01 rad, rotation error <= 1 degree",
    methods=METHODS,
    problems=problems,
    report=report,
    training=training(),
    fold=fold,
    loss=loss,
)
