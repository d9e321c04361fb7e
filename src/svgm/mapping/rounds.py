"""The pose graph of pieces, round by round: pieces that may overlap are registered, and the poses solved anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.chain import WEAK, Stretch
from svgm.mapping.closures import DRIFT, FAR_OFF, LEAST_OVERLAP, Model, Proposal, propose, register_models
from svgm.mapping.edge import Edge
from svgm.mapping.graph import Solution, disagreements, solve
from svgm.mapping.noise import DIFFERENT, FLOOR, floor_of
from svgm.mapping.tree import merge_moved
from svgm.mapping.votes import spanning_poses, votes
from svgm.mapping.work import Work
from svgm.mixture.mixture import Mixture
from svgm.rigid import apply, invert

#: Rounds, at most.
ROUNDS = 4

#: The model of a piece is made anew if a component has moved in it by this share of sigma.
STALE = 0.1

#: A pair that could not be trusted is tried again if its guess has moved by this share of the piece's radius.
MOVED = 0.1


@dataclass
class Survey:
    """What is known of the scans so far: mixtures, links, pieces, and the poses that agree best with them."""

    sigma: float
    order: str
    nu: float = 0.01
    sources: Mapping[int, Any] = field(default_factory=dict)
    mixtures: dict[int, Mixture] = field(default_factory=dict)
    radii: dict[int, float] = field(default_factory=dict)
    links: list[Edge] = field(default_factory=list)
    pieces: list[list[int]] = field(default_factory=list)
    left_out: dict[int, str] = field(default_factory=dict)
    closures: dict[tuple[int, int], Edge] = field(default_factory=dict)
    guesses: dict[tuple[int, int], Array | None] = field(default_factory=dict)
    models: dict[int, tuple[Array, Model]] = field(default_factory=dict)
    poses: dict[int, Array] = field(default_factory=dict)

    def include(self, stretch: Stretch) -> None:
        """Add the scans of a stretch."""
        self.mixtures |= stretch.mixtures
        self.radii |= stretch.radii
        self.links += stretch.edges
        self.pieces += stretch.pieces
        self.left_out |= stretch.left_out

    @property
    def dimension(self) -> int:
        """Of the scans."""
        return next(iter(self.mixtures.values())).dimension

    @property
    def floor(self) -> Array:
        """Variances of every measured pose beyond its covariance."""
        return floor_of(self.dimension, FLOOR * self.sigma, float(np.median(list(self.radii.values()))))

    @property
    def usable(self) -> list[Edge]:
        """Edges that may take part: trusted ones, closures with enough overlap, and weak links."""
        closures = [edge for _, edge in sorted(self.closures.items())]
        return [edge for edge in [*self.links, *closures] if why_not(edge) is None]


def why_not(edge: Edge) -> str | None:
    """Why an edge does not take part in the graph."""
    if edge.kind == "weak":
        return None
    if not edge.trusted:
        return f"its confidence, {edge.confidence:.2f}, is too low"
    if edge.kind in ("loop", "pair") and edge.overlap < LEAST_OVERLAP:
        return f"its overlap, {edge.overlap:.2f}, is too low"
    return None


def settle(survey: Survey) -> Solution:
    """The poses of all scans that hang together, from those known already or along the best edges."""
    edges, floor = survey.usable, survey.floor
    nodes = sorted(survey.mixtures)
    if any(node not in survey.poses for node in nodes):
        ranks = votes(edges, floor) + np.array([edge.confidence - _length(edge) for edge in edges])
        survey.poses = spanning_poses(nodes, edges, ranks, len(survey.mixtures[nodes[0]].means[0]))[0]
    edges = [edge for edge in edges if edge.source in survey.poses and edge.target in survey.poses]
    solution = solve(edges, survey.poses, floor)
    survey.poses = solution.poses
    return solution


def close_loops(survey: Survey, work: Work, pieces: Sequence[int] | None = None, rounds: int = ROUNDS) -> None:
    """Register pieces that may overlap, solve, and look again; only some pieces' partners, if `pieces` are given."""
    for number in range(rounds):
        models = _models(survey, work)
        proposals = _proposals(survey, models, pieces)
        if not proposals:
            return
        kind = "loop" if survey.order == "sequence" else "pair"
        tasks = [
            (models[p.source], models[p.target], p.guess, "auto" if p.doubt > FAR_OFF else "local", kind, survey.nu)
            for p in proposals
        ]
        before = len(survey.usable)
        found = work(f"closing loops, round {number + 1}", register_models, tasks)
        for proposal, edge in zip(proposals, found, strict=True):
            survey.closures[proposal.source, proposal.target] = edge
            survey.guesses[proposal.source, proposal.target] = proposal.guess
        if len(survey.usable) == before:
            return
        with work.timed("graph"):
            settle(survey)


