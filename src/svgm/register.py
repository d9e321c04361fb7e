"""Support Vector Registration (Section 4, Algorithm 1)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from svgm.annealing import COARSEST, Annealing
from svgm.arguments import count, positive
from svgm.candidates import JUDGED_FROM, SAME, best, starts, winner
from svgm.covariance import pose_covariance
from svgm.errors import InputError
from svgm.frame import Frame
from svgm.minimise import Minimum, minimise
from svgm.objective import Objective
from svgm.pair import Pair
from svgm.points import Array, as_numbers
from svgm.representation import Prepared, represent
from svgm.result import Alternative, RegistrationResult, Stage, Status
from svgm.rigid import as_pose
from svgm.search.certified import Certificate, certifiable, certify
from svgm.search.confidence import assess
from svgm.search.global_search import search_all_poses
from svgm.search.judge import Judge

#: Where the answer is sought.
SEARCHES = ("auto", "local", "global", "certified")

#: Called with what is done and how much there is.
Progress = Callable[[int, int], None]

#: Motions that can be estimated, and the dimensions they exist in.
TRANSFORMS = {"rigid": (2, 3)}


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

        T = argmin - sum_ij phi_i phi_j N(0 | R mu_i + t - mu_j, 2 sigma²)                                       (14)

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
        not to be trusted (``result.trusted``).
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
        Called as ``progress(done, all)``: before each level of a local search, after each round of a global one, with
        hundredths of a certified one, and once at the end.

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
    nu = positive("nu", nu, most=1)
    max_iterations = count("max_iterations", max_iterations)
    threads = (os.cpu_count() or 1) if threads is None else count("threads", threads)
    first = (COARSEST if annealing is not None else 1.0) if gamma is None else positive("gamma", gamma)
    if not isinstance(annealing, Annealing | None):
        raise InputError(f"annealing must be an Annealing or None, got {annealing!r}")
    gap, seconds = positive("gap", gap), None if seconds is None else positive("seconds", seconds)
    if search not in SEARCHES:
        raise InputError(f"search must be one of {', '.join(SEARCHES)}, got {search!r}")
    moving, fixed = represent(source, nu, "source"), represent(target, nu, "target")
    dimension = _dimension(moving, fixed, transform)
    # A prepared target sets the scale alone, so that its SVMs are trained once for all sources; else both sets do.
    scale = fixed.scale if isinstance(target, Prepared) else float(np.sqrt(moving.scale * fixed.scale))
    pair = Pair(moving, fixed, Frame(moving.centre, fixed.centre, moving.radius), scale, threads)
    resolved = (scale / max(moving.resolution, fixed.resolution)) ** 2
    gammas = (first,) if annealing is None else annealing.levels(first, resolved)
    judge = pair.judge(_viewpoints(viewpoint, dimension))
    say = progress or (lambda done, of: None)

    if search in ("auto", "local"):
        start = pair.frame.into(np.eye(dimension + 1) if init is None else as_pose(init, dimension, "init"))
        found = _algorithm_1(pair, gammas, start, max_iterations, say)
        result = _result(pair, judge, found, max_iterations, "local", may_move=search == "auto")
        if search == "local" or result.trusted:
            return result
    if search == "certified":
        found, certificate = _certified(pair, gammas, gamma, gap, seconds, max_iterations, say)
        return _result(pair, judge, found, max_iterations, "certified", may_move=False, certificate=certificate)
    found = _global(pair, judge, gammas, max_iterations, say)
    everywhere = _result(pair, judge, found, max_iterations, "global", may_move=True)
    if search == "global":
        return everywhere
    if judge is None:  # A handful of landmarks has no surfaces: the objective decides.
        return everywhere if everywhere.objective < result.objective else result
    return everywhere if everywhere.confidence > result.confidence else result


@dataclass(frozen=True)
class _Found:
    """Poses in the frame, the answer first, the objective of the finest level, and how it went."""

    poses: Array
    objective: Objective
    gamma: float
    stages: tuple[Stage, ...]


def _algorithm_1(pair: Pair, gammas: Sequence[float], start: Array, max_iterations: int, say: Progress) -> _Found:
    """Support Vector Registration from a start."""
    # Line 2: initialise.
    candidates = np.empty((0, *start.shape))
    stages: list[Stage] = []
    objectives: list[Objective] = []
    objective, value = None, 0.0  # of the level before, at its best answer

    for level, gamma in enumerate(gammas):
        say(level, len(gammas))
        # Lines 4-5: train the SVMs and convert them.
        mixtures = pair.mixtures(gamma)
        # Lines 6-7: optimise (14), from the answers of the level before and from the start anew.
        joining = starts(start, gamma, gammas, objective, value)
        objective = Objective(*mixtures, search=True, far=gamma < JUDGED_FROM, threads=pair.threads)
        objectives.append(objective)
        minimum = _minimise(pair, gamma, objective, np.concatenate([candidates, joining]), max_iterations)
        kept = best(minimum, gamma)
        candidates, value = minimum.poses[kept], float(minimum.values[kept[0]])
        stages.append(_stage(pair, gamma, objective, minimum, candidates[0], value))
        # Line 8: anneal.

    say(len(gammas), len(gammas))
    # The finest levels choose among the candidates.
    chosen = winner(candidates, objectives, gammas, start)
    order = np.r_[chosen, np.delete(np.arange(len(candidates)), chosen)]
    return _Found(candidates[order], objectives[-1], gammas[-1], tuple(stages))


def _global(pair: Pair, judge: Judge | None, gammas: Sequence[float], max_iterations: int, say: Progress) -> _Found:
    """Algorithm 1's finest levels, from the best of all poses."""
    poses = search_all_poses(pair.mixtures, pair.search_surfaces(), judge, threads=pair.threads, progress=say)
    if judge is None:
        return _refine(pair, gammas[-3:], poses, max_iterations)
    objective = Objective(*pair.mixtures(gammas[-1]), search=True, threads=pair.threads)
    return _Found(poses, objective, gammas[-1], ())


