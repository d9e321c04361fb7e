"""Registration from nowhere: all rotations and translations at a coarse scale, then fewer and fewer poses ever finer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from svgm.mixture import Mixture
from svgm.points import Array
from svgm.search.correlation import correlate
from svgm.search.judge import Judge, Verdict
from svgm.search.rotations import even_rotations

#: The mixtures' gamma for the search of all poses.
GAMMA = 20.0

#: Rotations tried: every 2.5 degrees in 2D, in 3D no rotation is farther than about 20 degrees from one of them.
ROTATIONS = {2: 144, 3: 2000}

#: Translations kept for each.
PEAKS = {2: 8, 3: 5}


@dataclass(frozen=True)
class Round:
    """So many poses, aligned with so many surfels, with reaches from and to (in cells) in so many steps; of their answers
    those closer than `same` (cells) are one."""

    poses: int
    surfels: int
    reaches: tuple[float, float]
    steps: int
    same: float


#: On the coarse surfaces.
COARSE = (
    Round(3000, 400, (5.0, 3.0), 5, 0.5),
    Round(1000, 1000, (3.0, 1.75), 5, 1.25),
    Round(200, 3000, (2.0, 1.0), 6, 1.25),
)

#: On the fine ones.
FINE = Round(40, 8000, (2.0, 1.3), 5, 2.0)

#: Poses that are handed over at the end.
KEPT = 8


@dataclass(frozen=True)
class Candidate:
    """A pose in the frame, and what the judge says of it."""

    pose: Array
    verdict: Verdict


def search_all_poses(
    source: Mixture,
    target: Mixture,
    judge: Judge,
    *,
    threads: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[Candidate]:
    """At most `KEPT` distinct poses, best first.

    Parameters
    ----------
    source, target
        Mixtures at `GAMMA`, in the frame.
    judge
        The same sets as surfaces.
    progress
        Called as ``progress(round, rounds)``.
    """
    rounds = len(COARSE) + 2
    say = progress or (lambda done, of: None)
    say(0, rounds)
    d = source.means.shape[1]
    poses, values = correlate(source, target, even_rotations(ROTATIONS[d], d), most=PEAKS[d], threads=threads)
    poses = poses[np.argsort(-values, kind="stable")[: COARSE[0].poses]]
    cell = judge.coarse.cell
    for number, (plan, following) in enumerate(zip(COARSE, (*COARSE[1:], FINE), strict=True)):
        say(1 + number, rounds)
        reaches = cell * np.geomspace(*plan.reaches, plan.steps)
        poses, scores = judge.on_coarse.align(judge.coarse.every(plan.surfels), poses, reaches, threads)
        poses, scores = _distinct(poses, scores, plan.same * cell, following.poses)
    say(rounds - 1, rounds)
    cell = judge.fine.cell
    reaches = cell * np.geomspace(*FINE.reaches, FINE.steps)
    poses, scores = judge.on_fine.align(judge.fine.every(FINE.surfels), poses, reaches, threads)
    poses, scores = _distinct(poses, scores, FINE.same * cell, FINE.poses)
    found = [Candidate(pose, judge(pose)) for pose in poses]
    say(rounds, rounds)
    return sorted(found, key=lambda candidate: -candidate.verdict.score)[:KEPT]


def _distinct(poses: Array, scores: Array, same: float, most: int) -> tuple[Array, Array]:
    """At most so many of the poses, best first, without those that a better one is nearer to than `same` (radii and
    radians)."""
    order = np.argsort(-scores, kind="stable")
    poses, scores = poses[order], scores[order]
    d = poses.shape[-1] - 1
    # |R_a - R_b|² = 8 sin²(angle / 2), nearly twice the squared angle: one length for rotation and translation.
    features = np.concatenate([poses[:, :d, :d].reshape(len(poses), -1) / np.sqrt(2.0), poses[:, :d, d]], axis=1)
    left, kept = np.ones(len(poses), dtype=bool), []
    for i in range(len(poses)):
        if left[i]:
            kept.append(i)
            if len(kept) == most:
                break
            apart = features[i + 1 :] - features[i]
            left[i + 1 :] &= np.einsum("ij,ij->i", apart, apart) >= same**2
    return poses[kept], scores[kept]
