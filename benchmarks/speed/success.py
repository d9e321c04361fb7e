"""Time and success together: every method at its best setting, on three kinds of pairs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.datasets import Array
from benchmarks.speed import contestants
from benchmarks.speed.clock import in_fresh_process
from benchmarks.speed.contestants import Entry
from benchmarks.speed.findings import Findings, spoken
from benchmarks.speed.race import Pair, Result, best, dragons, near_in_angle, near_on_the_ground, race, streets
from benchmarks.speed.success_picture import draw

#: The name of svgm's default call among the methods.
DEFAULT = "svgm"

#: ... and of its local search.
LOCAL = "svgm, local"


@dataclass(frozen=True)
class Dot:
    """A method at its best setting.

    Attributes
    ----------
    method, setting
        As in `Contestant`.
    right, pairs
        How many of the pairs it got right.
    seconds
        Median over all pairs.
    ratio
        Median over the pairs that it got right of svgm's time over its own.
    """

    method: str
    setting: str
    right: int
    pairs: int
    seconds: float
    ratio: float

    @property
    def share(self) -> float:
        """Of the pairs, that it got right."""
        return self.right / self.pairs


def run(findings: Findings, every: int, outdoor_every: int, output: Path, unit: float) -> None:
    """Race all methods, one thread and one run a pair; print a table for each kind of pairs, and draw them.

    Times are processor times: what else the machine does adds little to them.
    """
    kinds = (
        ("dragon, 2,000 points", partial(dragons, 2000, every), contestants.SUBSAMPLED, unit, near_in_angle),
        ("dragon, whole scans", partial(dragons, 0, every), contestants.FULL, unit, near_in_angle),
        ("hannover1, neighbours", partial(streets, outdoor_every), contestants.OUTDOOR, 1.0, near_on_the_ground),
    )
    panels = {what: measure(what, *kind) for what, *kind in kinds}
    output.mkdir(parents=True, exist_ok=True)
    draw(panels, output / "success.png")
    print(f"drawn: {output / 'success.png'}")
    for what, dots in panels.items():
        peers = [dot for dot in dots if not dot.method.startswith(DEFAULT)]
        ours = next(dot for dot in dots if dot.method == DEFAULT)
        if peers:
            findings.check(
                f"{what}: right ones, at least the best peer's", ours.right, max(d.right for d in peers), at_least=True
            )
            findings.check(
                f"{what}: largest ratio on a peer's right ones",
                max((dot.ratio for dot in peers if dot.right), default=0.0),
                1.0,
            )
    findings.details["success"] = {what: [vars(dot) for dot in dots] for what, dots in panels.items()}


def measure(
    what: str,
    load: Callable[[], list[Pair]],
    entries: tuple[Entry, ...],
    unit: float,
    near: Callable[[Array, Array], bool],
) -> list[Dot]:
    """All methods on one kind of pairs, the most successful first."""
    entrants = [
        contestants.default(1),
        replace(contestants.svgm(1), method=LOCAL, setting="search local"),
        *contestants.entered(entries, unit, 1),
    ]
    results = in_fresh_process(race, load, entrants, near, 1, time.process_time, threads=1)
    dots = sorted(dots_of(results), key=lambda dot: (-dot.right, dot.seconds))
    how = "processor time of one thread; ratio = svgm's time over the method's, on the pairs that this got right"
    print(f"\n{what} ({how}):")
    for dot in dots:
        times = f"median {spoken(dot.seconds):<8} ratio {dot.ratio:.2f}"
        print(f"  {dot.method:<30} {dot.setting:<45} {dot.right:>4} of {dot.pairs:<4} {times}", flush=True)
    return dots


def dots_of(results: Sequence[Result]) -> list[Dot]:
    """Each method at the setting that got most pairs right; svgm's default call is the first result."""
    ours = results[0].seconds
    return [
        Dot(
            method,
            result.contestant.setting,
            int(result.converged.sum()),
            len(result.seconds),
            float(np.median(result.seconds)),
            float(np.median((ours / result.seconds)[result.converged])) if result.converged.any() else float("nan"),
        )
        for method, result in best(results).items()
    ]
