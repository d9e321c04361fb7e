"""Pieces of a map: scans that edges hold together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svgm.geometry.points import Array
from svgm.mapping.chain import connected_parts, holds
from svgm.mapping.edge import Edge


@dataclass(frozen=True)
class Piece:
    """Scans that hang together: their poses, the edges between them, and how far each edge is from the poses (squared
    Mahalanobis length)."""

    poses: dict[int, Array]
    edges: list[Edge]
    disagreements: Array


def outvoted_steps(edges: Sequence[Edge], agrees: NDArray[np.bool_]) -> set[int]:
    """The scans after which more edges contradict the solution than agree with it."""
    votes: dict[int, int] = {}
    for edge, good in zip(edges, agrees, strict=True):
        if holds(edge) and edge.kind != "model":
            for step in range(*sorted((edge.source, edge.target))):
                votes[step] = votes.get(step, 0) + (1 if good else -1)
    return {step for step, vote in votes.items() if vote < 0}


def parts_of(scans: Sequence[int], edges: Sequence[Edge]) -> list[list[int]]:
    """The scans by connected part of the edges that hold them."""
    parts: dict[int, list[int]] = {}
    for scan, part in connected_parts(scans, [edge for edge in edges if holds(edge)]).items():
        parts.setdefault(part, []).append(scan)
    return list(parts.values())
