"""The state of a map while it is made: scans, links, submaps, loop closures, and the poses from the pose graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.chain import Chain, chain_of, holds
from svgm.mapping.cycle_consistency import contradicted_edges, triangle_scores
from svgm.mapping.edge import Edge, with_prior
from svgm.mapping.edge_noise import noise_floor
from svgm.mapping.initial_poses import spanning_tree_poses
from svgm.mapping.loop_consistency import inconsistent_loops, joined_sections
from svgm.mapping.odometry import Odometry
from svgm.mapping.odometry_steps import confirmed_links, links_against_odometry, odometry_steps
from svgm.mapping.pieces import Piece, outvoted_steps, parts_of
from svgm.mapping.pose_graph import GraphSolution, disagreements, solve
from svgm.mapping.scan_linking import Segment
from svgm.mapping.submap import Submap
from svgm.mapping.tuning import MAP_TUNING
from svgm.mixture.mixture import Mixture
from svgm.registration.tuning import TUNING
from svgm.rigid import invert

#: Why an edge is left out if cycles of links and odometry do not close.
OTHERS = "other edges contradict it"

#: Why a trusted link is left out if no loop confirms it.
UNCONFIRMED = "no surer edge confirms the step that it crosses"

#: Source, target and kind of an edge.
EdgeName = tuple[int, int, str]


@dataclass
class MapState:
    """What is known so far.

    Tables by scan: `sources`, `mixtures`, `radii`, `left_out` (reasons) and `poses`.  `links` are the registrations of
    consecutive scans, `steps` what else is known of consecutive scans (odometry and weak edges), `contradicted` the
    edges that others contradict, by name, with the reason.  `unsure` has the scans whose step to the next one only
    links hold of which one opinion is not sure.  `submaps` are lists of scans, `chain` is the trajectory by links and
    steps alone, and `joined` are the pairs of its parts that loops join.  Tables by pair of submaps: `loops` (measured
    edges) and `guesses` (the initial poses of their registrations).  `merged` has, by submap, the poses inside it and
    its merged mixture.
    """

    sigma: float
    order: str
    nu: float = 0.01
    odometry: Odometry | None = None
    sources: Mapping[int, Any] = field(default_factory=dict)
    mixtures: dict[int, Mixture] = field(default_factory=dict)
    radii: dict[int, float] = field(default_factory=dict)
    links: list[Edge] = field(default_factory=list)
    steps: list[Edge] = field(default_factory=list)
    submaps: list[list[int]] = field(default_factory=list)
    left_out: dict[int, str] = field(default_factory=dict)
    loops: dict[tuple[int, int], Edge] = field(default_factory=dict)
    guesses: dict[tuple[int, int], Array | None] = field(default_factory=dict)
    merged: dict[int, tuple[Array, Submap]] = field(default_factory=dict)
    contradicted: dict[EdgeName, str] = field(default_factory=dict)
    chain: Chain | None = None
    unsure: set[int] = field(default_factory=set)
    joined: set[tuple[int, ...]] = field(default_factory=set)
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
        return noise_floor(self.dimension, MAP_TUNING.noise_floor * self.sigma, self.radius)

    @property
    def radius(self) -> float:
        """Median radius of the scans."""
        return float(np.median(list(self.radii.values())))

    @property
    def edges(self) -> list[Edge]:
        """All edges: links, steps of odometry and weak ones, then loops."""
        return [*self.links, *self.steps, *(edge for _, edge in sorted(self.loops.items()))]

    @property
    def usable_edges(self) -> list[Edge]:
        """Edges of the pose graph: likely ones that no other edges contradict, loops with enough overlap, odometry, and
        weak links."""
        return [edge for edge in self.edges if self.reason(edge) is None]

    def reason(self, edge: Edge) -> str | None:
        """Why an edge is not part of the pose graph, or None."""
        return rejection_reason(edge) or self.contradicted.get(name_of(edge))

    def settle_links(self, since: int = 0) -> None:
        """Check the links of a sequence against each other and against odometry, and fill the steps without a link.

        Of links and steps of odometry that contradict each other, the fewest are left out.  A link that odometry
        confirms needs less confidence.  Where neither a link nor odometry holds a step, a weak edge says that
        consecutive scans are near each other.  Only links from the scan `since` on are checked.
        """
        scans, floor = sorted(self.mixtures), self.floor
        settled, fresh = _at(self.links, since)
        fresh = [edge for edge in fresh if edge.kind != "weak"]
        self.contradicted = {name: why for name, why in self.contradicted.items() if name[0] < since}
        self.steps = _at(self.steps, since)[0]
        if self.odometry is not None:
            steps = odometry_steps(scans, self.odometry, [*settled, *fresh], floor, self.radius)
            fresh = confirmed_links(fresh, steps, floor)
            self.steps += _at(steps, since)[1]
        self.links = [*settled, *fresh]
        recent = [edge for edge in (*self.links, *self.steps) if edge.source >= since - MAP_TUNING.links_back]
        checked = [edge for edge in recent if edge.kind != "model" and _counts(edge)]
        checked = [edge for edge in checked if edge.kind != "weak" and name_of(edge) not in self.contradicted]
        wheels = [edge for edge in checked if edge.kind == "odometry"]
        for link in links_against_odometry(checked, wheels, floor):
            self.contradicted[name_of(link)] = "odometry contradicts it, which other links confirm"
        checked = [edge for edge in checked if name_of(edge) not in self.contradicted]
        for number in sorted(contradicted_edges(checked, floor)):
            self.contradicted[name_of(checked[number])] = OTHERS
        holding = [edge for edge in self.usable_edges if holds(edge) and edge.kind not in ("model", "loop", "pair")]
        held = {step for edge in holding for step in range(edge.target, edge.source)}
        alone = [edge for edge in holding if _sure_alone(edge)]
        sure = {step for edge in alone for step in range(edge.target, edge.source)}
        # Two links that seem sure and contradict each other leave the step unsure, unless odometry decides.
        lost = [edge for edge in recent if self.contradicted.get(name_of(edge)) == OTHERS and edge.kind == "neighbour"]
        lost = [edge for edge in lost if edge.trusted and edge.second >= TUNING.trusted]
        sure -= {step for edge in lost for step in range(edge.target, edge.source)}
        sure |= {step for edge in alone if edge.kind == "odometry" for step in range(edge.target, edge.source)}
        self.unsure = held - sure
        linked = {scan for edge in holding for scan in (edge.source, edge.target)}
        for before, after in pairwise(scans):
            if after >= since and (before not in held or after not in linked):
                self.steps.append(self._weak_step(before, after))
        self._split_submaps(sure, linked, since)

    def _split_submaps(self, sure: set[int], linked: set[int], since: int) -> None:
        """End submaps where no sure edge holds the step to the next scan, or a scan has no edge, and leave out links to
        what was merged across."""
        parts: list[list[int]] = [submap for submap in self.submaps if submap[0] < since]
        for submap in self.submaps[len(parts) :]:
            for place, scan in enumerate(submap):
                before = submap[place - 1]
                if place and sure.issuperset(range(before, scan)) and linked.issuperset((before, scan)):
                    parts[-1].append(scan)
                else:
                    parts.append([scan])
        self.submaps = parts
        wrong = [name for name in self.contradicted if name[2] == "neighbour"]
        for edge in _at(self.links, since)[1]:
            if edge.kind == "model" and (
                not sure.issuperset(range(edge.target, edge.source))
                or any(edge.target <= target and source <= edge.source for source, target, _ in wrong)
            ):
                self.contradicted[name_of(edge)] = "the scans of its submap do not hang together"

    def _weak_step(self, before: int, after: int) -> Edge:
        """A step without a registration or odometry: consecutive scans are near each other."""
        d, radius = self.dimension, self.radii[after]
        covariance = np.diag(noise_floor(d, MAP_TUNING.weak_deviation * radius, radius))
        return Edge(after, before, np.eye(d + 1), covariance, 0.0, 0.0, "weak")

    def confirm_pairs(self) -> None:
        """Raise the confidence of pairs that are more likely right than wrong and close triangles: wrong ones rarely
        agree.  Scans without an order have no neighbours to vouch for them."""
        pairs = [(pair, edge) for pair, edge in sorted(self.loops.items()) if edge.kind == "pair"]
        likely = [(pair, edge) for pair, edge in pairs if edge.confidence >= 0.5]
        closing = triangle_scores([edge for _, edge in likely], self.floor) > 0
        for (pair, edge), closes in zip(likely, closing, strict=True):
            if closes and not edge.trusted:
                self.loops[pair] = replace(edge, confidence=with_prior(edge.confidence, MAP_TUNING.closing))

    def check_loops(self) -> None:
        """Leave out the loops of a sequence that contradict the trajectory or other loops."""
        if self.chain is None:
            return
        chain = self.chain
        self.contradicted = {name: why for name, why in self.contradicted.items() if name[2] != "loop"}
        loops = [edge for _, edge in sorted(self.loops.items()) if rejection_reason(edge) is None]
        loops = [edge for edge in loops if edge.source in chain.poses and edge.target in chain.poses]
        for number, why in sorted(inconsistent_loops(loops, chain, self.floor).items()):
            self.contradicted[name_of(loops[number])] = why
        kept = [edge for edge in loops if name_of(edge) not in self.contradicted]
        joined = {tuple(sorted((chain.part[edge.source], chain.part[edge.target]))) for edge in kept}
        if joined != self.joined:
            self.joined, self.poses = joined, {}  # the parts of the trajectory move against each other

    def solve_graph(self) -> GraphSolution:
        """Solve the pose graph of all connected scans, from the present poses or from a spanning tree of the edges."""
        edges, floor = self.usable_edges, self.floor
        scans = sorted(self.mixtures)
        if any(scan not in self.poses for scan in scans):
            self.poses = self._tree_poses(scans, edges)
        edges = [edge for edge in edges if edge.source in self.poses and edge.target in self.poses]
        solution = solve(edges, self.poses, floor)
        self.poses = solution.poses
        return solution

    def solve_chain(self) -> None:
        """Solve the graph of a sequence without loops; its solution says which loops are plausible."""
        self.solve_graph()
        self.set_chain(self.poses, self.usable_edges)

    def set_chain(self, poses: Mapping[int, Array], edges: Sequence[Edge]) -> None:
        """The trajectory by these edges alone, with these poses."""
        reach = 2.0 * MAP_TUNING.weak_deviation * self.radius
        self.chain = chain_of(poses, edges, self.floor, reach)

    def _tree_poses(self, scans: Sequence[int], edges: Sequence[Edge]) -> dict[int, Array]:
        ranks = triangle_scores(edges, self.floor) + sequence_ranks(edges)
        return spanning_tree_poses(scans, edges, ranks, self.dimension)[0]

    def solve_pieces(self) -> list[Piece]:
        """Solve each piece of the map by itself, the largest first.

        A piece is connected by edges that hold their scans and that agree with its solution.  In its coordinates its
        first scan is at the origin.
        """
        self.drop_unconfirmed()
        waiting = [sorted(self.mixtures)]
        done: list[Piece] = []
        while waiting:
            scans = waiting.pop()
            inside = set(scans)
            edges = [edge for edge in self.usable_edges if edge.source in inside and edge.target in inside]
            edges = [edge for edge in edges if edge.kind != "weak"]
            parts = parts_of(scans, edges)
            if len(parts) > 1:
                waiting += parts
                continue
            known = inside <= self.poses.keys()
            initial = {scan: self.poses[scan] for scan in scans} if known else self._tree_poses(scans, edges)
            solution = solve(edges, initial, self.floor)
            agrees = solution.disagreements < MAP_TUNING.contradiction
            outvoted = outvoted_steps(edges, agrees) if self.order == "sequence" else set()
            for edge in edges:
                if not outvoted.isdisjoint(range(*sorted((edge.source, edge.target)))):
                    self.contradicted[name_of(edge)] = "too many edges across a step contradict each other"
            agreeing = [edge for edge, good in zip(edges, agrees, strict=True) if good]
            parts = parts_of(scans, [edge for edge in agreeing if name_of(edge) not in self.contradicted])
            if len(parts) > 1:
                waiting += parts
                continue
            back = invert(solution.poses[scans[0]])
            moved = {scan: back @ pose for scan, pose in solution.poses.items()}
            done.append(Piece(moved, edges, solution.disagreements))
        return sorted(done, key=lambda piece: (-len(piece.poses), min(piece.poses)))

    def drop_unconfirmed(self) -> bool:
        """Leave out the links across unsure steps of a sequence that loops do not confirm; whether there were any.

        Sections between unsure steps are joined by loops that agree with the poses and are not all of one submap.
        """
        if self.chain is None:
            return False
        scans, edges = sorted(self.poses), self.usable_edges
        links = [edge for edge in edges if edge.kind != "loop" and holds(edge)]
        unsure = [edge for edge in links if not self.unsure.isdisjoint(range(edge.target, edge.source))]
        loops = [edge for edge in edges if edge.kind == "loop" and holds(edge)]
        agree = disagreements(loops, self.poses, self.floor) < MAP_TUNING.contradiction
        loops = [edge for edge, good in zip(loops, agree, strict=True) if good]
        crossing = {name_of(edge) for edge in unsure}
        known = [edge for edge in loops if {edge.source, edge.target} <= self.chain.part.keys()]
        sections = joined_sections(scans, [e for e in links if name_of(e) not in crossing], known, self.chain)
        apart = [edge for edge in (*unsure, *loops) if sections[edge.source] != sections[edge.target]]
        for edge in apart:
            self.contradicted[name_of(edge)] = UNCONFIRMED
        for edge in unsure:
            if sections[edge.source] == sections[edge.target]:
                self.unsure -= set(range(edge.target, edge.source))
        return bool(apart)

    def part_again(self) -> None:
        """Without the links that nothing confirms, check the loops again: some that contradicted the trajectory may now
        join its parts."""
        scans = sorted(self.mixtures)
        held = {step for edge in self.usable_edges if holds(edge) and edge.kind != "loop" for step in _steps(edge)}
        weak = {edge.source for edge in self.steps if edge.kind == "weak"}
        self.steps += [self._weak_step(a, b) for a, b in pairwise(scans) if a not in held and b not in weak]
        self.loops, loops = {}, self.loops
        self.poses = {}
        self.solve_chain()
        self.loops = loops
        self.check_loops()
        self.solve_graph()


def rejection_reason(edge: Edge) -> str | None:
    """Why an edge by itself is not fit for the pose graph, or None."""
    if not _counts(edge):
        if edge.confidence < TUNING.trusted:
            return f"its confidence, {edge.confidence:.2f}, is too low"
        return f"the confidence of its second registration, {edge.second:.2f}, is too low"
    if edge.kind in ("loop", "pair"):
        if edge.loose:
            return "the surfaces leave a direction undetermined"
        if edge.overlap < MAP_TUNING.least_overlap:
            return f"its overlap, {edge.overlap:.2f}, is too low"
    return None


def _steps(edge: Edge) -> range:
    """The scans after which an edge of a sequence crosses to later ones."""
    return range(*sorted((edge.source, edge.target)))


def _counts(edge: Edge) -> bool:
    return edge.likely or edge.kind in ("weak", "odometry")


def _sure_alone(edge: Edge) -> bool:
    """Whether an edge holds its step without others.  Two registrations of consecutive scans that agree are likely."""
    consecutive = edge.kind == "neighbour" and edge.source - edge.target == 1
    return (with_prior(edge.second, MAP_TUNING.consecutive) if consecutive else edge.second) >= TUNING.trusted


def _at(edges: Sequence[Edge], since: int) -> tuple[list[Edge], list[Edge]]:
    """The edges whose source comes before a scan, and the others."""
    return [edge for edge in edges if edge.source < since], [edge for edge in edges if edge.source >= since]


def name_of(edge: Edge) -> EdgeName:
    """What tells an edge from all others of a map."""
    return edge.source, edge.target, edge.kind


def sequence_ranks(edges: Sequence[Edge]) -> Array:
    """How safe each edge is by itself: (n,)."""
    return np.array([edge.confidence - _gap(edge) for edge in edges])


def _gap(edge: Edge) -> float:
    """How far apart in the sequence an edge's scans are: near ones are safer links, a weak one is the last resort."""
    if edge.kind == "weak":
        return 100.0
    if edge.kind == "odometry" or edge.loose:
        return 10.0
    return 0.0 if edge.kind in ("loop", "pair") else float(abs(edge.source - edge.target))
