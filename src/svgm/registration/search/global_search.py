"""Registration from nowhere: all rotations and translations at a coarse scale, then ever fewer poses ever finer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from svgm.checks.types import Progress
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture
from svgm.registration.search.correlation import affordable, correlate
from svgm.registration.search.duplicates import distinct
from svgm.registration.search.rotations import even_rotations
from svgm.registration.search.surface_score import BLOCKED, Judge
from svgm.registration.search.surfels import Contact, Surface

#: The mixtures' gammas for the search of all poses, then ever halves of the last: the first whose grid is small enough.
#: One is, as a grid shrinks to a few cells; sets of one unit of length hardly need the halves.
GAMMAS = (20.0, 10.0, 5.0, 2.5, 1.25, 0.6, 0.3, 0.15)

#: Rotations tried: every 2.5 degrees in 2D, in 3D no rotation is farther than about 20 degrees from one of them.
ROTATIONS = {2: 144, 3: 2000}

#: Translations kept for each.
PEAKS = {2: 8, 3: 5}


@dataclass(frozen=True)
class Round:
    """So many poses, each aligned with so many surfels in so many steps, reaching from ... to (cells).

    Of their answers those closer than `same` (cells) are one.
    """

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

#: Poses that settle on the fine surfaces.
SETTLED = 40

#: Poses that are handed over at the end.
KEPT = 8

#: The same without surfaces to judge by.
KEPT_WITHOUT = 64


def search_all_poses(
    mixtures: Callable[[float], tuple[Mixture, Mixture]],
    surfaces: tuple[Surface, Surface] | None,
    judge: Judge | None,
    *,
    threads: int,
    progress: Progress,
) -> Array:
    """At most `KEPT` distinct poses (B, d+1, d+1), best first.

    Parameters
    ----------
    mixtures
        Source and target at any gamma, in the frame.
    surfaces
        The same to be laid on each other, if they have any.
    judge
        The same sets as surfaces.  Without, the poses are those of the highest correlation.
    progress
        Called as ``progress("searching", round, rounds)``.
    """
    rounds = len(COARSE) + 2
    progress("searching", 0, rounds)
    source, target = next(pair for pair in map(mixtures, _gammas()) if affordable(*pair))
    d = source.means.shape[1]
    poses, values = correlate(source, target, even_rotations(ROTATIONS[d], d), most=PEAKS[d], threads=threads)
    if surfaces is None or judge is None:
        return distinct(poses, values, float(np.sqrt(target.variance)), KEPT_WITHOUT)[0]
    poses = poses[np.argsort(-values, kind="stable")[: COARSE[0].poses]]
    moving, cell = surfaces[0], surfaces[0].cell
    fixed = Contact(surfaces[1], COARSE[0].reaches[0] * cell)
    follow = [*(plan.poses for plan in COARSE[1:]), SETTLED]
    for number, (plan, most) in enumerate(zip(COARSE, follow, strict=True)):
        progress("searching", 1 + number, rounds)
        reaches = cell * np.geomspace(*plan.reaches, plan.steps)
        poses, scores = fixed.align(moving.every(plan.surfels), poses, reaches, threads)
        if judge.knows_sensors and plan is COARSE[-1]:
            scores = scores * np.exp([-judge.blocked(pose) / BLOCKED for pose in poses])
        poses, scores = distinct(poses, scores, plan.same * cell, most)
    progress("searching", rounds - 1, rounds)
    poses = judge.settle(poses, threads)
    scores = np.array([judge(pose).score for pose in poses])
    poses, _ = distinct(poses, scores, judge.same, KEPT)
    progress("searching", rounds, rounds)
    return poses


def _gammas() -> Iterator[float]:
    """From fine to coarse, without end."""
    yield from GAMMAS
    yield from (GAMMAS[-1] / 2.0**halvings for halvings in count(1))
