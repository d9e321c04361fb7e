"""One part: each contestant on each pair in turn, rows as the groups are done, the bars at the end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.covariances.contestants import Contestant
from benchmarks.covariances.parts import Part
from benchmarks.paper.problems import Problem
from benchmarks.paper.store import Run, Store
from benchmarks.paper.workers import Job, solve_all
from benchmarks.report import Bar
from benchmarks.search.pairs import watched
from benchmarks.speed.findings import spoken


def run(part: Part, store: Store, pairs: int, limit: float) -> list[Bar]:
    """Register what the store does not have, on one core; `pairs` of each group, 0 for all of them."""
    print(f"\n{part.title}", flush=True)
    able = []
    for contestant in part.contestants:
        reason = contestant.method.missing("dragon")
        if reason is None:
            able.append(contestant)
        else:
            print(f"  {contestant.name}: left out: {reason}", flush=True)
    bars = []
    for group, problems in part.groups().items():
        found = _solved(able, spread(problems, pairs), store, limit, group)
        for contestant in able:
            print(f"  {group}: {_row(part, contestant.name, found[contestant.name])}", flush=True)
        figures = {name: part.figure(runs) for name, runs in found.items()}
        for name in part.held or (part.contestants[0].name,):
            bars += bar(part, group, name, figures)
    for each in bars:
        print(each, flush=True)
    return bars


def spread(problems: Sequence[Problem], count: int) -> list[Problem]:
    """So many of them, evenly spaced; all for 0."""
    if not 0 < count < len(problems):
        return list(problems)
    return [problems[k] for k in np.linspace(0, len(problems) - 1, count).astype(int)]


def bar(part: Part, group: str, name: str, figures: dict[str, float]) -> list[Bar]:
    """What the contestant `name` is held to: a figure, or the best of the others whose names begin so, if any ran."""
    limit = part.limits[group]
    what = f"{group}, {name} ({part.unit})"
    if isinstance(limit, float):
        return [Bar(what, figures[name], limit, part.at_least)]
    others = {other: figure for other, figure in figures.items() if other.startswith(limit)}
    if not others:
        return []
    best = (max if part.at_least else min)(others, key=lambda other: others[other])
    return [Bar(f"{what}, best other: {best}", figures[name], others[best], part.at_least)]


def _solved(
    contestants: Sequence[Contestant], problems: Sequence[Problem], store: Store, limit: float, what: str
) -> dict[str, list[Run]]:
    jobs = {(c.name, p.key): Job(p, c.method, c.setting) for p in problems for c in contestants}
    left = [job for job in jobs.values() if _stored(store, job) is None]
    for _, done in watched(solve_all(left, 1, limit), what, len(left)) if left else ():
        store.add(done)
    found: dict[str, list[Run]] = {contestant.name: [] for contestant in contestants}
    for (name, _), job in jobs.items():
        kept = _stored(store, job)
        assert kept is not None
        found[name].append(kept)
    return found


def _stored(store: Store, job: Job) -> Run | None:
    return store.find(job.problem.key, job.method.name, job.setting)


def _row(part: Part, name: str, runs: Sequence[Run]) -> str:
    good = [run for run in runs if part.right(run)]
    failed = sum(run.status != "ok" for run in runs)
    words = f"{name}: {len(good)} of {len(runs)} right, {part.figure(runs):.4g} {part.unit}"
    if good:
        median = np.degrees(np.median([run.rotation for run in good]))
        words += f", median error {median:.3g}° and {np.median([run.translation for run in good]):.3g}"
    words += f", mean {spoken(float(np.mean([run.seconds for run in runs])))}"
    return words + (f", {failed} without an answer" if failed else "")
