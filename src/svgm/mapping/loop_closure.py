"""Loop closure in rounds: proposed pairs of submaps are registered, and the pose graph is solved again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.loop_proposals import LoopProposal, propose_loops
from svgm.mapping.map_state import MapState, name_of, rejection_reason
from svgm.mapping.merge_tree import merge_at_poses
from svgm.mapping.pose_graph import disagreements
from svgm.mapping.submap import Submap, register_submaps
from svgm.mapping.task_runner import TaskRunner
from svgm.mapping.tuning import MAP_TUNING
from svgm.mixture.mixture import Mixture
from svgm.rigid import apply, invert


def close_loops(
    state: MapState, runner: TaskRunner, only: Sequence[int] | None = None, rounds: int = MAP_TUNING.loop_rounds
) -> None:
    """Register submaps that may overlap and solve the pose graph, until a round adds no edge.

    With `only`, a pair must contain one of these submaps.
    """
    for number in range(rounds):
        submaps = merge_submaps(state, runner)
        proposals = _proposals(state, submaps, only)
        if not proposals:
            return
        kind = "loop" if state.order == "sequence" else "pair"
        tasks = [(submaps[p.source], submaps[p.target], p.guess, _search(p), kind, state.nu) for p in proposals]
        before = [(name_of(edge), edge.transformation.tobytes()) for edge in state.usable_edges]
        found = runner(f"closing loops, round {number + 1}", register_submaps, tasks)
        for proposal, edge in zip(proposals, found, strict=True):
            state.loops[proposal.source, proposal.target] = edge
            state.guesses[proposal.source, proposal.target] = proposal.guess
        state.confirm_pairs()
        state.check_loops()
        if before == [(name_of(edge), edge.transformation.tobytes()) for edge in state.usable_edges]:
            return
        with runner.timed("graph"):
            state.solve_graph()


def _search(proposal: LoopProposal) -> str:
    return "auto" if proposal.uncertainty > MAP_TUNING.global_search_from else "local"


def merge_submaps(state: MapState, runner: TaskRunner) -> dict[int, Submap]:
    """The merged mixture of each submap whose scans have poses; merged again if these poses have changed."""
    stale, tasks = [], []
    for number, scans in enumerate(state.submaps):
        if scans[0] not in state.poses and len(scans) > 1:
            continue
        inside = _poses_inside(state, scans)
        known = state.merged.get(number)
        mixtures = [state.mixtures[scan] for scan in scans]
        most = MAP_TUNING.stale_submap * state.sigma
        if known is None or len(known[0]) != len(inside) or _largest_move(mixtures, known[0], inside) > most:
            stale.append((number, inside))
            tasks.append((mixtures, list(inside)))
    for (number, inside), mixture in zip(stale, runner("merging submaps", merge_at_poses, tasks), strict=True):
        scans = state.submaps[number]
        source = state.sources.get(scans[0]) if len(scans) == 1 else None
        state.merged[number] = inside, Submap(scans[0], mixture, source)
    return {number: submap for number, (_, submap) in sorted(state.merged.items())}


def _largest_move(mixtures: Sequence[Mixture], before: Array, after: Array) -> float:
    """The largest distance between the places of a component at two poses of its mixture."""
    steps = [
        mixture.means @ step[:-1, :-1].T + step[:-1, -1] for mixture, step in zip(mixtures, after - before, strict=True)
    ]
    return max(float(np.linalg.norm(step, axis=1).max()) for step in steps)


def _poses_inside(state: MapState, scans: Sequence[int]) -> Array:
    """Poses of a submap's scans in the frame of the first."""
    if len(scans) == 1:
        return np.eye(state.dimension + 1)[None]
    back = invert(state.poses[scans[0]])
    return np.stack([back @ state.poses[scan] for scan in scans])


def _proposals(state: MapState, submaps: Mapping[int, Submap], only: Sequence[int] | None) -> list[LoopProposal]:
    """Pairs to register in this round."""
    placed = {number: submap for number, submap in submaps.items() if submap.anchor in state.poses}
    # Submaps without a pose are paired with every other one, without a guess.
    pairs = [(i, j) for i in submaps for j in submaps if i > j and not (i in placed and j in placed)]
    found = [LoopProposal(i, j, None, np.inf) for i, j in pairs if (i, j) not in state.loops]
    if len(placed) > 1:
        near = propose_loops(placed, state.poses, _trajectory_distances(state, placed))
        found += [proposal for proposal in near if _worth_trying(state, submaps, proposal)]
    if only is not None:
        found = [proposal for proposal in found if proposal.source in only or proposal.target in only]
    return found


def _worth_trying(state: MapState, submaps: Mapping[int, Submap], proposal: LoopProposal) -> bool:
    """Whether a pair is new, or its edge is not in agreement with the poses and its guess has moved."""
    pair = proposal.source, proposal.target
    if pair not in state.loops:
        return True
    edge, old = state.loops[pair], state.guesses[pair]
    usable = rejection_reason(edge) is None
    if usable and disagreements([edge], state.poses, state.floor)[0] < MAP_TUNING.contradiction:
        return False
    submap = submaps[proposal.source]
    if old is None or proposal.guess is None:
        return True
    places = np.stack([submap.centre, submap.centre + submap.radius])
    moved = np.linalg.norm(apply(old, places) - apply(proposal.guess, places), axis=1).max()
    return bool(moved > MAP_TUNING.moved_guess * submap.radius)


def _trajectory_distances(state: MapState, submaps: Mapping[int, Submap]) -> Array:
    """Length (m, m) of the shortest trajectory between any two submaps, along edges that agree with the poses."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    centres = [apply(state.poses[submap.anchor], submap.centre[None])[0] for submap in submaps.values()]
    submap_of = {scan: place for place, number in enumerate(submaps) for scan in state.submaps[number]}
    edges = [edge for edge in state.usable_edges if edge.source in submap_of and edge.target in submap_of]
    agreed = disagreements(edges, state.poses, state.floor) < MAP_TUNING.contradiction
    lengths: dict[tuple[int, int], float] = {}
    for edge in (edge for edge, agrees in zip(edges, agreed, strict=True) if agrees):
        ends = tuple(sorted((submap_of[edge.source], submap_of[edge.target])))
        if ends[0] != ends[1]:
            # A sparse matrix takes zero for no edge.
            length = max(float(np.linalg.norm(centres[ends[0]] - centres[ends[1]])), float(np.finfo(float).tiny))
            if edge.kind == "weak":
                length += MAP_TUNING.weak_deviation / MAP_TUNING.drift * state.radius
            lengths[ends[0], ends[1]] = min(length, lengths.get((ends[0], ends[1]), np.inf))
    count = len(submaps)
    if not lengths:
        return np.full((count, count), np.inf)
    rows, columns = zip(*lengths, strict=True)
    graph = coo_array((list(lengths.values()), (rows, columns)), shape=(count, count)).tocsr()
    distances: Array = dijkstra(graph, directed=False)
    return distances
