"""First pass over some scans, before any scan is fitted: the map's sigma, and what most scans have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from svgm.checks.errors import InputError
from svgm.mapping.scan import ScanProfile, ScanSummary, UnusableScan, profile_mismatch, same_size, summarise
from svgm.mapping.task_runner import TaskRunner
from svgm.mapping.tuning import MAP_TUNING

#: A scan's number, and its path or points.
Source = tuple[int, Any]


def summarise_scans(runner: TaskRunner, sources: Sequence[Source], nu: float) -> list[ScanSummary]:
    """Read scans; one that kills the worker that reads it cannot be used."""

    def on_killed(number: int, source: Any, nu: float) -> ScanSummary:
        return ScanSummary(reason=f"{source}: reading it kills the worker, so the file is damaged or far too large")

    tasks = [(number, source, nu) for number, source in sources]
    return runner("first pass over scans", summarise, tasks, on_killed=on_killed, cached=False)


def mark_unusable(
    sources: Sequence[Source], summaries: Sequence[ScanSummary], profile: ScanProfile | None = None
) -> list[Source]:
    """The scans, where an :class:`UnusableScan` stands in place of each that cannot be used."""
    found: list[Source] = []
    for (number, source), summary in zip(sources, summaries, strict=True):
        reason = summary.reason or profile_mismatch(number, summary.dimension, summary.size, profile)
        found.append((number, source if reason is None else UnusableScan(reason)))
    return found


def run_first_pass(runner: TaskRunner, sources: Sequence[Source], nu: float) -> tuple[float, ScanProfile, list[Source]]:
    """The sigma and the profile that suit most scans, from a sample of them; and the scans, see :func:`mark_unusable`.

    If no scan of the sample can be used, all scans are read.
    """
    sample = sources[:: -(-len(sources) // MAP_TUNING.first_pass_scans)]
    summaries = summarise_scans(runner, sample, nu)
    if all(summary.reason is not None for summary in summaries) and len(sample) < len(sources):
        sample, summaries = sources, summarise_scans(runner, sources, nu)
    usable = [summary for summary in summaries if summary.reason is None]
    if not usable:
        check_usable(len(sources), 0, str(summaries[-1].reason))
    dimension = Counter(summary.dimension for summary in usable).most_common(1)[0][0]
    usable = [summary for summary in usable if summary.dimension == dimension]
    size = sorted(summary.size for summary in usable)[(len(usable) - 1) // 2]
    sigma = float(np.median([summary.sigma for summary in usable if same_size(summary.size, size)]))
    profile = ScanProfile(dimension, size)
    known = {**dict(sources), **dict(mark_unusable(sample, summaries, profile))}
    reasons = [source.reason for source in known.values() if isinstance(source, UnusableScan)]
    check_usable(len(sources), len(sources) - len(reasons), *reasons[-1:])
    return sigma, profile, list(known.items())


def check_usable(count: int, usable: int, *reasons: str) -> None:
    """Raise an InputError if no scan can be used, or only one of several."""
    if usable < min(2, count):
        amount = f"only {usable}" if usable else "none"
        raise InputError(f"scans: {amount} of {count} can be used, the last was left out because {reasons[-1]}")
