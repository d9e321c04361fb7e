"""The 2D sets turned all around, without a guess."""

from __future__ import annotations

import numpy as np

from benchmarks.paper.problems import Pair, Shape
from benchmarks.search.pairs import CALLS, Outcome, call, outcome, watched
from benchmarks.speed.clock import take_turns
from benchmarks.speed.findings import Findings, spoken
from svgm.rigid import pose_error

NAMES = ("road", "contour", "fish", "glyph")

#: As the paper turns them: -3.14, -3.13, ... 3.14.
ANGLES = np.linspace(-3.14, 3.14, 629)

#: An alternative of at least this score is as good as the answer: the shape is symmetric.
AS_GOOD = 0.95


def near(rotation: float, _: float) -> bool:
    """Less than 0.1 rad off."""
    return rotation < 0.1


def run(findings: Findings, every: int) -> None:
    """Count the turns that the answer, or an alternative as good as it, undoes."""
    print(f"\nshapes: {len(ANGLES[::every])} turns each")
    for name in NAMES:
        found: dict[str, list[Outcome]] = {kind: [] for kind in CALLS}
        seconds: dict[str, list[float]] = {kind: [] for kind in CALLS}
        for number, angle in enumerate(watched(ANGLES[::every], name)):
            pair = Shape(name, float(angle)).load()
            calls = {kind: call(pair, **options) for kind, options in CALLS.items()}
            answers, times = take_turns(calls, number)
            for kind, answer in answers.items():
                found[kind].append(_outcome(answer, pair))
                seconds[kind].append(times[kind])
        for kind in CALLS:
            answered = sum(each.right for each in found[kind])
            instead = sum(not each.right and each.score >= AS_GOOD for each in found[kind])
            total = len(found[kind])
            mean = float(np.mean(seconds[kind]))
            print(f"{name}, {kind}: {answered} by the answer, {instead} by an alternative, mean {spoken(mean)}")
            findings.check(f"{name}, {kind}: turns undone of {total}", answered + instead, total, at_least=True)
            findings.details[f"shapes, {name}, {kind}"] = {
                "turns": total,
                "by_answer": answered,
                "by_alternative": instead,
                "failed": [float(a) for a, each in zip(ANGLES[::every], found[kind], strict=True) if _lost(each)],
                "mean_seconds": mean,
            }


def _lost(found: Outcome) -> bool:
    return not found.right and found.score < AS_GOOD


def _outcome(answer: object, pair: Pair) -> Outcome:
    return outcome(answer, lambda T: pose_error(T, pair.truth), near)
