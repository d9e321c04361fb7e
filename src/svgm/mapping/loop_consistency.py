"""Pairwise consistency of loop closures: the largest set of loops that agree with each other along the trajectory.

Two loops form a cycle with the two stretches of the trajectory between their ends (Mangelson et al., Pairwise
Consistent Measurement Set Maximization, ICRA 2018).  A wrong loop seldom agrees with right ones, and wrong ones with
each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.chain import Chain, connected_parts
from svgm.mapping.edge import Edge
from svgm.mapping.tuning import MAP_TUNING
from svgm.rigid import adjoint, invert, log


def inconsistent_loops(loops: Sequence[Edge], chain: Chain, floor: Array) -> dict[int, str]:
    """The numbers of the loops that are left out, each with the reason.

    Loops inside one part of the trajectory must agree with it, as far as its drift is known, and with each other.
    Loops between two parts must be `joining_loops` that agree with each other, and no other set may be nearly as large.
    """
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    ends = []
    for number, loop in enumerate(loops):
        if (chain.part[loop.source], loop.source) < (chain.part[loop.target], loop.target):
            loop = loop.reversed()
        ends.append(loop)
        groups[chain.part[loop.source], chain.part[loop.target]].append(number)
    left_out: dict[int, str] = {}
    for (one, other), members in sorted(groups.items()):
        inside = one == other
        if inside:
            apart = _against_chain([ends[number] for number in members], chain, floor)
            for number, length in zip(members, apart, strict=True):
                if length >= MAP_TUNING.contradiction:
                    left_out[number] = f"it contradicts the trajectory by {np.sqrt(length):.0f} standard deviations"
            members = [number for number in members if number not in left_out]
        consistent = pairwise_consistent([ends[number] for number in members], chain, floor)
        kept = largest_set(consistent, np.array([loops[number].confidence for number in members]))
        rest = [place for place in range(len(members)) if place not in kept]
        for place in rest:
            left_out[members[place]] = "it contradicts other loops"
        if not inside:
            second = largest_set(consistent[np.ix_(rest, rest)], np.ones(len(rest)))
            few = not _joins([ends[members[place]] for place in kept], chain)
            if few or len(second) * 2 > len(kept):
                reason = "too few other loops confirm it" if few else "loops to another place compete"
                left_out |= {members[place]: reason for place in kept}
    return left_out


def _joins(loops: Sequence[Edge], chain: Chain) -> bool:
    """Whether loops that agree with each other are enough to join two parts.

    Loops of one submap see the same surfaces, so their mistakes are alike: both ends must vary.  If one part follows
    the other, the last scan of the one is near the first scan of the other, and it is enough if the loops agree on
    that.
    """
    if varied(loops):
        return True
    if len(loops) < MAP_TUNING.joining_loops:
        return False
    best = max(loops, key=lambda loop: (loop.second, loop.confidence))
    return chain.follows(best)


def joined_sections(scans: Sequence[int], held: Sequence[Edge], loops: Sequence[Edge], chain: Chain) -> dict[int, int]:
    """By scan, the number of its group of sections: edges hold a section together, and loops join sections."""
    group = connected_parts(scans, held)
    while True:
        between: dict[tuple[int, int], list[Edge]] = defaultdict(list)
        for loop in loops:
            one, other = group[loop.source], group[loop.target]
            if one != other:
                between[max(one, other), min(one, other)].append(loop if one > other else loop.reversed())
        for (one, other), joining in sorted(between.items()):
            if _joins(joining, chain):
                group = {scan: other if number == one else number for scan, number in group.items()}
                break
        else:
            return group


def varied(loops: Sequence[Edge]) -> bool:
    """Whether there are enough loops, and they are not all of one submap."""
    sources, targets = {loop.source for loop in loops}, {loop.target for loop in loops}
    return len(loops) >= MAP_TUNING.joining_loops and len(sources) > 1 and len(targets) > 1


def _against_chain(loops: Sequence[Edge], chain: Chain, floor: Array) -> Array:
    """Squared Mahalanobis length of the difference between each loop and the trajectory: (n,)."""
    lengths = []
    for loop in loops:
        error = log(invert(loop.transformation) @ chain.relative(loop.source, loop.target))
        covariance = loop.covariance + np.diag(floor) + chain.covariance(loop.source, loop.target)
        lengths.append(float(error @ np.linalg.solve(covariance, error)))
    return np.array(lengths)


def pairwise_consistent(loops: Sequence[Edge], chain: Chain, floor: Array) -> Array:
    """Whether each two loops agree along the trajectory between their ends: (n, n) of bool."""
    count = len(loops)
    if not count:
        return np.zeros((0, 0), dtype=bool)
    sources, targets = [loop.source for loop in loops], [loop.target for loop in loops]
    measured = np.stack([loop.transformation for loop in loops])
    noise = np.stack([loop.covariance for loop in loops]) + np.diag(floor)
    at_source, at_target = (np.stack([chain.poses[scan] for scan in ends]) for ends in (sources, targets))
    drift_source, drift_target = (np.stack([chain.drift[scan] for scan in ends]) for ends in (sources, targets))
    found = np.eye(count, dtype=bool)
    for one in range(count - 1):
        rest = slice(one + 1, count)
        # The source of `one`, through the other loop: along the trajectory, over the loop, and back along it.
        there = invert(at_source[rest]) @ at_source[one]
        through = measured[rest] @ there
        back = invert(at_target[one]) @ at_target[rest]
        errors = log(invert(measured[one]) @ back @ through)
        covariance = noise[one] + _moved(noise[rest], invert(there))
        covariance += _moved(_between(drift_source[one], drift_source[rest]), invert(at_source[one])[None])
        covariance += _moved(_between(drift_target[one], drift_target[rest]), invert(at_target[rest] @ through))
        lengths = np.einsum("ni,ni->n", errors, np.linalg.solve(covariance, errors[..., None])[..., 0])
        found[one, rest] = found[rest, one] = lengths < MAP_TUNING.contradiction
    return found


def _between(one: Array, others: Array) -> Array:
    """The drift between two places of the trajectory, whichever comes first."""
    difference = others - one
    sign = np.sign(np.trace(difference, axis1=1, axis2=2))[:, None, None]
    return np.asarray(sign * difference)


def _moved(covariances: Array, poses: Array) -> Array:
    matrices = adjoint(poses)
    return np.asarray(matrices @ covariances @ np.swapaxes(matrices, -1, -2))


def largest_set(consistent: Array, weights: Array) -> list[int]:
    """The largest set in which all agree with each other, by growth from each member: sorted numbers.

    Of equally large sets the one with the larger sum of weights is taken, then the earlier one.
    """
    best: list[int] = []
    rank = (0, 0.0)
    degrees = consistent.sum(axis=1)
    order = np.lexsort((-weights, -degrees))
    for start in order:
        if degrees[start] < rank[0]:
            break
        members, able = [int(start)], consistent[start].copy()
        able[start] = False
        for following in order:
            if able[following]:
                members.append(int(following))
                able &= consistent[following]
                able[following] = False
        found = len(members), float(weights[members].sum())
        if found > rank:
            best, rank = sorted(members), found
    return best
