"""Many mixtures merged in a balanced tree: each component is weighed against all others about log n times."""

from __future__ import annotations

from collections.abc import Sequence

from svgm.geometry.points import Array
from svgm.mixture.merge import merge
from svgm.mixture.mixture import Mixture


def merge_all(mixtures: Sequence[Mixture]) -> Mixture:
    """GMMerge of aligned mixtures, in pairs, then pairs of pairs; the later of two gives way to the earlier.

    >>> ends = [Mixture([[x, 0.0]], 0.01, [1.0], bias=1.0) for x in (0.0, 1.0, 1.0)]
    >>> merge_all(ends).means.tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    level = list(mixtures)
    while len(level) > 1:
        pairs = [merge(level[i + 1], level[i]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[2 * len(pairs) :]
    return level[0]


def merge_moved(mixtures: Sequence[Mixture], poses: Sequence[Array]) -> Mixture:
    """GMMerge of mixtures, each moved by its pose first."""
    return merge_all([mixture.transformed(pose) for mixture, pose in zip(mixtures, poses, strict=True)])
