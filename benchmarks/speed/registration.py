"""Registration end to end against the peers: subsampled scans, whole scans, outdoor scans."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from benchmarks.datasets import Array, dragon_scans
from benchmarks.speed import contestants
from benchmarks.speed.clock import in_fresh_process
from benchmarks.speed.contestants import Contestant, Entry
from benchmarks.speed.findings import Findings, spoken
from benchmarks.speed.race import Pair, Result, best, dragons, near_in_angle, near_on_the_ground, race, streets


def subsampled(findings: Findings, repeats: int, every: int) -> None:
    """2,000-point dragon scans: the peers' settings are tried, then the best of each method races svgm."""
    what = "register 2,000 points"
    load = partial(dragons, 2000, every)
    tried = _race(load, contestants.entered(contestants.SUBSAMPLED, diagonal(), 1), near_in_angle, 1, 1)
    _show(what, "settings tried, one run each", tried)
    findings.details[f"{what}, settings tried"] = [_plain(result) for result in tried]
    chosen = _names(best(tried))
    found = _one_and_two_threads(
        findings, what, load, contestants.SUBSAMPLED, chosen, diagonal(), near_in_angle, repeats
    )
    if "Open3D ICP" in found:
        hasty = found["svgm"].mean / found["Open3D ICP, default criteria"].mean
        print(f"{what}: time over Open3D ICP's with its default criteria, fewer pairs converged: {hasty:.4g}")
        findings.check(f"{what}: time over Open3D ICP's", found["svgm"].mean / found["Open3D ICP"].mean, 0.5)


def whole(findings: Findings, every: int) -> None:
    """Whole dragon scans against small_gicp with its preprocessing."""
    what = "register whole scans"
    found = _one_and_two_threads(
        findings, what, partial(dragons, 0, 3 * every), contestants.FULL, None, diagonal(), near_in_angle, 1
    )
    name = "small_gicp GICP, all points"
    if name in found:
        findings.check(f"{what}: time over {name}", found["svgm"].mean / found[name].mean, 1.0)


def outdoor(findings: Findings, every: int) -> None:
    """Adjacent outdoor scans against small_gicp with its preprocessing."""
    what = "register outdoor scans"
    found = _one_and_two_threads(
        findings, what, partial(streets, every), contestants.OUTDOOR, None, 1.0, near_on_the_ground, 1
    )
    name = "small_gicp GICP, all points"
    if name in found:
        findings.check(f"{what}: time over {name}", found["svgm"].mean / found[name].mean, 2.0)
        most = int(found[name].converged.sum())
        findings.check(f"{what}: inliers, at least those of {name}", found["svgm"].converged.sum(), most, at_least=True)


def diagonal() -> float:
    """Mean diagonal of the scans' bounding boxes: the unit of the peers' lengths."""
    return float(np.mean([np.linalg.norm(np.ptp(scan, axis=0)) for scan in dragon_scans()[0]]))


def _race(
    load: Callable[[], list[Pair]],
    entrants: Sequence[Contestant],
    near: Callable[[Array, Array], bool],
    repeats: int,
    threads: int,
) -> list[Result]:
    return in_fresh_process(race, load, entrants, near, repeats, threads=threads) if entrants else []


def _one_and_two_threads(
    findings: Findings,
    what: str,
    load: Callable[[], list[Pair]],
    entries: tuple[Entry, ...],
    chosen: set[tuple[str, str]] | None,
    unit: float,
    near: Callable[[Array, Array], bool],
    repeats: int,
) -> dict[str, Result]:
    """Race svgm and the chosen settings (None: all) on one thread, then, without repeats, the best of each on two.

    Returns the results on one thread, by method.
    """
    found: dict[str, Result] = {}
    for threads in (1, 2):
        entrants = [
            entrant
            for entrant in contestants.entered(entries, unit, threads)
            if chosen is None or (entrant.method, entrant.setting) in chosen
        ]
        runs = repeats if threads == 1 else 1
        results = _race(load, [contestants.svgm(threads), *entrants], near, runs, threads)
        _show(what, f"{threads} thread{'s' * (threads > 1)}, median of {runs}", results)
        winners = best(results)
        for method, result in winners.items():
            if method != "svgm":
                findings.compare(what, method, results[0].mean, result.mean, threads=threads)
        findings.details[f"{what}, {threads} threads"] = [_plain(result) for result in results]
        if threads == 1:
            found, chosen = winners, _names(winners)
    return found


def _names(results: Mapping[str, Result]) -> set[tuple[str, str]]:
    return {(method, result.contestant.setting) for method, result in results.items()}


def _show(what: str, how: str, results: Sequence[Result]) -> None:
    print(f"\n{what} ({how}):")
    for result in results:
        counts = f"{result.counts()} of {len(result.groups) // len(np.unique(result.groups))}"
        name = f"{result.contestant.method}, {result.contestant.setting}"
        print(f"  {name:<75} {counts:<20} mean {spoken(result.mean)}", flush=True)


def _plain(result: Result) -> dict[str, object]:
    return {
        "method": result.contestant.method,
        "setting": result.contestant.setting,
        "converged": result.counts(),
        "mean_seconds": result.mean,
        "seconds": result.seconds.tolist(),
    }
