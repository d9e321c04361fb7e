"""The same map with one worker, with two, and with one of the two killed on the way."""

from __future__ import annotations

from typing import Any

from benchmarks.datasets import hannover_paths
from benchmarks.mapping.child import Watched, map_in_child, workers
from benchmarks.mapping.mapped import differences
from benchmarks.speed.clock import cores
from benchmarks.speed.findings import Findings, spoken

#: How many times faster two workers are at least.
FASTER = 1.6

#: When a worker is killed, as a share of the time that the map took undisturbed.
KILLED_AT = 0.4


def run(findings: Findings, scans: int) -> dict[str, Any]:
    """Compare times, and outputs bit for bit."""
    paths = hannover_paths()[:scans]
    print(f"\ndask: the first {len(paths)} scans of hannover1, {cores()} cores")
    one = map_in_child(paths, order="sequence", workers=1)
    _say("one worker", one)
    two = map_in_child(paths, order="sequence", workers=2)
    _say("two workers", two)
    killer = Killer(KILLED_AT * two.mapped.seconds)
    hurt = map_in_child(paths, order="sequence", workers=2, during=killer)
    _say("two workers, one killed", hurt)
    unlike = {"two workers": differences(one.mapped, two.mapped), "one killed": differences(one.mapped, hurt.mapped)}
    for name, found in unlike.items():
        print(f"{name}: {'the same output, bit for bit' if not found else 'other ' + ', '.join(found)}")
    print(f"killed: {f'process {killer.victim} after {spoken(killer.after)}' if killer.victim else 'nobody was there'}")
    ratio = one.mapped.seconds / two.mapped.seconds
    findings.check("dask: time with one worker over that with two", ratio, FASTER, at_least=True)
    for name, found in unlike.items():
        findings.check(f"dask, {name}: parts of the output that differ from one worker's", len(found), 0)
    findings.check("dask: workers killed", bool(killer.victim), 1, at_least=True)
    return {
        "one worker": one.summary(),
        "two workers": two.summary(),
        "one killed": {**hurt.summary(), "after": killer.after},
        "ratio": ratio,
        "differences": unlike,
    }


class Killer:
    """Kills the busiest worker of a process once, after some seconds, with a signal that cannot be caught."""

    def __init__(self, after: float) -> None:
        self.after = after
        self.victim = 0

    def __call__(self, process: Any, seconds: float) -> None:
        """Strike when it is time and a worker is there."""
        import psutil

        if self.victim or seconds < self.after:
            return
        try:
            for worker in workers(process)[:1]:
                worker.kill()
                self.victim, self.after = worker.pid, seconds
        except psutil.Error:
            pass  # it ended by itself: the next look finds another


def _say(name: str, watched: Watched) -> None:
    mapped = watched.mapped
    print(f"  {name:<24} {spoken(mapped.seconds)}, {len(mapped.edges)} edges, {watched.memory:.0f} MB", flush=True)
