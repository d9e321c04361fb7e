"""Table 1 with other parameters: how far the ranges hang on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.paper.experiment import Experiment, Report, Results, Row
from benchmarks.paper.output import spoken, table
from benchmarks.paper.pictures import COLOURS, figure
from benchmarks.paper.problems import Problem, Shape
from benchmarks.paper.store import spelled as key
from benchmarks.paper.table1 import SETS, converged, end, spelled
from svgm.view.pictures.figure import save

ANGLES = tuple(round(0.1 * k, 1) for k in range(32))

#: Annealings from coarse and less coarse starts, by large and small steps, to about the same end.
ANNEALINGS = tuple(
    {"gamma": gamma, "delta": delta, "levels": levels}
    for gamma, delta, levels in (
        *((0.03, 10.0, 4), (0.03, 2.0, 12), (0.1, 10.0, 3), (0.1, 2.0, 10)),
        *((0.3, 10.0, 3), (0.3, 2.0, 8), (1.0, 10.0, 2), (1.0, 2.0, 6)),
    )
)
SWEPT = {
    "SVR+": ANNEALINGS,
    "GMR": tuple({**annealing, "points": 2000} for annealing in ANNEALINGS),
    "CPD": tuple({"w": w} for w in (0.0, 0.1, 0.3, 0.5, 0.7)),
}


def problems(seeds: Sequence[int]) -> list[tuple[str, Problem]]:
    """Each set turned by each angle both ways, about its mean; nothing random."""
    return [(name, Shape(name, sign * angle)) for name in SETS for angle in ANGLES for sign in (1.0, -1.0)]


def report(results: Results) -> Report:
    """A row for every setting."""
    rows: list[Row] = []
    for method in results.methods:
        for setting in SWEPT[method]:
            row: Row = {"method": method, "setting": spoken(setting)}
            for name in SETS:
                runs = [
                    r.run for r in results.scored if (r.method, r.group, key(r.setting)) == (method, name, key(setting))
                ]
                good = converged(runs)
                row[f"{name} from"], row[f"{name} to"] = -end(good[1], ANGLES), end(good[0], ANGLES)
            rows.append(row)
    body = [
        [row["method"], row["setting"], *(spelled(row[f"{name} from"], row[f"{name} to"]) for name in SETS)]
        for row in rows
    ]
    markdown = (
        "Convergence range (radians, step 0.1) of sets turned about their means, for every setting: nothing chosen.\n\n"
        + table(["method", "setting", *SETS], body)
    )
    return Report(rows, markdown, lambda path: _draw(rows, path))


def _draw(rows: Sequence[Row], path: Path) -> None:
    picture, axes = figure(1, len(SETS), width=3.2, height=0.24 * len(rows) + 0.6)
    for axis, name in zip(axes[0], SETS, strict=True):
        for place, row in enumerate(rows[::-1]):
            low, high = row[f"{name} from"], row[f"{name} to"]
            axis.barh(place, high - low, 0.6, low, color=COLOURS[row["method"]])
        labels = [f"{row['method']}: {row['setting'].replace(', points 2000', '')}" for row in rows[::-1]]
        axis.set_yticks(range(len(rows)), labels if axis is axes[0][0] else [])
        axis.set_xlim(-3.2, 3.2)
        axis.set_title(name, fontsize=10)
        axis.set_xlabel("initial rotation (rad)", fontsize=8)
    save(picture, path)


EXPERIMENT = Experiment(
    name="table1b",
    title="Table 1 with other parameters, step 0.1 rad, rotation error <= 1 degree",
    methods=tuple(SWEPT),
    problems=problems,
    report=report,
    fixed=SWEPT,
)
