"""``python -m benchmarks.confidence [FAMILY ...] [--share S] [--output FILE]``: is what svgm says of itself true?

The default call registers pairs of many kinds: scans that overlap, scans that have nothing in common, and scans of
which many poses fit equally well.  No constant of the confidence was fitted to these pairs, except that whole dragon
scans and hannover1 were used (docs/confidence.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.confidence import picture
from benchmarks.confidence.cases import all_cases
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
    worst = np.zeros(3)
    for family in _families(others):
        worst = np.maximum(worst, _row(family, [each for each in others if each.family == family]))
    trusted = [each for each in others if each.trusted]
    print(f"together: {len(trusted)} trusted, {sum(not each.right for each in trusted)} of them wrong")
    bar("largest share of wrong ones among the trusted of a family", worst[0], WRONG)
    bar("largest share of right ones of a family that are not trusted", worst[1], MISSED)
    bar("largest distance of a bin's mean confidence from its share right", worst[2], OFF)
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


def _row(family: str, mine: Sequence[Observation]) -> tuple[float, float, float]:
    """Print one line; the share of wrong ones among the trusted, that of right ones not trusted, the farthest bin."""
    scores = np.array([each.confidence for each in mine])
    right = np.array([each.right for each in mine])
    passed = accept([each.trusted for each in mine], right, 1.0)
    print(
        f"  {family:14} {len(mine):4} pairs, {int(right.sum()):4} right, area under ROC {area(scores, right):6.3f}, "
        f"trusted {passed.count:4}, wrong {passed.wrong:3}, right and not trusted {passed.rejected:3}"
    )
    return passed.share_wrong, passed.rejected / max(1, int(right.sum())), farthest_bin(scores, right)


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


if __name__ == "__main__":
    main()
