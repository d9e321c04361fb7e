"""Files that an experiment leaves: CSV, JSON, Markdown and a picture."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.methods.method import Setting
from benchmarks.methods.registry import METHODS
from benchmarks.paper.experiment import Report, Results, Row
from benchmarks.paper.store import described


def write(
    name: str, title: str, report: Report, results: Results | None, origin: Mapping[str, Any], folder: Path
) -> None:
    """NAME.csv, NAME.json, NAME.md and NAME.png in the folder."""
    _write_csv(report.rows, folder / f"{name}.csv")
    record = {
        "experiment": name,
        "title": title,
        "origin": dict(origin),
        "rows": report.rows,
        "bars": [{**asdict(bar), "met": bar.met} for bar in report.bars],
    }
    parts = [report.markdown]
    if report.bars:
        parts.append("\n".join(f"- {bar}" for bar in report.bars))
    if results is not None:
        record["settings"] = results.chosen
        record["not run"] = results.missing
        record["failures"] = failures(results)
        parts += [_below(results)]
    parts.append(f"_{title}. {described(origin)}._")
    (folder / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (folder / f"{name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    report.draw(folder / f"{name}.png")


def failures(results: Results) -> dict[str, dict[str, int]]:
    """Runs without an answer, by method and cause."""
    counted = {name: Counter(run.status for run in results.of(name)) for name in results.methods}
    return {
        name: {s: n for s, n in counts.items() if s != "ok"} for name, counts in counted.items() if set(counts) - {"ok"}
    }


def table(head: Sequence[str], rows: Sequence[Sequence[object]], *, words: bool = False) -> str:
    """Markdown, the first column to the left, the others to the right unless they are words."""
    lines = [head, ["---"] + ["---" if words else "---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in cells)} |" for cells in lines)


def spoken(setting: Setting) -> str:
    """A setting for people."""
    return ", ".join(f"{name} {_short(value)}" for name, value in setting.items()) or "default"


def _short(value: Any) -> str:
    if isinstance(value, tuple | list):
        return " ".join(_short(each) for each in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _below(results: Results) -> str:
    """Under a table: each method with its parameters, who failed, who is missing."""
    rows = []
    failed = failures(results)
    for name in results.methods:
        by_fold = results.chosen[name]
        if results.experiment.fixed is not None:
            chosen = "swept"
        elif len({spoken(setting) for setting in by_fold.values()}) == 1:
            chosen = spoken(next(iter(by_fold.values())))
        else:
            chosen = "; ".join(f"{fold}: {spoken(setting)}" for fold, setting in by_fold.items())
        without = ", ".join(f"{count} {status}" for status, count in failed.get(name, {}).items()) or "none"
        method = METHODS[name]
        elsewhere = f"the program that {method.binary} names" if method.binary else "this repository"
        source = method.version() if method.package else elsewhere
        rows.append([name, method.about, source, chosen, f"{without} of {len(results.of(name))}"])
    rows += [[name, METHODS[name].about, "", "not run", reason] for name, reason in results.missing.items()]
    head = ["method", "what it is", "from", "parameters, chosen on training pairs", "runs without an answer"]
    body = table(head, rows, words=True)
    return f"<details><summary>Methods and parameters</summary>\n\n{body}\n\n</details>"


def _write_csv(rows: Sequence[Row], path: Path) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
