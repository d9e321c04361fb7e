"""A first look at some scans: what most of them are like, before any is fitted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from svgm.checks.errors import InputError
from svgm.mapping.scan import LeftOut, Likeness, Look, look, same_size, unlike
from svgm.mapping.work import Work

#: A scan's number, and its path or points.
Source = tuple[int, Any]

#: Scans that are looked at to choose the map's sigma.
SAMPLE = 20


def look_at(work: Work, sources: Sequence[Source], nu: float) -> list[Look]:
    """Look at scans; one whose reading ends its worker is of no use."""

    def ended(number: int, source: Any, nu: float) -> Look:
        return Look(reason=f"{source}: whoever reads it is ended, so it is damaged or far too large")

    tasks = [(number, source, nu) for number, source in sources]
    return work("looking at scans", look, tasks, ended=ended, kept=False)


def useful(sources: Sequence[Source], looks: Sequence[Look], like: Likeness | None = None) -> list[Source]:
    """The scans, those of no use replaced by a :class:`LeftOut`."""
    found: list[Source] = []
    for (number, source), seen in zip(sources, looks, strict=True):
        reason = seen.reason or unlike(number, seen.dimension, seen.size, like)
        found.append((number, source if reason is None else LeftOut(reason)))
    return found


def look_around(work: Work, sources: Sequence[Source], nu: float) -> tuple[float, Likeness, list[Source]]:
    """The sigma that suits most of the scans and what they are like, from some; and the scans, see :func:`useful`."""
    some = sources[:: -(-len(sources) // SAMPLE)]
    looks = look_at(work, some, nu)
    if all(seen.reason is not None for seen in looks) and len(some) < len(sources):
        some, looks = sources, look_at(work, sources, nu)
    there = [seen for seen in looks if seen.reason is None]
    if not there:
        check_left(len(sources), 0, str(looks[-1].reason))
    dimension = Counter(seen.dimension for seen in there).most_common(1)[0][0]
    there = [seen for seen in there if seen.dimension == dimension]
    size = sorted(seen.size for seen in there)[(len(there) - 1) // 2]
    sigma = float(np.median([seen.sigma for seen in there if same_size(seen.size, size)]))
    known = {**dict(sources), **dict(useful(some, looks, Likeness(dimension, size)))}
    bad = [source.reason for source in known.values() if isinstance(source, LeftOut)]
    check_left(len(sources), len(sources) - len(bad), *bad[-1:])
    return sigma, Likeness(dimension, size), list(known.items())


def check_left(count: int, left: int, *reasons: str) -> None:
    """Raise an InputError if of several scans one alone can be used, or none of any."""
    if left < min(2, count):
        amount = f"only {left}" if left else "none"
        raise InputError(f"scans: {amount} of {count} can be used, the last was left out because {reasons[-1]}")
