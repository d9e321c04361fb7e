"""What a part of the benchmark found: times beside a peer's, figures beside their bars."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.report import Bar


@dataclass(frozen=True)
class Comparison:
    """Seconds of svgm and of a peer for the same work in the same run."""

    what: str
    peer: str
    threads: int
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        """How many times the peer's time ours is: below 1 svgm is faster."""
        return self.ours / self.theirs


@dataclass
class Findings:
    """Grows as the parts run; printed as one table at the end, or written as JSON."""

    comparisons: list[Comparison] = field(default_factory=list)
    checks: list[Bar] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)

    def compare(self, what: str, peer: str, ours: float, theirs: float, *, threads: int = 1) -> float:
        """Keep one comparison; its ratio."""
        self.comparisons.append(Comparison(what, peer, threads, ours, theirs))
        return self.comparisons[-1].ratio

    def check(self, what: str, figure: float, limit: float, *, at_least: bool = False) -> None:
        """Print a figure beside its bar, and keep it."""
        self.checks.append(Bar(what, float(figure), limit, at_least))
        print(self.checks[-1], flush=True)

    def table(self) -> None:
        """Print all comparisons."""
        if not self.comparisons:
            return
        table = Table(title="times in one run; ratio = svgm / peer, below 1 svgm is faster", title_justify="left")
        for name in ("what", "peer"):
            table.add_column(name)
        for name in ("threads", "svgm", "peer's", "ratio"):
            table.add_column(name, justify="right")
        for row in self.comparisons:
            times = (spoken(row.ours), spoken(row.theirs))
            table.add_row(row.what, row.peer, str(row.threads), *times, f"{row.ratio:.3g}")
        Console(width=140).print(table)

    def finish(self, file: Path | None, plain: Callable[[Any], Any] = lambda values: values) -> None:
        """Print the table, how many bars are met and which are not; write everything as JSON to a file, if any."""
        print()
        self.table()
        missed = [check.what for check in self.checks if not check.met]
        print(f"{len(self.checks) - len(missed)} of {len(self.checks)} bars met")
        for what in missed:
            print(f"  not met: {what}")
        if file is not None:
            file.write_text(json.dumps(plain(self.as_dict()), indent=1) + "\n", encoding="utf-8")

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "comparisons": [{**asdict(row), "ratio": row.ratio} for row in self.comparisons],
            "checks": [{**asdict(check), "met": check.met} for check in self.checks],
            "details": self.details,
        }


def spoken(seconds: float) -> str:
    """A time with the unit that suits it."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"
