"""The weakest joints of a map: the steps of a sequence that the least sure edges hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from svgm.mapping.edge import Edge

#: Joints that a map names, at most.
MOST_JOINTS = 8


@dataclass(frozen=True)
class Joint:
    """A place where few or unsure edges hold a map together.

    Attributes
    ----------
    before, after : int
        The two consecutive scans of the map between which the joint is.
    edges : int
        Number of edges across the joint: they lead from scans up to `before` to scans from `after` on.
    doubt : float
        Probability that the two surest of these edges are both wrong, if they are wrong independently: the product of
        1 - the lower of an edge's two confidences.  Of one edge alone, this figure.

    Examples
    --------
    >>> Joint(before=3, after=4, edges=2, doubt=0.02)
    Joint(before=3, after=4, edges=2, doubt=0.02)
    """

    before: int
    after: int
    edges: int
    doubt: float


def weakest_joints(scans: Sequence[int], edges: Sequence[Edge]) -> tuple[Joint, ...]:
    """The joints of a sequence of scans with the largest doubt, at most `MOST_JOINTS`, the weakest first.

    Links to submaps repeat what other links say, and edges with an undetermined direction hold only in part: they do
    not count.
    """
    if len(scans) < 2:
        return ()
    place = {scan: number for number, scan in enumerate(scans)}
    count, best, second = np.zeros(len(scans), dtype=int), np.ones(len(scans)), np.ones(len(scans))
    for edge in edges:
        if edge.kind in ("model", "weak") or edge.loose:
            continue
        low, high = sorted((place[edge.source], place[edge.target]))
        across = slice(low + 1, high + 1)
        wrong = 1.0 - min(edge.confidence, edge.second)
        second[across] = np.minimum(second[across], np.maximum(best[across], wrong))
        best[across] = np.minimum(best[across], wrong)
        count[across] += 1
    doubts = best * second
    weakest = sorted(range(1, len(scans)), key=lambda at: (-doubts[at], at))[:MOST_JOINTS]
    return tuple(Joint(scans[at - 1], scans[at], int(count[at]), float(doubts[at])) for at in weakest)
