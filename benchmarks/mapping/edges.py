"""Edges of a map held against reference poses: how many are trusted, and how many of those are right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.datasets import Array
from benchmarks.mapping.mapped import Edge
from svgm.rigid import invert, pose_error

#: Whether these errors, in radians and metres, are those of a right edge.
Near = Callable[[float, float], bool]


@dataclass(frozen=True)
class Judged:
    """An edge with its errors (rad, m), and how far apart the reference has its two scans (m)."""

    edge: Edge
    rotation: float
    translation: float
    apart: float
    right: bool

    @property
    def adjacent(self) -> bool:
        """Whether its scans follow one another."""
        return abs(self.edge.source - self.edge.target) == 1


@dataclass(frozen=True)
class Count:
    """Edges of a group."""

    edges: int
    trusted: int
    right: int
    wrong: int  # those trusted
    doubted: int  # right, but not trusted


def judge(edges: Sequence[Edge], reference: Array, near: Near) -> list[Judged]:
    """Every edge beside the reference's relative pose, at the origin of the source scan."""
    judged = []
    for edge in edges:
        expected = invert(reference[edge.target]) @ reference[edge.source]
        rotation, translation = pose_error(edge.transformation, expected)
        apart = float(np.linalg.norm(expected[:-1, -1]))
        judged.append(Judged(edge, rotation, translation, apart, near(rotation, translation)))
    return judged


def count(judged: Sequence[Judged]) -> Count:
    """How many of what sort."""
    trusted = [each for each in judged if each.edge.trusted]
    right = sum(each.right for each in trusted)
    doubted = sum(each.right for each in judged if not each.edge.trusted)
    return Count(len(judged), len(trusted), right, len(trusted) - right, doubted)


def share_of_steps(judged: Sequence[Judged], scans: int) -> tuple[int, list[int]]:
    """Of the n - 1 pairs of scans in a row: how many have a right trusted edge and no wrong one, and which have not."""
    good, bad = set(), set()
    for each in judged:
        if each.adjacent and each.edge.trusted:
            (good if each.right else bad).add(min(each.edge.source, each.edge.target))
    lost = sorted(set(range(scans - 1)) - (good - bad))
    return scans - 1 - len(lost), lost


def groups(judged: Sequence[Judged], far: float) -> dict[str, Count]:
    """Counts by kind; kinds that leap over scans apart by distance, where errors of the reference's headings have
    a long lever and say little of the edge."""
    found: dict[str, list[Judged]] = {}
    for each in judged:
        name = (
            each.edge.kind if each.adjacent else f"{each.edge.kind}, {'from' if each.apart >= far else 'to'} {far:g} m"
        )
        found.setdefault(name, []).append(each)
    return {name: count(found[name]) for name in sorted(found)}


def print_groups(title: str, counts: dict[str, Count]) -> None:
    """One line a group."""
    table = Table(title=title, title_justify="left")
    table.add_column("edges")
    for name in ("all", "trusted", "right", "wrong", "right but not trusted"):
        table.add_column(name, justify="right")
    for name, each in counts.items():
        table.add_row(name, *(str(value) for value in asdict(each).values()))
    Console(width=140).print(table)


def wrong_ones(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """The edges trusted and wrong, for the record."""
    return [
        {
            "source": each.edge.source,
            "target": each.edge.target,
            "kind": each.edge.kind,
            "confidence": each.edge.confidence,
            "rotation (rad)": each.rotation,
            "translation (m)": each.translation,
            "apart (m)": each.apart,
        }
        for each in judged
        if each.edge.trusted and not each.right
    ]
