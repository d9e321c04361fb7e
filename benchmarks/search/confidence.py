"""What the confidence is worth: does it tell right answers from wrong ones, and are those it calls trusted right?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import svgm
from benchmarks.criteria import inlier, same_rotation
from benchmarks.datasets import dragon_pairs
from benchmarks.methods.registry import METHODS
from benchmarks.paper.problems import Dragon, Street
from benchmarks.paper.store import code_of
from benchmarks.report import commit
from benchmarks.search import confidence_picture
from benchmarks.search.pairs import call, watched
from benchmarks.search.reference import sharpened
from benchmarks.search.roc import accept, area
from benchmarks.search.rows import Row, Rows
from benchmarks.speed.clock import take_turns
from benchmarks.speed.findings import Findings
from svgm.rigid import pose_error

GAPS = range(1, 11)

#: Scans of hannover1.
SCANS = 300

#: Least area under the ROC curve.
AREA = 0.95

#: Most of the trusted answers that may be wrong.
WRONG = 0.01


def run(findings: Findings, every: int, hannover_every: int, output: Path, fresh: bool) -> None:
    """The default call on scans as they come: dragon pairs with all points, and streets up to ten scans apart."""
    rows = Rows(output, f"{commit()} {code_of(METHODS['svgm'])}", fresh=fresh)
    problems = [*_dragons(every), *_streets(hannover_every)]
    known = sum(rows.find(key) is not None for key, _, _ in problems)
    print(f"\nconfidence: {len(problems)} pairs, {known} of them in {output} already", flush=True)
    found = [rows.find(key) or _done(rows, *key, gap, problem) for key, gap, problem in watched(problems, "confidence")]
    for name in ("dragon", "hannover", "together"):
        chosen = [row for row in found if name in (row.set, "together")]
        if chosen:
            _judge(findings, name, chosen)
    picture = output.with_suffix(".png")
    confidence_picture.draw(found, picture)
    print(f"{output}, {picture}")


Problems = Iterator[tuple[tuple[str, int, int], int, Dragon | Street]]


def _dragons(every: int) -> Problems:
    for gap in (1, 2, 3, 4):
        for source, target in dragon_pairs(gap)[::every]:
            yield ("dragon", source, target), gap, Dragon(source, target, points=0)


def _streets(every: int) -> Problems:
    """First scan by first scan, so that its neighbours are read once."""
    for target in range(1, SCANS, every):
        for gap in GAPS:
            if target + gap <= SCANS:
                yield ("hannover", target + gap, target), gap, Street(target, gap)


def _done(rows: Rows, name: str, source: int, target: int, gap: int, problem: Dragon | Street) -> Row:
    """Register, judge and keep."""
    pair = problem.load()
    answers, seconds = take_turns({"default": call(pair)}, 0)
    result = answers["default"]
    rotation, translation = pose_error(result.transformation, pair.truth)
    right = same_rotation(rotation) if name == "dragon" else inlier(rotation, translation)
    sharper = pair.truth if name == "dragon" else sharpened(pair)
    row = Row(
        set=name,
        source=source,
        target=target,
        gap=gap,
        correct=right,
        sharpened=right if name == "dragon" else inlier(*pose_error(result.transformation, sharper)),
        rotation=rotation,
        translation=translation,
        confidence=float(result.confidence),
        overlap=float(result.overlap),
        objective=float(result.objective),
        seconds=seconds["default"],
    )
    rows.add(row)
    return row


def _judge(findings: Findings, name: str, rows: Sequence[Row]) -> None:
    scores, right = [row.confidence for row in rows], [row.correct for row in rows]
    if name != "dragon":
        better = [row.sharpened for row in rows]
        passed = accept(scores, better, svgm.TRUSTED)
        print(
            f"{name}, by the sharpened reference: {sum(better)} right, area under the ROC curve "
            f"{area(scores, better):.4f}; at {svgm.TRUSTED:g} {passed.count} accepted, {passed.wrong} of them wrong"
        )
    trusted = accept(scores, right, svgm.TRUSTED)
    auc = area(scores, right)
    print(f"{name}: {sum(right)} of {len(rows)} right, area under the ROC curve {auc:.4f}")
    for gap in sorted({row.gap for row in rows}) if name != "together" else ():
        mine = [row for row in rows if row.gap == gap]
        passed = accept([row.confidence for row in mine], [row.correct for row in mine], svgm.TRUSTED)
        print(
            f"  {gap} apart: {sum(row.correct for row in mine)} of {len(mine)} right, "
            f"{passed.count} trusted, {passed.wrong} of them wrong"
        )
    print(
        f"{name}: at {svgm.TRUSTED:g} {trusted.count} accepted, {trusted.wrong} of them wrong, "
        f"{trusted.rejected} right ones rejected"
    )
    findings.check(f"{name}: area under the ROC curve", auc, AREA, at_least=True)
    findings.check(f"{name}: share of wrong ones among the trusted", trusted.share_wrong, WRONG)
    findings.details[f"confidence, {name}"] = {
        "pairs": len(rows),
        "right": sum(right),
        "auc": auc,
        "threshold": svgm.TRUSTED,
        "accepted": trusted.count,
        "wrong": trusted.wrong,
        "rejected": trusted.rejected,
    }
