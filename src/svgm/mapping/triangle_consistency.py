"""Triangle consistency: three scans that are measured in pairs form a triangle, and a wrong pose does not close it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.edge_noise import agree, composed


def triangle_scores(edges: Sequence[Edge], floor: Array) -> Array:
    """For each edge, the number of triangles that close with it minus the number of those that do not: (n,).

    `floor` holds the variances, along the tangent vector, of a measured pose beyond its covariance.
    """
    between: dict[tuple[int, int], list[int]] = defaultdict(list)
    neighbours: dict[int, set[int]] = defaultdict(set)
    for number, edge in enumerate(edges):
        between[edge.source, edge.target].append(number)
        neighbours[edge.source].add(edge.target)
        neighbours[edge.target].add(edge.source)

    def measured(source: int, target: int) -> list[tuple[int, Edge]]:
        forward = [(number, edges[number]) for number in between.get((source, target), [])]
        backward = [(number, edges[number].reversed()) for number in between.get((target, source), [])]
        return forward + backward

    scores = np.zeros(len(edges))
    for a in sorted(neighbours):
        for b in sorted(n for n in neighbours[a] if n > a):
            for c in sorted(n for n in neighbours[a] & neighbours[b] if n > b):
                for i, ab in measured(a, b):
                    for j, bc in measured(b, c):
                        for k, ac in measured(a, c):
                            scores[[i, j, k]] += 1.0 if agree(composed(ab, bc, floor), ac, floor) else -1.0
    return scores
