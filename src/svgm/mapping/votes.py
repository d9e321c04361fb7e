"""Which measured poses to begin with: three scans measured in pairs must close, and wrong poses do not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.mapping.noise import closes
from svgm.rigid import adjoint, invert


def votes(edges: Sequence[Edge], floor: Array) -> Array:
    """For each edge, the number of triangles that close with it less that of those that do not: (n,).

    `floor` is the variance, along the tangent vector, that a pose has beyond what its covariance says.
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

    count = np.zeros(len(edges))
    for a in sorted(neighbours):
        for b in sorted(n for n in neighbours[a] if n > a):
            for c in sorted(n for n in neighbours[a] & neighbours[b] if n > b):
                for i, ab in measured(a, b):
                    for j, bc in measured(b, c):
                        for k, ac in measured(a, c):
                            count[[i, j, k]] += 1.0 if closes(chained(ab, bc, floor), ac, floor) else -1.0
    return count


def chained(first: Edge, second: Edge, floor: Array) -> Edge:
    """From the source of the first to the target of the second, which begins where the first ends."""
    moved = adjoint(invert(first.transformation))
    covariance = first.covariance + moved @ (second.covariance + np.diag(floor)) @ moved.T
    return Edge(
        first.source,
        second.target,
        second.transformation @ first.transformation,
        covariance,
        min(first.confidence, second.confidence),
        min(first.overlap, second.overlap),
        first.kind,
    )


def spanning_poses(nodes: Sequence[int], edges: Sequence[Edge], ranks: Array, dimension: int) -> list[dict[int, Array]]:
    """Poses along the edges of highest rank that connect the scans (Kruskal's maximum spanning tree).

    One table of poses for each group of scans that hang together, the largest group first; the first scan of a group is
    at the origin.
    """
    group = {node: node for node in nodes}

    def root(node: int) -> int:
        while group[node] != node:
            group[node] = group[group[node]]
            node = group[node]
        return node

    links: dict[int, list[tuple[int, Array]]] = defaultdict(list)
    for number in np.argsort(-np.asarray(ranks), kind="stable"):
        edge = edges[number]
        a, b = root(edge.source), root(edge.target)
        if a != b:
            group[max(a, b)] = min(a, b)
            links[edge.target].append((edge.source, edge.transformation))
            links[edge.source].append((edge.target, invert(edge.transformation)))
    tables = []
    for start in (node for node in nodes if root(node) == node):
        table, waiting = {start: np.eye(dimension + 1)}, [start]
        while waiting:
            here = waiting.pop()
            for there, step in links[here]:
                if there not in table:
                    table[there] = table[here] @ step
                    waiting.append(there)
        tables.append(table)
    return sorted(tables, key=len, reverse=True)
