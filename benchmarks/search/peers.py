"""The peers that search without a guess: which are here, and which of their settings takes part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from benchmarks.criteria import same_rotation
from benchmarks.datasets import Array
from benchmarks.methods.method import Method, Setting
from benchmarks.methods.registry import METHODS
from benchmarks.paper.problems import Pair
from benchmarks.paper.store import spelled
from benchmarks.paper.workers import Job, solve_all
from benchmarks.search.pairs import TurnedDragon, warm_up, watched
from benchmarks.speed.clock import cores, take_turns


@dataclass(frozen=True)
class Peer:
    """A peer's method with one of its settings, and what the pair of them is called."""

    name: str
    method: Method
    setting: Setting

    @property
    def hurried(self) -> bool:
        """Whether it has a limit of time, and so must run where it can be ended."""
        return bool(np.isfinite(self.method.limit))

    def call(self, pair: Pair) -> Callable[[], Array]:
        """A registration of the pair on all cores, ready to be timed."""
        return partial(self._align, pair)

    def _align(self, pair: Pair) -> Array:
        try:
            return self.method.align(pair.source, pair.target, unit=pair.unit, threads=cores(), **self.setting)
        except Exception:  # a peer that gives up leaves the source where it is, and the others go on
            return np.eye(len(pair.truth))


@dataclass(frozen=True)
class Trial:
    """A peer on some pairs: how many of them it got right, and mean seconds."""

    peer: Peer
    right: int
    pairs: int
    seconds: float

    def __str__(self) -> str:
        setting = spelled(self.peer.setting)
        return f"{self.peer.name} {setting}: {self.right} of {self.pairs}, mean {self.seconds:.3g} s"


def present(names: Sequence[str]) -> list[Method]:
    """The methods of these names that can run here; says in one line each why another is not run."""
    found = []
    for name in names:
        method = METHODS.get(name)
        reason = "benchmarks/methods does not have it" if method is None else method.missing("dragon")
        if method is None or reason:
            print(f"{name}: not run: {reason}", flush=True)
        else:
            found.append(method)
    return found


def chosen(method: Method, problems: Sequence[TurnedDragon]) -> tuple[list[Peer], list[Trial]]:
    """The setting with the most of these pairs right, of equals the fastest, and the fastest; and all trials.

    The pairs are scored afterwards, too, which is to the peer's advantage.  Without pairs it is the first setting.
    """
    peers = [Peer(method.name, method, setting) for setting in method.settings["dragon"]]
    if not problems or len(peers) == 1:
        return peers[:1], []
    trials = [_slowly(peer, problems) for peer in peers] if peers[0].hurried else _in_turn(peers, problems)
    best = min(trials, key=lambda trial: (-trial.right, trial.seconds)).peer
    fastest = min(trials, key=lambda trial: trial.seconds).peer
    if fastest is best:
        return [best], trials
    return [best, replace(fastest, name=f"{method.name}, fastest")], trials


def limited(peer: Peer, problems: Sequence[TurnedDragon]) -> list[tuple[float, float]]:
    """Rotation error and seconds of each problem, each in a process that ends at the method's limit, on one core."""
    jobs = [Job(problem, peer.method, peer.setting) for problem in problems]
    solved = solve_all(jobs, 1, peer.method.limit)
    runs = {job.problem.key: run for job, run in watched(solved, peer.name, len(jobs))}
    return [(runs[problem.key].rotation, runs[problem.key].seconds) for problem in problems]


def _slowly(peer: Peer, problems: Sequence[TurnedDragon]) -> Trial:
    runs = limited(peer, problems)
    right = sum(same_rotation(rotation) for rotation, _ in runs)
    return Trial(peer, right, len(runs), float(np.mean([seconds for _, seconds in runs])))


def _in_turn(peers: Sequence[Peer], problems: Sequence[TurnedDragon]) -> list[Trial]:
    right = np.zeros(len(peers), dtype=int)
    seconds = np.zeros((len(peers), len(problems)))
    for number, problem in enumerate(watched(problems, f"settings of {peers[0].name}")):
        pair = problem.load()
        if number == 0:
            warm_up(pair, [peers[0].call])
        answers, times = take_turns({str(k): peer.call(pair) for k, peer in enumerate(peers)}, number)
        for k in range(len(peers)):
            right[k] += same_rotation(pair.errors(answers[str(k)])[0])
            seconds[k, number] = times[str(k)]
    return [
        Trial(peer, int(count), len(problems), float(mean))
        for peer, count, mean in zip(peers, right, seconds.mean(axis=1), strict=True)
    ]