def _models(survey: Survey, work: Work) -> dict[int, Model]:
    """The merged mixture of each piece whose scans have poses, made anew where those have changed."""
    stale, tasks = [], []
    for number, piece in enumerate(survey.pieces):
        if piece[0] not in survey.poses and len(piece) > 1:
            continue
        inside = _inside(survey, piece)
        known = survey.models.get(number)
        mixtures = [survey.mixtures[scan] for scan in piece]
        if known is None or len(known[0]) != len(inside) or _moved(mixtures, known[0], inside) > STALE * survey.sigma:
            stale.append((number, inside))
            tasks.append((mixtures, list(inside)))
    for (number, inside), mixture in zip(stale, work("merging pieces", merge_moved, tasks), strict=True):
        piece = survey.pieces[number]
        alone = survey.sources.get(piece[0]) if len(piece) == 1 else None
        survey.models[number] = inside, Model(piece[0], mixture, alone)
    return {number: model for number, (_, model) in sorted(survey.models.items())}


def _moved(mixtures: Sequence[Mixture], before: Array, after: Array) -> float:
    """How far a component has moved, at most, between two poses of each mixture."""
    steps = [
        mixture.means @ step[:-1, :-1].T + step[:-1, -1] for mixture, step in zip(mixtures, after - before, strict=True)
    ]
    return max(float(np.linalg.norm(step, axis=1).max()) for step in steps)


def _inside(survey: Survey, piece: Sequence[int]) -> Array:
    """Poses of a piece's scans in the frame of the first."""
    if len(piece) == 1:
        return np.eye(survey.dimension + 1)[None]
    back = invert(survey.poses[piece[0]])
    return np.stack([back @ survey.poses[scan] for scan in piece])


def _proposals(survey: Survey, models: Mapping[int, Model], pieces: Sequence[int] | None) -> list[Proposal]:
    """Pairs to register now."""
    placed = {number: model for number, model in models.items() if model.anchor in survey.poses}
    # Nothing is known of where the others are: with every piece, everywhere.
    pairs = [(i, j) for i in models for j in models if i > j and not (i in placed and j in placed)]
    found = [Proposal(i, j, None, np.inf) for i, j in pairs if (i, j) not in survey.closures]
    if len(placed) > 1:
        near = propose(placed, survey.poses, _ways(survey, placed))
        found += [proposal for proposal in near if _worth_trying(survey, models, proposal)]
    if pieces is not None:
        found = [proposal for proposal in found if proposal.source in pieces or proposal.target in pieces]
    return found


def _worth_trying(survey: Survey, models: Mapping[int, Model], proposal: Proposal) -> bool:
    pair = proposal.source, proposal.target
    if pair not in survey.closures:
        return True
    edge, old = survey.closures[pair], survey.guesses[pair]
    if why_not(edge) is None and disagreements([edge], survey.poses, survey.floor)[0] < DIFFERENT:
        return False
    model = models[proposal.source]
    if old is None or proposal.guess is None:
        return True
    places = np.stack([model.centre, model.centre + model.radius])
    moved = np.linalg.norm(apply(old, places) - apply(proposal.guess, places), axis=1).max()
    return bool(moved > MOVED * model.radius)


def _ways(survey: Survey, models: Mapping[int, Model]) -> Array:
    """Length of the shortest way between any two pieces, along edges that agree with the poses."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    centres = [apply(survey.poses[model.anchor], model.centre[None])[0] for model in models.values()]
    piece_of = {scan: place for place, number in enumerate(models) for scan in survey.pieces[number]}
    edges = [edge for edge in survey.usable if edge.source in piece_of and edge.target in piece_of]
    agreed = disagreements(edges, survey.poses, survey.floor) < DIFFERENT
    lengths: dict[tuple[int, int], float] = {}
    for edge in (edge for edge, agrees in zip(edges, agreed, strict=True) if agrees):
        ends = tuple(sorted((piece_of[edge.source], piece_of[edge.target])))
        if ends[0] != ends[1]:
            # Zero would be no edge.
            length = max(float(np.linalg.norm(centres[ends[0]] - centres[ends[1]])), float(np.finfo(float).tiny))
            if edge.kind == "weak":
                length += WEAK / DRIFT * float(np.median(list(survey.radii.values())))
            lengths[ends[0], ends[1]] = min(length, lengths.get((ends[0], ends[1]), np.inf))
    count = len(models)
    if not lengths:
        return np.full((count, count), np.inf)
    rows, columns = zip(*lengths, strict=True)
    graph = coo_array((list(lengths.values()), (rows, columns)), shape=(count, count)).tocsr()
    ways: Array = dijkstra(graph, directed=False)
    return ways


def _length(edge: Edge) -> float:
    """How far apart in the sequence an edge's scans are: near ones are safer links, a weak one is the last resort."""
    if edge.kind == "weak":
        return 100.0
    return 0.0 if edge.kind in ("loop", "pair") else float(abs(edge.source - edge.target))
