"""Whole DRAGON-STAND scans without a guess, beside the peers that search globally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.criteria import same_rotation
from benchmarks.datasets import dragon_pairs
from benchmarks.paper.store import spelled
from benchmarks.search.pairs import CALLS, TurnedDragon, call, outcome, warm_up, watched
from benchmarks.search.peers import Peer, chosen, limited, present
from benchmarks.speed.clock import cores, take_turns
from benchmarks.speed.findings import Findings
from svgm import RegistrationResult
from svgm.rigid import apply

#: Of the 30 pairs of each pose, by scans of 24 degrees between them.
BARS = {1: 30, 2: 30, 3: 24, 4: 16}

#: The peer whose time is the measure.
MEASURE = "RANSAC"

#: The scanner looks along -z at a dragon of 0.2 m (m): what `global` is told, beside the rest, in a call of its own.
SENSOR = np.array([[0.0, 0.0, 1.0]])
WITH_SENSORS = "viewpoint"

OURS = (*CALLS, WITH_SENSORS)

#: Most that our mean time may be, in that of the peer.
SLOWER = 2.0


def run(findings: Findings, every: int, names: Sequence[str], tries: int) -> None:
    """Count and time the pairs; `tries` is every how many of them choose the peers' settings, 0 for the first one."""
    problems = [TurnedDragon(*pair) for step in BARS for pair in dragon_pairs(step)[::every]]
    print(f"\ndragon: {len(problems)} pairs of whole scans, sources moved anywhere; peers' settings:")
    peers = []
    for method in present(names):
        taken, trials = chosen(method, problems[::tries] if tries else [])
        for trial in trials:
            print(f"  tried {trial}")
        for peer in taken:
            print(f"  taken {peer.name}: {spelled(peer.setting)} ({method.version()})", flush=True)
        peers += taken
    rows = _rows(problems, peers)
    findings.details["dragon"] = rows
    _table(rows)
    _failures(rows)
    for step, least in BARS.items():
        found = [row["right"] for row in rows if row["method"] == "global" and row["pose"] == 24 * step]
        what = f"dragon {24 * step}°, global: pairs right of {len(found)}"
        findings.check(what, sum(found), least * len(found) / 30, at_least=True)
    for peer in peers:
        for name in CALLS:
            ours, theirs = _mean(rows, name), _mean(rows, peer.name)
            ratio = findings.compare(f"dragon, whole scans, {name}", peer.name, ours, theirs, threads=cores())
            if peer.method.name == MEASURE:
                findings.check(f"dragon, {name}: mean time over that of {peer.name}", ratio, SLOWER)


def _rows(problems: Sequence[TurnedDragon], peers: Sequence[Peer]) -> list[dict[str, Any]]:
    """One a pair and method; those on all cores take turns, then come the ones that need a limit of time."""
    rows = []
    swift = [peer for peer in peers if not peer.hurried]
    for number, problem in enumerate(watched(problems, "dragon")):
        pair = problem.load()
        if number == 0:
            warm_up(pair, [peer.call for peer in swift])
        calls = {name: call(pair, **options) for name, options in CALLS.items()}
        sensors = np.stack([apply(pair.motion, SENSOR), SENSOR])[:, 0]
        calls[WITH_SENSORS] = call(pair, search="global", viewpoint=sensors)
        answers, seconds = take_turns({**calls, **{peer.name: peer.call(pair) for peer in swift}}, number)
        for name, answer in answers.items():
            if isinstance(answer, RegistrationResult):
                found = asdict(outcome(answer, pair.errors, lambda rotation, _: same_rotation(rotation)))
            else:
                rotation = pair.errors(answer)[0]
                found = {"right": same_rotation(rotation), "rotation": rotation}
            rows.append({"method": name, **_named(problem), **found, "seconds": seconds[name]})
    for peer in peers:
        if peer.hurried:
            for problem, (rotation, time) in zip(problems, limited(peer, problems), strict=True):
                found = {"right": same_rotation(rotation), "rotation": rotation}
                rows.append({"method": peer.name, **_named(problem), **found, "seconds": time})
    return rows


def _named(problem: TurnedDragon) -> dict[str, Any]:
    apart = (problem.source - problem.target) % 15
    return {"pose": 24 * min(apart, 15 - apart), "source": problem.source, "target": problem.target}


def _mean(rows: Sequence[dict[str, Any]], method: str) -> float:
    return float(np.mean([row["seconds"] for row in rows if row["method"] == method]))


def _table(rows: Sequence[dict[str, Any]]) -> None:
    """Pairs right, and mean and median seconds, by method and pose."""
    table = Table(title="dragon: pairs right, mean / median seconds", title_justify="left")
    poses = sorted({row["pose"] for row in rows})
    for name in ("method", *(f"{pose}°" for pose in poses), "all"):
        table.add_column(name, justify="left" if name == "method" else "right")
    for method in dict.fromkeys(row["method"] for row in rows):
        mine = [row for row in rows if row["method"] == method]
        cells = [_cell([row for row in mine if row["pose"] == pose]) for pose in poses]
        table.add_row(f"svgm, {method}" if method in OURS else method, *cells, _cell(mine))
    Console(width=140).print(table)


def _cell(rows: Sequence[dict[str, Any]]) -> str:
    times = [row["seconds"] for row in rows]
    right = sum(row["right"] for row in rows)
    return f"{right} of {len(rows)}, {np.mean(times):.2f} / {np.median(times):.2f}"


def _failures(rows: Sequence[dict[str, Any]]) -> None:
    """Every pair that ours did not bring home: was the truth among the alternatives, and how far behind?"""
    failed = [row for row in rows if row["method"] in OURS and not row["right"]]
    for row in failed:
        truth = f"alternative {row['place']}, score {row['score']:.3f}" if row["place"] else "no alternative"
        print(
            f"  {row['method']:<9} {row['pose']}° {row['source']:>2} -> {row['target']:>2}: "
            f"off by {np.rad2deg(row['rotation']):.0f}°, confidence {row['confidence']:.3f}, truth: {truth}"
        )
    for name in OURS:
        mine = [row for row in failed if row["method"] == name]
        print(f"{name}: {len(mine)} wrong, the truth among the alternatives of {sum(row['place'] > 0 for row in mine)}")
