"""The global search: all rotations and translations at a coarse scale, then fewer poses at finer scales."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from svgm.checks.types import Array, Progress
from svgm.mixture.mixture import Mixture
from svgm.registration.problem import Problem, SearchOutcome
from svgm.registration.search.correlation import correlate, finest_on_a_grid
from svgm.registration.search.duplicates import without_duplicates
from svgm.registration.search.rotations import even_rotations
from svgm.registration.search.surface_score import SurfaceScorer
from svgm.registration.search.surfels import Surfels, SurfelTable
from svgm.registration.tuning import TUNING

#: Levels, the finest ones, at which poses compete if the sets have no surface.
LEVELS_WITHOUT_SURFELS = 3


def global_search(
    problem: Problem,
    scorer: SurfaceScorer | None,
    found: Array,
    gammas: Sequence[float],
    max_iterations: int,
    report: Progress,
) -> SearchOutcome:
    """The best of all poses by the surface score, with the finest level that is affordable for its refinement.

    Poses that were `found` before (B, d+1, d+1) compete with the others at the end.  Without surfels, the best by the
    objective at the finest levels.
    """
    surfels = problem.search_surfels()
    poses = search_all_poses(problem.mixtures, surfels, scorer, found, threads=problem.threads, report=report)
    if surfels is None or scorer is None:
        return problem.descend(gammas[-LEVELS_WITHOUT_SURFELS:], poses, max_iterations)
    levels = (problem.level(gamma) for gamma in reversed(gammas))
    finest = next((level for level in levels if level.affordable()), None) or problem.level(gammas[0])
    return SearchOutcome(poses, finest, ())


def search_all_poses(
    mixtures: Callable[[float], tuple[Mixture, Mixture]],
    surfels: tuple[Surfels, Surfels] | None,
    scorer: SurfaceScorer | None,
    found: Array,
    *,
    threads: int,
    report: Progress,
) -> Array:
    """At most `TUNING.final_poses` different poses (B, d+1, d+1), best first.

    Parameters
    ----------
    mixtures
        Source and target at any gamma, in normalised coordinates.
    surfels
        Those of source and target, which are aligned; None if the sets have no surface.
    scorer
        Scores poses.  Without it, the poses are those of the highest correlation.
    found
        Poses that compete with the others at the end.
    report
        Called as ``report("searching", round, rounds)``.
    """
    total = len(TUNING.rounds) + 2
    report("searching", 0, total)
    source, target = finest_on_a_grid(mixtures)
    d = source.means.shape[1]
    rotations = even_rotations(TUNING.rotations[d], d)
    poses, values = correlate(source, target, rotations, most=TUNING.translations[d], threads=threads)
    if surfels is None or scorer is None:
        width = float(np.sqrt(target.variance))
        return without_duplicates(poses, values, width, TUNING.final_poses_without_surfels)[0]
    poses = poses[np.argsort(-values, kind="stable")[: TUNING.rounds[0].poses]]
    moving, cell = surfels[0], surfels[0].cell
    table = SurfelTable(surfels[1], TUNING.rounds[0].reaches[0] * cell)
    next_counts = [*(plan.poses for plan in TUNING.rounds[1:]), TUNING.fine_poses]
    for number, (plan, most) in enumerate(zip(TUNING.rounds, next_counts, strict=True)):
        report("searching", 1 + number, total)
        reaches = cell * np.geomspace(*plan.reaches, plan.steps)
        poses, scores = table.align(moving.every(plan.surfels), poses, reaches, threads)
        if scorer.knows_sensors:
            scores = scores * np.exp(-scorer.doubts(poses, reaches[0], threads))
        poses, scores = without_duplicates(poses, scores, plan.same_pose * cell, most)
    report("searching", total - 1, total)
    poses = scorer.align_fine(np.concatenate([poses, found]), threads)
    scores = np.array([scorer(pose).score for pose in poses])
    poses, _ = without_duplicates(poses, scores, scorer.same_pose, TUNING.final_poses)
    report("searching", total, total)
    return poses
