"""Cycle consistency: edges that close a cycle agree; if a cycle does not close, one of its edges is wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.edge_noise import agree, composed

#: A cycle: the numbers of its edges, and whether it closes.
Cycle = tuple[tuple[int, ...], bool]


def contradicted_edges(edges: Sequence[Edge], floor: Array) -> set[int]:
    """The numbers of edges to leave out, so that every cycle of two or three of the others closes.

    The edge that leaves out most is the one with the most cycles that do not close, less those that do; of equals, the
    one with the least confidence.  `floor` holds the variances of a measured pose beyond its covariance.
    """
    cycles = list(short_cycles(edges, floor))
    of_edge: dict[int, list[int]] = defaultdict(list)
    for place, (members, _) in enumerate(cycles):
        for member in members:
            of_edge[member].append(place)
    score = {edge: sum(-1 if cycles[place][1] else 1 for place in places) for edge, places in of_edge.items()}
    failing = {place for place, (_, closes) in enumerate(cycles) if not closes}
    left_out: set[int] = set()
    while failing:
        suspects = sorted({member for place in failing for member in cycles[place][0]})
        worst = max(suspects, key=lambda edge: (score[edge], -edges[edge].confidence * edges[edge].second, edge))
        left_out.add(worst)
        for place in of_edge[worst]:
            members, closes = cycles[place]
            if left_out.isdisjoint(set(members) - {worst}):  # else it was taken away with another edge
                for member in members:
                    score[member] += 1 if closes else -1
                failing.discard(place)
    return left_out


def short_cycles(edges: Sequence[Edge], floor: Array) -> Iterator[Cycle]:
    """All cycles of two or three edges."""
    between: dict[tuple[int, int], list[tuple[int, Edge]]] = defaultdict(list)
    later: dict[int, set[int]] = defaultdict(set)
    for number, edge in enumerate(edges):
        # From the later scan to the earlier one.
        forward = edge if edge.source > edge.target else edge.reversed()
        between[forward.source, forward.target].append((number, forward))
        later[forward.target].add(forward.source)
    for pair in sorted(between):
        same = between[pair]
        for place, (i, one) in enumerate(same):
            for j, other in same[place + 1 :]:
                yield (i, j), agree(one, other, floor)
    for a in sorted(later):
        for b in sorted(later[a]):
            for c in sorted(later[a] & later.get(b, set())):
                for i, cb in between[c, b]:
                    for j, ba in between[b, a]:
                        through = composed(cb, ba, floor)
                        for k, ca in between[c, a]:
                            yield (i, j, k), agree(through, ca, floor)


def triangle_scores(edges: Sequence[Edge], floor: Array) -> Array:
    """For each edge, the number of short cycles that close with it minus the number of those that do not: (n,)."""
    scores = np.zeros(len(edges))
    for members, closes in short_cycles(edges, floor):
        scores[list(members)] += 1.0 if closes else -1.0
    return scores
