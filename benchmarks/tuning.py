"""What half and twice each tuned constant does: ``python -m benchmarks.tuning`` prints it and writes docs/tuning.md.

Two sets of DRAGON-STAND pairs are registered with every constant as it is, at half and at twice its value: 2,000-point
scans by a local search, and whole scans, moved anywhere, by the default call.  A share above one half has no double:
for such a constant "half" and "twice" are twice and half its distance from 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from time import process_time
from types import MappingProxyType
from typing import Any

from rich.console import Console
from rich.progress import track

from benchmarks.criteria import same_rotation
from benchmarks.paper.problems import Dragon
from benchmarks.report import header
from benchmarks.search.pairs import Turned, TurnedDragon
from svgm import register
from svgm.registration.tuning import TUNING, AlignmentRound, Tuning
from svgm.rigid import pose_error

PAGE = Path(__file__).parents[1] / "docs" / "tuning.md"

#: Scans (24 degrees each) between the two of a pair.
STEPS = (1, 2, 3, 4)

#: The first constant that a local search does not use.
FIRST_GLOBAL = "finest_cell"

INTRODUCTION = """# Tuned constants

`svgm.registration.tuning` holds the constants of a registration that were chosen by experiment. This page says what
each one does, on which data it was chosen, and what happens at half and at twice its value.
`python -m benchmarks.tuning` writes it.

"""


def scaled(value: Any, factor: float) -> Any:
    """A constant at half or twice its value; None if it has no such value."""
    if isinstance(value, AlignmentRound):
        return replace(value, poses=scaled(value.poses, factor))
    if isinstance(value, tuple):
        return tuple(scaled(item, factor) for item in value)
    if isinstance(value, MappingProxyType):
        return MappingProxyType({key: scaled(item, factor) for key, item in value.items()})
    if isinstance(value, int):
        return max(1, round(value * factor))
    if 0.5 < value < 1.0:
        return 1.0 - (1.0 - value) / factor
    return value * factor


@contextmanager
def changed(name: str, value: Any) -> Iterator[None]:
    """The constants with one of them changed, for this process alone."""
    before = getattr(TUNING, name)
    object.__setattr__(TUNING, name, value)
    try:
        yield
    finally:
        object.__setattr__(TUNING, name, before)


def local(pairs: dict[int, list[Any]]) -> str:
    """Pairs right by the angle between the scans, and the time."""
    begin, right = process_time(), []
    for some in pairs.values():
        answers = [register(p.source, p.target, search="local", threads=1) for p in some]
        errors = [pose_error(a.transformation, p.truth)[0] for a, p in zip(answers, some, strict=True)]
        right.append(sum(map(same_rotation, errors)))
    return f"{'/'.join(map(str, right))}, {process_time() - begin:.1f} s"


def default(pairs: dict[int, list[Turned]]) -> str:
    """The same for the default call, and of all answers those that are trusted and wrong, and right and not trusted."""
    begin, right, trusted_wrong, right_untrusted = process_time(), [], 0, 0
    for some in pairs.values():
        answers = [register(p.source, p.target, threads=1) for p in some]
        good = [same_rotation(p.errors(a.transformation)[0]) for a, p in zip(answers, some, strict=True)]
        right.append(sum(good))
        trusted_wrong += sum(a.trusted and not g for a, g in zip(answers, good, strict=True))
        right_untrusted += sum(g and not a.trusted for a, g in zip(answers, good, strict=True))
    return f"{'/'.join(map(str, right))} ({trusted_wrong}, {right_untrusted}), {process_time() - begin:.0f} s"


def shown(value: Any) -> str:
    """A constant as the page shows it."""
    if isinstance(value, AlignmentRound):
        return f"{value.poses} poses"
    if isinstance(value, tuple):
        return ", ".join(map(shown, value))
    if isinstance(value, MappingProxyType):
        return "; ".join(f"{key}D: {shown(item)}" for key, item in value.items())
    return f"{value:.4g}"


def main() -> None:
    """Print a table for the local search and one for the default call."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--local-pairs", type=int, default=10, help="pairs of each angle, of 30")
    parser.add_argument("--whole-pairs", type=int, default=2, help="the same for whole scans")
    parser.add_argument("--only", default="", help="constants whose names contain this; the page is then left alone")
    options = parser.parse_args()
    header("tuned constants")
    small = {s: [Dragon(k, (k + s) % 15, 2000).load() for k in range(options.local_pairs)] for s in STEPS}
    whole = {s: [TurnedDragon(k, (k + s) % 15).load() for k in range(options.whole_pairs)] for s in STEPS}
    parts = (
        (
            f"Local search: of {options.local_pairs} pairs of 2,000-point dragon scans each, right at 24/48/72/96°; "
            "processor time.",
            lambda: local(small),
            True,
        ),
        (
            f"Default call: of {options.whole_pairs} pairs of whole dragon scans each, moved anywhere, right at "
            "24/48/72/96° (in brackets: trusted and wrong, right and not trusted); processor time.",
            lambda: default(whole),
            False,
        ),
    )
    names = [field.name for field in fields(Tuning)]
    text = INTRODUCTION
    for title, measure, is_local in parts:
        chosen = [f for f in fields(Tuning) if (names.index(f.name) < names.index(FIRST_GLOBAL)) == is_local]
        chosen = [f for f in chosen if options.only in f.name]
        base = measure()
        lines = [f"## {title.partition(':')[0]}", "", f"{title} As it is: {base}.", ""]
        lines += ["| constant | value | what it does | chosen on | at half | at twice |", "|---|---|---|---|---|---|"]
        for field in track(chosen, "changing constants", console=Console(stderr=True), transient=True):
            value = getattr(TUNING, field.name)
            row = [f"`{field.name}`", shown(value), field.metadata["does"], field.metadata["chosen_on"]]
            for factor in (0.5, 2.0):
                with changed(field.name, scaled(value, factor)):
                    row.append(measure())
            lines.append("| " + " | ".join(row) + " |")
            print(lines[-1], flush=True)
        text += "\n".join(lines) + "\n\n"
    if not options.only:
        PAGE.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
