"""Loop proposals: pairs of submaps that may overlap, from their poses and the drift between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from svgm.geometry.points import Array
from svgm.mapping.submap import Submap
from svgm.mapping.tuning import MAP_TUNING
from svgm.rigid import apply, invert


@dataclass(frozen=True)
class LoopProposal:
    """Two submaps that may overlap, by their numbers.

    `guess` is the presumed pose of the source in the target's frame; None if nothing is known.  `uncertainty` is how
    far the guess may be off, in radii of the source.
    """

    source: int
    target: int
    guess: Array | None
    uncertainty: float


def propose_loops(submaps: Mapping[int, Submap], poses: Mapping[int, Array], distances: Array) -> list[LoopProposal]:
    """Pairs of submaps that may overlap.

    Each submap gets its nearest partners, relative to the distance at which the two could overlap.

    Parameters
    ----------
    submaps
        The submaps by number.
    poses
        Poses of their anchors, by scan.
    distances
        (m, m), lengths of the trajectory between the submaps.
    """
    numbers = list(submaps)
    centres = np.stack([apply(poses[submap.anchor], submap.centre[None])[0] for submap in submaps.values()])
    radii = np.array([submap.radius for submap in submaps.values()])
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    drift = MAP_TUNING.drift
    reach = MAP_TUNING.overlap_reach * (radii[:, None] + radii[None]) + drift * distances
    nearness = np.divide(apart, reach, out=np.full_like(apart, np.inf), where=reach > 0.0)
    chosen = set()
    for i in range(len(numbers)):
        order = [int(j) for j in np.argsort(nearness[i], kind="stable") if j != i and nearness[i, j] < 1.0]
        chosen |= {(max(i, j), min(i, j)) for j in order[: MAP_TUNING.partners]}
    return [
        LoopProposal(
            numbers[i],
            numbers[j],
            invert(poses[submaps[numbers[j]].anchor]) @ poses[submaps[numbers[i]].anchor],
            _ratio(float(drift * distances[i, j]), float(radii[i])),
        )
        for i, j in sorted(chosen)
    ]


def _ratio(length: float, radius: float) -> float:
    """A length in radii; infinite for a submap at one place."""
    return length / radius if radius > 0.0 else np.inf
