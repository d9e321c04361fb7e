"""``python -m benchmarks.confidence [FAMILY ...] [--share S] [--output FILE]``: is what svgm says of itself true?

The default call registers pairs of many kinds: scans that overlap, scans that have nothing in common, and scans of
which many poses fit equally well.  The first table is of the confidence as it is.  In the second one, the constants of
the confidence are fitted to all kinds but one, and judged on that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

import svgm
from benchmarks.confidence import picture
from benchmarks.confidence.cases import all_cases
from benchmarks.confidence.model import FIGURES, fitted, judged, present
from benchmarks.confidence.observe import Observation, observe, read
from benchmarks.datasets import Array
from benchmarks.report import bar, header
from benchmarks.search.roc import accept, area
from svgm.checks.errors import SvgmError

#: Of the trusted answers, and of the right ones: the share that may be wrong, and that may be not trusted.
WRONG, MISSED = 0.01, 0.1

#: Pairs that slide and are trusted all the same, as a share of those that slide.
SLIDING = 0.01

#: Mean confidence against the share of right answers, in bins with at least so many pairs.
OFF, FEWEST = 0.15, 10


@click.command(help=__doc__)
@click.argument("families", nargs=-1)
@click.option("--share", default=1.0, show_default=True, help="Share of the pairs of each family.")
@click.option("--output", default=Path("build/confidence.jsonl"), type=click.Path(path_type=Path), show_default=True)
@click.option("--fresh", is_flag=True, help="Register again what the file has already.")
def main(families: tuple[str, ...], share: float, output: Path, fresh: bool) -> None:
    """Print the tables."""
    header("confidence: what svgm says of its answers, by kind of data")
    cases = [case for case in all_cases(share) if not families or case.family in families]
    output.parent.mkdir(parents=True, exist_ok=True)
    if fresh:
        output.unlink(missing_ok=True)
    known = read(output)
    found = []
    with output.open("a") as file, click.progressbar(cases, label="registering") as watched:
        for case in watched:
            try:
                seen = known.get((case.family, case.name)) or observe(case)
            except SvgmError as error:
                raise click.ClickException(f"{case.family} {case.name}: {error}") from None
            if (case.family, case.name) not in known:
                print(seen.line(), file=file, flush=True)
            found.append(seen)
    report(found)
    print(picture.draw(found, output.with_suffix(".png")))


def report(found: Sequence[Observation]) -> None:
    """The tables and the bars."""
    sliding = [each for each in found if each.kind == "slides"]
    others = [each for each in found if each.kind != "slides"]
    print("\nas it is: " + "; ".join(f"{d}D {_shown(present(d))}" for d in (2, 3)))
    wrong, count = 0, 0
    for family in _families(others):
        mine = [each for each in others if each.family == family]
        scores = np.array([each.confidence for each in mine])
        _row(family, mine, _capped(scores, mine), np.array([each.right for each in mine]))
        wrong += sum(each.trusted and not each.right for each in mine)
        count += sum(each.trusted for each in mine)
    print(f"together: {count} trusted, {wrong} of them wrong")
    unrelated = [each for each in others if each.kind == "unrelated"]
    if unrelated:
        bar(f"trusted of {len(unrelated)} unrelated pairs", sum(each.trusted for each in unrelated), 0)
    if sliding:
        for name in sorted({each.name.split()[0] for each in sliding}):
            mine = [each for each in sliding if each.name.split()[0] == name]
            slid = sum(each.trusted and not each.right for each in mine)
            print(f"  slides, {name:10} {len(mine):4} pairs, trusted and wrong {slid}")
        slid = sum(each.trusted and not each.right for each in sliding)
        bar(f"share trusted and wrong of {len(sliding)} that slide", slid / len(sliding), SLIDING)
    # A row of equal things has a right answer, which nothing distinguishes: to the fit, the others are wrong.
    judged_by_right = [each for each in found if each.family != "sliding"]
    for dimension in (2, 3):
        mine = [each for each in judged_by_right if each.dimension == dimension]
        if len(_families(mine)) > 1 and 0 < sum(each.right for each in mine) < len(mine):
            _left_out(dimension, mine)


def _left_out(dimension: int, found: Sequence[Observation]) -> None:
    """Every kind, judged by constants that were fitted to the other kinds."""
    print(f"\n{dimension}D, fitted to all: {_shown(fitted(found))}\neach left out of the fit:")
    wrong, missed, off = 0.0, 0.0, 0.0
    for family in _families(found):
        mine = [each for each in found if each.family == family]
        scores, right = judged(fitted([each for each in found if each.family != family]), mine)
        row = _row(family, mine, _capped(scores, mine), right)
        wrong, missed, off = max(wrong, row[0]), max(missed, row[1]), max(off, farthest_bin(scores, right))
    bar(f"{dimension}D: largest share of wrong ones among the trusted, left out", wrong, WRONG)
    bar(f"{dimension}D: largest share of right ones that are not trusted, left out", missed, MISSED)
    bar(f"{dimension}D: largest distance of a bin's mean confidence from its share right, left out", off, OFF)


def _row(family: str, mine: Sequence[Observation], scores: Array, right: NDArray[np.bool_]) -> tuple[float, float]:
    """Print one line; the shares of wrong ones among the trusted, and of right ones that are not trusted."""
    passed = accept(scores, right, svgm.TRUSTED)
    print(
        f"  {family:14} {len(mine):4} pairs, {int(right.sum()):4} right, area under ROC {area(scores, right):6.3f}, "
        f"trusted {passed.count:4}, wrong {passed.wrong:3}, right and not trusted {passed.rejected:3}"
    )
    return passed.share_wrong, passed.rejected / max(1, int(right.sum()))


def _capped(scores: Array, mine: Sequence[Observation]) -> Array:
    """The confidences, below what is trusted where the answer is ambiguous or undetermined."""
    return np.where([each.doubtful for each in mine], np.minimum(scores, svgm.TRUSTED - 0.01), scores)


def farthest_bin(scores: Array, right: NDArray[np.bool_]) -> float:
    """The largest distance of the mean confidence from the share right, in ten bins with enough pairs.

    >>> bool(abs(farthest_bin(np.full(20, 0.95), np.arange(20) < 15) - 0.2) < 1e-9)
    True
    """
    bins = np.minimum((10.0 * scores).astype(int), 9)
    chosen = [bins == k for k in range(10) if (bins == k).sum() >= FEWEST]
    return max((abs(float(scores[each].mean() - right[each].mean())) for each in chosen), default=0.0)


def _families(found: Sequence[Observation]) -> list[str]:
    return list(dict.fromkeys(each.family for each in found))


def _shown(constants: Array) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in zip(["bias", *FIGURES], constants, strict=True))


if __name__ == "__main__":
    main()
