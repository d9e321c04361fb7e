"""The state of a map while it is made: scans, links, submaps, loop closures, and the poses from the pose graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.edge import Edge, with_prior
from svgm.mapping.edge_noise import noise_floor
from svgm.mapping.initial_poses import spanning_tree_poses
from svgm.mapping.pose_graph import GraphSolution, solve
from svgm.mapping.scan_linking import Segment
from svgm.mapping.submap import Submap
from svgm.mapping.triangle_consistency import triangle_scores
from svgm.mapping.tuning import MAP_TUNING
from svgm.mixture.mixture import Mixture


@dataclass
class MapState:
    """What is known so far.

    Tables by scan: `sources`, `mixtures`, `radii`, `left_out` (reasons) and `poses`.  `links` are the edges between
    consecutive scans, `submaps` lists of scans.  Tables by pair of submaps: `loops` (measured edges) and `guesses` (the
    initial poses of their registrations).  `merged` has, by submap, the poses inside it and its merged mixture.
    """

    sigma: float
    order: str
    nu: float = 0.01
    sources: Mapping[int, Any] = field(default_factory=dict)
    mixtures: dict[int, Mixture] = field(default_factory=dict)
    radii: dict[int, float] = field(default_factory=dict)
    links: list[Edge] = field(default_factory=list)
    submaps: list[list[int]] = field(default_factory=list)
    left_out: dict[int, str] = field(default_factory=dict)
    loops: dict[tuple[int, int], Edge] = field(default_factory=dict)
    guesses: dict[tuple[int, int], Array | None] = field(default_factory=dict)
    merged: dict[int, tuple[Array, Submap]] = field(default_factory=dict)
    poses: dict[int, Array] = field(default_factory=dict)

    def add(self, segment: Segment) -> None:
        """Add the scans of a segment."""
        self.mixtures |= segment.mixtures
        self.radii |= segment.radii
        self.links += segment.edges
        self.submaps += segment.submaps
        self.left_out |= segment.left_out

    @property
    def dimension(self) -> int:
        """Dimension of the scans."""
        return next(iter(self.mixtures.values())).dimension

    @property
    def floor(self) -> Array:
        """Variances of every measured pose beyond its covariance."""
        radius = float(np.median(list(self.radii.values())))
        return noise_floor(self.dimension, MAP_TUNING.noise_floor * self.sigma, radius)

    @property
    def edges(self) -> list[Edge]:
        """All measured edges: links, then loops."""
        return [*self.links, *(edge for _, edge in sorted(self.loops.items()))]

    @property
    def usable_edges(self) -> list[Edge]:
        """Edges of the pose graph: trusted ones, loops with enough overlap, and weak links."""
        return [edge for edge in self.edges if rejection_reason(edge) is None]

    def confirm_pairs(self) -> None:
        """Raise the confidence of pairs that are more likely right than wrong and close triangles: wrong ones rarely
        agree.  Scans without an order have no neighbours to vouch for them."""
        pairs = [(pair, edge) for pair, edge in sorted(self.loops.items()) if edge.kind == "pair"]
        likely = [(pair, edge) for pair, edge in pairs if edge.confidence >= 0.5]
        closing = triangle_scores([edge for _, edge in likely], self.floor) > 0
        for (pair, edge), closes in zip(likely, closing, strict=True):
            if closes and not edge.trusted:
                self.loops[pair] = replace(edge, confidence=with_prior(edge.confidence, MAP_TUNING.closing))

    def solve_graph(self) -> GraphSolution:
        """Solve the pose graph of all connected scans, from the present poses or from a spanning tree of the edges."""
        edges, floor = self.usable_edges, self.floor
        scans = sorted(self.mixtures)
        if any(scan not in self.poses for scan in scans):
            ranks = triangle_scores(edges, floor) + np.array([edge.confidence - _gap(edge) for edge in edges])
            self.poses = spanning_tree_poses(scans, edges, ranks, self.dimension)[0]
        edges = [edge for edge in edges if edge.source in self.poses and edge.target in self.poses]
        solution = solve(edges, self.poses, floor)
        self.poses = solution.poses
        return solution


def rejection_reason(edge: Edge) -> str | None:
    """Why an edge is not part of the pose graph, or None."""
    if edge.kind == "weak":
        return None
    if not edge.trusted:
        return f"its confidence, {edge.confidence:.2f}, is too low"
    if edge.kind in ("loop", "pair") and edge.overlap < MAP_TUNING.least_overlap:
        return f"its overlap, {edge.overlap:.2f}, is too low"
    return None


def _gap(edge: Edge) -> float:
    """How far apart in the sequence an edge's scans are: near ones are safer links, a weak one is the last resort."""
    if edge.kind == "weak":
        return 100.0
    return 0.0 if edge.kind in ("loop", "pair") else float(abs(edge.source - edge.target))
