"""Support Vector Registration (Section 4, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from svgm.checks.arguments import as_numbers, count, one_of, optional, positive, reporter, shown, thread_count
from svgm.checks.errors import InputError
from svgm.checks.types import Progress
from svgm.geometry.points import LARGEST, Array
from svgm.registration.annealing import COARSEST, MOST_GAMMA, Annealing
from svgm.registration.candidates import JUDGED_FROM, best, starts, winner
from svgm.registration.conclusion import conclude
from svgm.registration.confidence import TRUSTED
from svgm.registration.frame import Frame
from svgm.registration.level import Found, minimise_at, stage_at
from svgm.registration.minimise import Minimum
from svgm.registration.objective import Objective
from svgm.registration.prepared import Prepared, as_prepared
from svgm.registration.problem import Pair
from svgm.registration.result import RegistrationResult, Stage
from svgm.registration.search.translations import slides
from svgm.registration.without_start import search_everywhere, search_with_proof
from svgm.rigid import as_pose

#: Where the answer is sought.
SEARCHES = ("auto", "local", "global", "certified")

#: Pairs of components that a level may sum over, some tenths of a second: a level that took more is the last.  Surfaces
#: stay far below (dragon 23 million, outdoor scans 36 million); points that fill a volume and look alike from all sides
#: would take a hundred times as much at the finest levels (lab notes).
MOST_PAIRS = 1e8

#: Evaluations that the refinement of an answer takes, about.
REFINEMENT = 10

#: Between the sizes of the two sets: with more, the smaller one is a point to the other, whatever the digits.
MOST_RATIO = 1e12

#: Motions that can be estimated.
TRANSFORMS = ("rigid",)


def register(
    source: Any,
    target: Any,
    *,
    init: Any = None,
    search: str = "auto",
    viewpoint: Any = None,
    nu: float = 0.01,
    gamma: float | None = None,
    annealing: Annealing | None = Annealing(),  # noqa: B008  (a frozen value)
    max_iterations: int = 100,
    transform: str = "rigid",
    gap: float = 1e-3,
    seconds: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RegistrationResult:
    """Find the rigid motion that moves the source onto the target: Support Vector Registration.

    Both sets become support-vector Gaussian mixtures of one variance, and the motion minimises their L2 distance,

        T = argmin - sum_ij phi_i phi_j N(0 | R mu_i + t - mu_j, 2 sigma²)   (14)

    first at a smooth scale, then at ever finer ones, each started from the answers of the one before.

    Parameters
    ----------
    source, target
        The set that moves and the one that stays, 2D or 3D: points (n, d), a ready :class:`Mixture`, the path of
        either, or a set that :func:`prepare` has made ready for many registrations.  At levels coarser than a ready
        mixture, the SVM is trained on its means.
    init
        (d+1, d+1) pose to start from; default identity.  A global or certified search does not look at it.
    search
        "local": Algorithm 1 from `init`.  "global": from everywhere, all rotations and translations.  "certified": the
        same with a proof that no pose has a better objective, see `gap`.  "auto": local, then global if that answer is
        not to be trusted (its confidence is below `svgm.TRUSTED`).
    viewpoint
        Where the sensor stood, if that is known: (d,) in the coordinates of each set, or (2, d), one for the source and
        one for the target.  What it looked through is empty, which tells wrong poses from right ones.
    nu
        Of the SVMs, in (0, 1]; results hardly depend on it.  A prepared set keeps its own.
    gamma
        Where the annealing starts, as a multiple of gamma-hat = 1 / (2 sigma-hat²).  Default 0.1; without annealing,
        the one scale used, default 1.
    annealing
        The levels after that; None for one level only.  See :class:`Annealing`.
    max_iterations
        Newton steps per level and candidate, at most.
    transform
        "rigid".
    gap
        Of a certified search: the objective of no pose is better by more than this share.  The proof is for one scale:
        `gamma`, or the finest for which it takes seconds in 2D and about a minute in 3D; finer levels start from there.
    seconds
        Stop a certified search after this long, with what is proven by then.
    threads
        For training and for the Gauss transform; default all cores.  The result does not depend on it.
    progress
        Called as ``progress(phase, done, total)``: before each level of a local search, after each round of a global
        one, with hundredths of a certified one, and once at the end.

    Returns
    -------
    RegistrationResult
        ``transformation`` maps source into target; see there for the rest.

    Notes
    -----
    No parameter has a unit of length, and the same input gives the same output, bit for bit (unless `seconds` ran out).

    Algorithm 1 alone decides the answer of a local search.  With "auto" and "global" the surfaces that the points cover
    have a say, where they are finer than the mixtures: see docs/confidence.md.

    Examples
    --------
    >>> angle = np.linspace(0, 4, 60)
    >>> spiral = np.c_[angle * np.cos(angle), angle * np.sin(angle)]
    >>> turn = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    >>> result = register(spiral, spiral @ turn.T + [5, 0])
    >>> bool(np.allclose(result.rotation, turn, atol=1e-3)), result.converged
    (True, True)
    >>> result.trusted, result.search, round(result.overlap, 1)
    (True, 'local', 1.0)
    """
    # Line 1: select nu and gamma.
    nu, max_iterations = positive("nu", nu, most=1), count("max_iterations", max_iterations)
    threads = thread_count(threads)
    annealing = optional("annealing", annealing, Annealing)
    default = COARSEST if annealing is not None else 1.0
    first = default if gamma is None else positive("gamma", gamma, least=1.0 / MOST_GAMMA, most=MOST_GAMMA)
    gap, seconds = positive("gap", gap), None if seconds is None else positive("seconds", seconds)
    search, _ = one_of("search", search, SEARCHES), one_of("transform", transform, TRANSFORMS)
    report = reporter(progress)
    moving, fixed = as_prepared(source, nu, "source"), as_prepared(target, nu, "target")
    dimension = moving.dimension
    if dimension != fixed.dimension:
        raise InputError(f"source and target must have the same dimension, got {dimension} and {fixed.dimension}")
    ratio = max(moving.radius / fixed.radius, fixed.radius / moving.radius)
    if ratio > MOST_RATIO:
        raise InputError(f"source and target differ in size by a factor of {ratio:.1g}: are both in one unit?")
    # A prepared target sets the scale alone, so that its SVMs are trained once for all sources; else both sets do.
    scale = fixed.scale if isinstance(target, Prepared) else float(np.sqrt(moving.scale * fixed.scale))
    pair = Pair(moving, fixed, Frame(moving.centre, fixed.centre, moving.radius), scale, threads)
    resolved = (scale / max(moving.resolution, fixed.resolution)) ** 2
    gammas = (first,) if annealing is None else annealing.levels(first, resolved)
    judge = pair.judge(_viewpoints(viewpoint, dimension))
    say = report

    if search in ("auto", "local"):
        start = pair.frame.into(np.eye(dimension + 1) if init is None else as_pose(init, dimension, "init"))
        found = _algorithm_1(pair, gammas, start, max_iterations, say)
        gammas = gammas[: len(found.stages)]
        if search == "auto" and judge is not None:
            others = slides(pair.mixtures, gammas, judge, found.poses[0], threads)
            found = replace(found, poses=np.concatenate([found.poses, others]))
        result = conclude(pair, judge, found, max_iterations, "local", may_move=search == "auto")
        if search == "local" or result.confidence >= TRUSTED:
            return result
    if search == "certified":
        found, certificate = search_with_proof(pair, gammas, gamma, gap, seconds, max_iterations, say)
        return conclude(pair, judge, found, max_iterations, "certified", may_move=False, certificate=certificate)
    found = search_everywhere(pair, judge, gammas, max_iterations, say)
    everywhere = conclude(pair, judge, found, max_iterations, "global", may_move=True)
    if search == "global":
        return everywhere
    if judge is None:  # A handful of landmarks has no surfaces: the objective decides.
        return everywhere if everywhere.objective < result.objective else result
    return everywhere if everywhere.confidence > result.confidence else result


def _algorithm_1(pair: Pair, gammas: Sequence[float], start: Array, max_iterations: int, say: Progress) -> Found:
    """Support Vector Registration from a start."""
    # Line 2: initialise.
    candidates = np.empty((0, *start.shape))
    stages: list[Stage] = []
    objectives: list[Objective] = []
    objective, value = None, 0.0  # of the level before, at its best answer

    for level, gamma in enumerate(gammas):
        say("registering", level, len(gammas))
        # Lines 4-5: train the SVMs and convert them.
        mixtures = pair.mixtures(gamma)
        # Lines 6-7: optimise (14), from the answers of the level before and from the start anew.
        joining = starts(start, gamma, gammas, objective, value)
        objective = Objective(*mixtures, search=True, far=gamma < JUDGED_FROM, threads=pair.threads)
        objectives.append(objective)
        minimum = minimise_at(pair, gamma, objective, np.concatenate([candidates, joining]), max_iterations)
        kept = best(minimum, gamma)
        candidates, value = minimum.poses[kept], float(minimum.values[kept[0]])
        stages.append(stage_at(pair, gamma, objective, minimum, candidates[0], value))
        # Line 8: anneal, as long as it is affordable.  The turned copies do not start again.
        if len(joining) <= 1 and _exceeds(MOST_PAIRS, objective, minimum):
            break

    say("registering", len(gammas), len(gammas))
    # The finest levels choose among the candidates.
    chosen = winner(candidates, objectives, gammas[: len(objectives)], start)
    order = np.r_[chosen, np.delete(np.arange(len(candidates)), chosen)]
    return Found(candidates[order], objectives[-1], gamma, tuple(stages))


def _exceeds(most: float, objective: Objective, minimum: Minimum) -> bool:
    """Whether the minimisation summed over more pairs of components than that, or the refinement of one pose would."""
    evaluations = max(REFINEMENT, len(minimum.poses) + int(minimum.iterations.sum()))
    at_most = len(objective.source) * len(objective.target)
    return evaluations * at_most > most and evaluations * objective.near_pairs() > most


def _viewpoints(value: Any, dimension: int) -> tuple[Array | None, Array | None]:
    """Of the source and of the target: one place serves both."""
    if value is None:
        return None, None
    places = as_numbers(value, "viewpoint")
    if places.shape == (dimension,):
        places = np.stack([places, places])
    if places.shape != (2, dimension) or not (np.abs(places) <= LARGEST).all():
        rule = f"{dimension} finite coordinates, or those of the source and of the target"
        raise InputError(f"viewpoint must be {rule}, got {shown(value)}")
    return places[0], places[1]