def _certified(
    pair: Pair,
    gammas: Sequence[float],
    gamma: float | None,
    gap: float,
    seconds: float | None,
    max_iterations: int,
    say: Progress,
) -> tuple[_Found, Certificate]:
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
    found = _refine(pair, [level for level in gammas if level > gamma] or [gamma], pose[None], max_iterations)
    return replace(found, stages=(proven, *found.stages)), certificate


def _refine(pair: Pair, gammas: Sequence[float], poses: Array, max_iterations: int) -> _Found:
    """Minimise (14) from these poses, level by level."""
    stages = []
    for gamma in gammas:
        objective = Objective(*pair.mixtures(gamma), search=True, threads=pair.threads)
        minimum = _minimise(pair, gamma, objective, poses, max_iterations)
        order = np.argsort(minimum.values, kind="stable")
        poses = minimum.poses[order[~minimum.given_up[order]]]
        stages.append(_stage(pair, gamma, objective, minimum, poses[0], float(minimum.values.min())))
    return _Found(poses, objective, gamma, tuple(stages))


def _minimise(pair: Pair, gamma: float, objective: Objective, poses: Array, max_iterations: int) -> Minimum:
    width = pair.width(gamma)
    return minimise(
        objective,
        poses,
        radius=0.5 * width,
        max_radius=1.5 * width,
        step_tolerance=0.1 * width,
        max_iterations=max_iterations,
        same=SAME * width,
    )


def _stage(pair: Pair, gamma: float, objective: Objective, minimum: Minimum, pose: Array, value: float) -> Stage:
    return Stage(
        gamma=float(gamma),
        sigma=pair.sigma(gamma),
        components=(len(objective.source), len(objective.target)),
        candidates=len(minimum.poses),
        iterations=int(minimum.iterations.sum()),
        objective=value,
        transformation=pair.frame.out_of(pose),
    )


def _result(
    pair: Pair,
    judge: Judge | None,
    found: _Found,
    max_iterations: int,
    search: str,
    *,
    may_move: bool,
    certificate: Certificate | None = None,
) -> RegistrationResult:
    """Polish the answer at the finest level, to the last digits, and say how far it can be believed."""
    answer, width = found.poses[0], pair.width(found.gamma)
    for function, tolerance in ((found.objective, 1e-3), (found.objective.polishing(), 1e-6)):
        final = minimise(
            function,
            answer[None],
            radius=0.1 * width,
            max_radius=width,
            step_tolerance=tolerance * width,
            max_iterations=max_iterations,
        )
        answer = final.poses[0]
    opinion = assess(
        judge,
        function,
        answer,
        found.poses,
        sigma=width,
        may_move=may_move,
        everywhere=search == "global",
        threads=pair.threads,
    )
    values, _, hessians = function(opinion.pose[None])
    value = float(values[0])
    status = Status.CONVERGED if final.converged[0] else Status.MAX_ITERATIONS
    return RegistrationResult(
        transformation=pair.frame.out_of(opinion.pose),
        status=Status.DISJOINT if value > -1e-9 else status,
        objective=value,
        iterations=sum(stage.iterations for stage in found.stages) + int(final.iterations[0]),
        stages=found.stages,
        covariance=pose_covariance(function, hessians[0], opinion.pose, pair.frame),
        confidence=opinion.confidence,
        overlap=opinion.overlap,
        alternatives=tuple(Alternative(pair.frame.out_of(pose), score) for pose, score in opinion.alternatives),
        search=search,
        certificate=certificate,
    )


def _dimension(moving: Prepared, fixed: Prepared, transform: str) -> int:
    """The common dimension, or an InputError."""
    dimension, other = moving.dimension, fixed.dimension
    if dimension != other:
        raise InputError(f"source and target must have one dimension, got {dimension} and {other}")
    if transform not in TRANSFORMS:
        raise InputError(f"transform must be one of {', '.join(TRANSFORMS)}, got {transform!r}")
    if dimension not in TRANSFORMS[transform]:
        raise InputError(f"{transform} registration needs points in 2D or 3D, got {dimension}D")
    return dimension


def _viewpoints(value: Any, dimension: int) -> tuple[Array | None, Array | None]:
    """Of the source and of the target: one place serves both."""
    if value is None:
        return None, None
    places = as_numbers(value, "viewpoint")
    if places.shape == (dimension,):
        places = np.stack([places, places])
    if places.shape != (2, dimension) or not np.isfinite(places).all():
        raise InputError(
            f"viewpoint must be {dimension} finite coordinates, or those of the source and of the target, got {value!r}"
        )
    return places[0], places[1]
