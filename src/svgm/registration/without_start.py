"""Registration without a start: the best of all poses, taken down to the finest level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from svgm.checks.types import Progress
from svgm.geometry.points import Array
from svgm.registration.level import Found, minimise_at, stage_at
from svgm.registration.objective import Objective
from svgm.registration.problem import Pair
from svgm.registration.result import Stage
from svgm.registration.search.certified import Certificate, certifiable, certify
from svgm.registration.search.global_search import search_all_poses
from svgm.registration.search.surface_score import Judge

#: Levels, the finest ones, at which poses compete that no surfaces can tell apart.
FINEST_LEVELS = 3


def search_everywhere(
    pair: Pair, judge: Judge | None, gammas: Sequence[float], max_iterations: int, say: Progress
) -> Found:
    """The best of all poses by the judge; without surfaces, by the objective at the finest levels."""
    surfaces = pair.search_surfaces()
    poses = search_all_poses(pair.mixtures, surfaces, judge, threads=pair.threads, progress=say)
    if surfaces is None or judge is None:
        return refine(pair, gammas[-FINEST_LEVELS:], poses, max_iterations)
    objective = Objective(*pair.mixtures(gammas[-1]), search=True, threads=pair.threads)
    return Found(poses, objective, gammas[-1], ())


def search_with_proof(
    pair: Pair,
    gammas: Sequence[float],
    gamma: float | None,
    gap: float,
    seconds: float | None,
    max_iterations: int,
    say: Progress,
) -> tuple[Found, Certificate]:
    """The proven minimum at one scale, and Algorithm 1's finer levels from there."""
    if gamma is None:
        gamma = certifiable(pair.mixtures, gammas[-1])
    source, target = pair.mixtures(gamma)
    pose, certificate = certify(
        source,
        target,
        gap=gap,
        seconds=seconds,
        threads=pair.threads,
        # The gap falls from 1 to what is asked for, about evenly in its logarithm.
        progress=lambda reached: say(
            "proving",
            100 if reached <= gap else round(100 * float(np.clip(np.log(reached) / np.log(min(gap, 0.5)), 0.0, 1.0))),
            100,
        ),
    )
    proven = Stage(
        gamma=gamma,
        sigma=pair.sigma(gamma),
        components=(len(source), len(target)),
        candidates=1,
        iterations=0,
        objective=certificate.objective,
        transformation=pair.frame.out_of(pose),
    )
    found = refine(pair, [level for level in gammas if level > gamma] or [gamma], pose[None], max_iterations)
    return replace(found, stages=(proven, *found.stages)), certificate


def refine(pair: Pair, gammas: Sequence[float], poses: Array, max_iterations: int) -> Found:
    """Minimise (14) from these poses, level by level."""
    stages = []
    for gamma in gammas:
        objective = Objective(*pair.mixtures(gamma), search=True, threads=pair.threads)
        minimum = minimise_at(pair, gamma, objective, poses, max_iterations)
        order = np.argsort(minimum.values, kind="stable")
        poses = minimum.poses[order[~minimum.given_up[order]]]
        stages.append(stage_at(pair, gamma, objective, minimum, poses[0], float(minimum.values.min())))
    return Found(poses, objective, gamma, tuple(stages))
