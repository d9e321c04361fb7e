"""How a map grows: time and memory a scan for 100, 200 and 300 scans of the outdoor drive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.datasets import hannover_paths
from benchmarks.mapping.child import map_in_child
from benchmarks.speed.findings import Findings, spoken

SIZES = (100, 200, 300)

#: Most that time and memory a scan may be at the largest size, in those at the smallest.
GROWTH = 1.2


def run(findings: Findings, sizes: Sequence[int] = SIZES) -> dict[str, Any]:
    """One fresh process a size.

    Memory is counted above what the imports take, which would make any growth look small.
    """
    print(f"\ngrowth: the first {', '.join(map(str, sizes))} scans of hannover1, each in a fresh process")
    rows = []
    for size in sizes:
        watched = map_in_child(hannover_paths()[:size], order="sequence")
        above = watched.memory - watched.imported
        row = {
            **watched.summary(),
            "seconds a scan": watched.mapped.seconds / size,
            "memory a scan (MB)": above / size,
            "peak (MB)": watched.memory,
        }
        rows.append(row)
        print(f"  {size:>4}: {spoken(watched.mapped.seconds)}, {watched.memory:.0f} MB", flush=True)
    _table(rows)
    first, last = rows[0], rows[-1]
    ratios = {what: last[what] / first[what] for what in ("seconds a scan", "memory a scan (MB)")}
    for what, ratio in ratios.items():
        findings.check(f"growth: {what} at {sizes[-1]} scans over that at {sizes[0]}", ratio, GROWTH)
    return {"rows": rows, "ratios": ratios}


def _table(rows: list[dict[str, Any]]) -> None:
    table = Table(title="growth: time and memory a scan (memory above the imports)", title_justify="left")
    for name in ("scans", "time", "a scan", "peak", "a scan", "edges", "components"):
        table.add_column(name, justify="right")
    for row in rows:
        time = (spoken(row["seconds"]), spoken(row["seconds a scan"]))
        memory = (f"{row['peak (MB)']:.0f} MB", f"{row['memory a scan (MB)']:.2f} MB")
        table.add_row(str(row["scans"]), *time, *memory, str(row["edges"]), str(row["merged components"]))
    Console(width=140).print(table)
