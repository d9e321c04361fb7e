"""Initial poses for the pose graph: along a maximum spanning tree of the edges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge
from svgm.rigid import invert


def spanning_tree_poses(
    scans: Sequence[int], edges: Sequence[Edge], ranks: Array, dimension: int
) -> list[dict[int, Array]]:
    """Poses along the edges of highest rank that connect the scans (Kruskal's maximum spanning tree).

    The list has one table of poses, by scan, for each group of connected scans, the largest group first.  The first
    scan of a group is at the origin.
    """
    parent = {scan: scan for scan in scans}

    def root(scan: int) -> int:
        while parent[scan] != scan:
            parent[scan] = parent[parent[scan]]
            scan = parent[scan]
        return scan

    links: dict[int, list[tuple[int, Array]]] = defaultdict(list)
    for number in np.argsort(-np.asarray(ranks), kind="stable"):
        edge = edges[number]
        a, b = root(edge.source), root(edge.target)
        if a != b:
            parent[max(a, b)] = min(a, b)
            links[edge.target].append((edge.source, edge.transformation))
            links[edge.source].append((edge.target, invert(edge.transformation)))
    tables = []
    for start in (scan for scan in scans if root(scan) == scan):
        table, waiting = {start: np.eye(dimension + 1)}, [start]
        while waiting:
            here = waiting.pop()
            for there, step in links[here]:
                if there not in table:
                    table[there] = table[here] @ step
                    waiting.append(there)
        tables.append(table)
    return sorted(tables, key=len, reverse=True)
