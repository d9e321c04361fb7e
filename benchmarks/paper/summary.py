"""The few figures that README shows, from what the experiments have left."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.methods.registry import is_peer
from benchmarks.paper.experiment import Row
from benchmarks.paper.figure3 import GMMERGE, NAIVE
from benchmarks.paper.output import table


def summary(results: Path) -> str:
    """Markdown: svgm's default call, the best other local method, and the paper's SVR."""

    def rows(name: str, **where: Any) -> list[Row]:
        """Rows with these values; columns are named without what stands in brackets."""
        found = json.loads((results / f"{name}.json").read_text(encoding="utf-8"))["rows"]
        plain = [({key.split(" (")[0].replace(" ", "_"): value for key, value in row.items()}, row) for row in found]
        return [row for names, row in plain if all(names[key] == value for key, value in where.items())]

    table2, merging = rows("table2"), rows("figure3")
    poses = sorted({row["pose (degrees)"] for row in table2})
    counts = {row["pose (degrees)"]: row for row in table2 if row["method"] == "svgm"}
    ranges = rows("table1", method="svgm", turned_about="mean")
    body: list[list[object]] = [
        [
            "DRAGON-STAND, 2,000 points",
            f"pairs converged of {counts[24]['pairs']} at {'/'.join(map(str, poses))}°",
            "/".join(str(counts[pose]["converged"]) for pose in poses),
            "/".join(_best([r for r in table2 if r["pose (degrees)"] == p], "converged", max, "{}") for p in poses),
            "/".join(str(counts[pose]["paper converged"]) for pose in poses),
            "table2",
        ],
        [
            "",
            "median rotation error at 24°",
            f"{counts[24]['median error of converged (degrees)']:.2f}°",
            _best(
                [r for r in table2 if r["pose (degrees)"] == 24], "median error of converged (degrees)", min, "{:.2f}°"
            ),
            "",
            "table2",
        ],
        [
            "DRAGON-STAND, 48°, 40 % of the source cut out",
            "pairs converged",
            *_beside(rows("figure7", occluded=0.4, pose=48), "share converged", max, "{:.0%}"),
            "",
            "figure7",
        ],
        [
            "2D sets: " + ", ".join(row["set"] for row in ranges),
            "smaller end of the convergence range (rad)",
            ", ".join(f"{min(-row['from'], row['to']):.2f}" for row in ranges),
            ", ".join(
                _best(
                    [
                        {**r, "end": min(-r["from"], r["to"])}
                        for r in rows("table1", turned_about="mean", set=row["set"])
                    ],
                    "end",
                    max,
                    "{:.2f}",
                )
                for row in ranges
            ),
            ", ".join(f"{row['paper to']:.1f}" for row in ranges),
            "table1",
        ],
    ]
    for level in (0.2, 0.4):
        found = rows("figure5", perturbation="occlusion", level=level)
        body.append(
            [
                f"2D sets turned by 1 rad, {level:.0%} cut out",
                "mean rotation error (rad)",
                *_beside(found, "mean error (rad)", min, "{:.3f}"),
                "",
                "figure5",
            ]
        )
    for gap in (1, 3, 5):
        found = rows("table4", gap=gap)
        body.append(
            [
                "hannover1, adjacent scans" if gap == 1 else f"hannover1, {gap} scans apart",
                "within 0.5 m and 0.2 rad",
                *_beside(found, "inliers (%)", max, "{:.1f} %"),
                "99.8 % (HANNOVER2)" if gap == 1 else "",
                "table4",
            ]
        )
    naive, merged = (next(row for row in merging if row["mixture"] == name) for name in (NAIVE, GMMERGE))
    body.append(
        [
            "DRAGON-STAND, merging 48° pairs",
            "distance to the union's fit, over the naive sum's",
            f"{merged['distance'] / naive['distance']:.2f}, with {merged['percent_of_naive']:.0f} % of its components",
            "",
            "",
            "figure3",
        ]
    )
    head = ["data", "figure", "svgm", "best other local method", "paper's SVR", "`benchmarks.paper`"]
    return table(head, body)


def _beside(rows: Sequence[Row], figure: str, better: Callable[..., Any], form: str) -> tuple[str, str]:
    """svgm's figure, and the best of the others with its name."""
    ours = next(row[figure] for row in rows if row["method"] == "svgm")
    return form.format(ours), _best(rows, figure, better, form)


def _best(rows: Sequence[Row], figure: str, better: Callable[..., Any], form: str) -> str:
    """The best figure of the other local methods, and whose it is."""
    others = [row for row in rows if is_peer(row["method"]) and row[figure] != ""]
    if not others:
        return ""
    best = better(row[figure] for row in others)
    names = [row["method"] for row in others if row[figure] == best]
    return f"{form.format(best)} ({names[0] if len(names) == 1 else f'{len(names)} methods'})"
