"""GMMerge of many mixtures in a balanced tree: each component is compared with others about log n times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from svgm.geometry.points import Array
from svgm.mapping.task_runner import TaskRunner
from svgm.mixture.merge import merge
from svgm.mixture.mixture import Mixture

#: Mixtures that one task at the bottom of the tree merges.
TASK_MIXTURES = 8


def merge_pairwise(mixtures: Sequence[Mixture]) -> Mixture:
    """GMMerge of aligned mixtures in pairs, then in pairs of pairs; where two overlap, the earlier one is kept.

    >>> ends = [Mixture([[x, 0.0]], 0.01, [1.0], bias=1.0) for x in (0.0, 1.0, 1.0)]
    >>> merge_pairwise(ends).means.tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    level = list(mixtures)
    while len(level) > 1:
        pairs = [merge(level[i + 1], level[i]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[2 * len(pairs) :]
    return level[0]


def merge_at_poses(mixtures: Sequence[Mixture], poses: Sequence[Array]) -> Mixture:
    """GMMerge of mixtures after each is moved by its pose."""
    return merge_pairwise([mixture.transformed(pose) for mixture, pose in zip(mixtures, poses, strict=True)])


def merge_scans(mixtures: Mapping[int, Mixture], poses: Mapping[int, Array], runner: TaskRunner) -> Mixture:
    """GMMerge of all scans that have a pose: neighbours first, then ever larger parts."""
    scans = sorted(poses)
    parts = [scans[start : start + TASK_MIXTURES] for start in range(0, len(scans), TASK_MIXTURES)]
    tasks = [([mixtures[scan] for scan in part], [poses[scan] for scan in part]) for part in parts]
    level = runner("merging", merge_at_poses, tasks)
    while len(level) > 1:
        pairs = [(level[i + 1], level[i]) for i in range(0, len(level) - 1, 2)]
        level = runner("merging", merge, pairs) + level[2 * len(pairs) :]
    return level[0]
