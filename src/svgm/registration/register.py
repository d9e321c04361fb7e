"""Support Vector Registration (Section 4, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import count, one_of, optional, positive, reporter, thread_count
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PointsLike, PoseLike, Progress
from svgm.mixture.mixture import Mixture
from svgm.registration.annealing import LARGEST_GAMMA, Annealing
from svgm.registration.answer import finished
from svgm.registration.candidates import kept_answers, starts, winner
from svgm.registration.choice import most_convincing
from svgm.registration.confidence import TRUSTED
from svgm.registration.linear.refinement import Refinement
from svgm.registration.linear.search import LinearSearch
from svgm.registration.nonrigid.answer import deformed
from svgm.registration.nonrigid.known_pairs import known_pairs, rigid_starts
from svgm.registration.prepared import Prepared, as_prepared
from svgm.registration.problem import Level, Problem, SearchOutcome, problem_of
from svgm.registration.result import RegistrationResult
from svgm.registration.search.certified_search import certified_search
from svgm.registration.search.global_search import global_search
from svgm.registration.search.surface_score import SurfaceScorer
from svgm.registration.search.translations import best_translations, other_translations
from svgm.registration.search.viewpoint import viewpoints_of
from svgm.registration.stage import Stage
from svgm.registration.tuning import ROUND_2D, TUNING, Form
from svgm.rigid import as_pose

#: Kinds of search.
SEARCHES = ("auto", "local", "global", "certified")

#: Kinds of components at the fine levels.
COVARIANCES = ("full", "isotropic")

#: Motions that can be estimated.
TRANSFORMS = ("rigid", "similarity", "affine", "nonrigid")


def register(
    source: PointsLike | Mixture | Prepared,
    target: PointsLike | Mixture | Prepared,
    *,
    init: PoseLike | None = None,
    search: str = "auto",
    viewpoint: ArrayLike | None = None,
    nu: float = 0.01,
    gamma: float | None = None,
    annealing: Annealing | None = Annealing(),  # noqa: B008  (a frozen value)
    max_iterations: int = 100,
    transform: str = "rigid",
    covariance: str = "full",
    gap: float = 1e-3,
    seconds: float | None = None,
    pairs: ArrayLike | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RegistrationResult:
    """Find the motion that moves the source onto the target: Support Vector Registration.

    Both sets become support-vector Gaussian mixtures of one variance, and the motion minimises their L2 distance,

        T = argmin - sum_ij phi_i phi_j N(0 | R mu_i + t - mu_j, 2 sigma²)   (14)

    first at a smooth scale, then at ever finer ones, each started from the answers of the one before.  A similarity or
    an affine map (A, t) minimises their L2 distance after both have been divided by their norms,

        (A, t) = argmin - |det A|^½ sum_ij phi_i phi_j N(0 | A mu_i + t - mu_j, A Sigma_i Aᵀ + Sigma_j)

    which no shrinking wins.

    Parameters
    ----------
    source, target : PointsLike, Mixture or Prepared
        The set that moves and the one that stays, 2D or 3D: points (n, d), a fitted :class:`Mixture`, the path of
        either, or a set that :func:`prepare` has made ready for many registrations.  At levels coarser than such a
        mixture, an SVM is trained on the means of its components.
    init : (d+1, d+1) array or None
        Initial pose, or a matrix of the kind that `transform` names.  Default: identity.  A global or certified search
        does not use it.
    search : str
        "local": Algorithm 1 from `init`.  "global": over all rotations and translations.  "certified": the same with a
        proof that no pose has a better objective, see `gap`.  "auto" (default): local; then global if the confidence of
        the local answer is below `svgm.TRUSTED`.
    viewpoint : (d,) or (2, d) array or None
        Where the sensor stood in the coordinates of each set, if that is known: one place for both sets, or one for the
        source and one for the target.  The space in front of a
        measured point is empty, so a pose that puts surface there is wrong.  In 3D a viewpoint that is not given is
        estimated: a scan hides little of itself from its sensor.
    nu : float
        Parameter nu of the SVMs, in (0, 1].  Default 0.01; results hardly depend on it.  A prepared set keeps its own.
    gamma : float or None
        First gamma of the annealing, as a multiple of gamma-hat = 1 / (2 sigma-hat²).  Default 0.1.  Without annealing
        it is the only gamma; its default is then 1.
    annealing : Annealing or None
        The levels after the first one; None for one level only.
    max_iterations : int
        Newton steps per level and candidate, at most.  Default 100.
    transform : str
        The kind of motion: "rigid" (default), "similarity" (with a scale), "affine" (with stretching and shearing too)
        or "nonrigid" (a smooth deformation, docs/nonrigid.md).  With "auto" and "global" the scale may be anything;
        "certified" is for rigid motions.
    covariance : str
        "full" (default): from a fine level on each component has a covariance of its own, flat along the surface that
        the points show.  "isotropic": one variance for all, the algorithm of the paper.
    gap : float
        For a certified search: stop when no pose can be better by more than this share of the objective.  Default 1e-3.
        The proof is for one scale: that of `gamma` if it is given, otherwise the finest scale for which a proof takes
        seconds in 2D and about a minute in 3D.  Finer levels start from there.
    seconds : float or None
        Stop a certified search after this time, with what is proven by then.  Default: no limit.
    pairs : (m, 2) array or None
        For a non-rigid registration: known correspondences, each the row of a source point and the row of its partner
        in the target.  They are soft: each counts as ten correspondences that the registration finds itself.
    threads : int or None
        Default: one for each CPU that this process may use.  The result does not depend on it.
    progress : function or None
        Called as ``progress(phase, done, total)``: before each level of a local search, after each round of a global
        one, after each per cent of a certified one, and once at the end.

    Returns
    -------
    RegistrationResult
        ``transformation`` maps source into target.

    Raises
    ------
    InputError
        If an argument is out of its range, the sets differ in dimension, or a set has
        values that are not finite, or all its points coincide.
    FileError
        If a path cannot be read.

    Notes
    -----
    No parameter has a unit of length.  The same input gives the same output, bit for bit on one machine (unless
    `seconds` ran out).

    With ``covariance="isotropic"`` Algorithm 1 alone decides the answer of a local search.  With full covariances in 3D
    it finds the candidates, and :mod:`svgm.registration.choice` says which one is the answer.  With "auto" and "global"
    the answer is then corrected by the surfaces of the points, where these show finer detail than the mixtures: see
    docs/confidence.md.

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
    threads, report = thread_count(threads), reporter(progress)
    annealing = optional("annealing", annealing, Annealing)
    default = TUNING.coarsest_gamma if annealing is not None else 1.0
    first = default if gamma is None else positive("gamma", gamma, least=1.0 / LARGEST_GAMMA, most=LARGEST_GAMMA)
    gap, seconds = positive("gap", gap), None if seconds is None else positive("seconds", seconds)
    search, transform = one_of("search", search, SEARCHES), one_of("transform", transform, TRANSFORMS)
    if search == "certified" and transform != "rigid":
        raise InputError(f"search must be auto, local or global unless transform is 'rigid', got {search!r}")
    full = one_of("covariance", covariance, COVARIANCES) == "full"
    known = None if pairs is None else known_pairs(pairs, source, target, transform)
    moving, fixed = as_prepared(source, nu, "source"), as_prepared(target, nu, "target")
    if transform == "nonrigid":
        start = np.eye(moving.dimension + 1) if init is None else as_pose(init, moving.dimension, "init")
        rigid = partial(register, moving, fixed, init=start, search=search, viewpoint=viewpoint, threads=threads)
        poses = partial(rigid_starts, rigid, moving.dimension)
        return deformed(moving, fixed, poses, initial=start, search=search, pairs=known, report=report)
    if transform != "rigid":
        rigid = partial(
            register,
            gamma=gamma,
            annealing=annealing,
            max_iterations=max_iterations,
            covariance=covariance,
            threads=threads,
        )
        places = viewpoints_of(viewpoint, moving.dimension)
        refinement = Refinement(moving, fixed, transform == "affine", full, max_iterations, threads)
        seen = None if places[0] is None or places[1] is None else (places[0], places[1])
        return LinearSearch(refinement, rigid, seen, annealing, first, report).answer(init, search)
    # A prepared target keeps its own scale, so that its SVMs are trained once for all sources.
    scale = fixed.scale if isinstance(target, Prepared) else None

    with problem_of(moving, fixed, scale=scale, full=full, threads=threads) as problem:
        # Outlines and landmarks in 2D may be the same points in both sets; two scans of a surface are not.
        finer = full and moving.dimension == 2 and annealing is not None and annealing.finest is None
        if annealing is not None and annealing.finest is None and problem.full:
            annealing = replace(annealing, finest=problem.resolved())
        gammas = (first,) if annealing is None else annealing.levels(first, problem.resolved())
        scorer = problem.scorer(viewpoints_of(viewpoint, moving.dimension), estimated=moving.dimension == 3)
        form: Form = moving.dimension if full or moving.dimension == 3 else ROUND_2D
        finish = partial(finished, problem, scorer, max_iterations=max_iterations, form=form, finer=finer)
        if search == "certified":
            proven = None if gamma is None else first
            outcome, proof = certified_search(problem, gammas, proven, gap, seconds, max_iterations, report)
            return finish(outcome, search=search, certificate=proof)
        pose = np.eye(moving.dimension + 1) if init is None else as_pose(init, moving.dimension, "init")
        initial, runs = problem.coordinates.normalise(pose), []
        for plan in _plans(gammas, problem.full, moving.dimension) if search != "global" else ():
            outcome = _algorithm_1(problem, scorer, plan, initial, max_iterations, report)
            gammas = tuple(gamma for gamma in gammas if gamma <= outcome.stages[-1].gamma)
            # With round components in 2D the confidence of a local search assumes a competing pose instead.
            if scorer is not None and (search == "auto" or form != ROUND_2D):
                others = other_translations(problem.mixtures, gammas, scorer, outcome.poses[0], threads)
                outcome = replace(outcome, poses=np.concatenate([outcome.poses, others]))
            runs.append(finish(outcome, search="local", correct=search == "auto"))
            # What the data leave undetermined, no search finds.
            if runs[-1].confidence >= TRUSTED and not (problem.full and runs[-1].ambiguous):
                return runs[-1]
        if search == "local":
            return runs[_chosen(problem, scorer, outcome.level, _poses(problem, runs))]
        # The local answers compete with all other poses.
        outcome = global_search(problem, scorer, _poses(problem, runs), gammas, max_iterations, report)
        if problem.full and scorer is not None and moving.dimension == 3:
            minima = outcome.level.minimise(outcome.poses, max_iterations).poses
            outcome = replace(outcome, poses=minima)
            outcome = outcome.starting_with(_chosen(problem, scorer, outcome.level, minima))
        answer = finish(outcome, search="global", correct=True)
        # In 2D, and without surfaces, the score of few places says less than the confidence.
        return answer if scorer is not None and moving.dimension == 3 else reduce(_better, [*runs, answer])


@dataclass(frozen=True)
class Plan:
    """One run of Algorithm 1: its levels, the gamma from which on these have full covariances, by how many degrees
    copies of the initial pose are turned, and how many translations start beside each copy."""

    gammas: tuple[float, ...]
    full_from: float
    degrees: Sequence[float]
    translations: int = 0


def _plans(gammas: tuple[float, ...], full: bool, dimension: int) -> list[Plan]:
    """The runs of Algorithm 1 until an answer is trusted.

    With full covariances the first run has few levels.  It takes a fraction of the time, and often its answer is
    trusted.  The second run has all of them.  It starts from more turned copies, at a level with full covariances, and
    for each copy from the translations of the highest correlation too.
    """
    one = (TUNING.turn_degrees,)
    if not full or len(gammas) == 1:
        return [Plan(gammas, TUNING.full_from, one)]
    fine = tuple(gamma for gamma in gammas if gamma >= TUNING.full_from)
    coarse = gammas[: len(gammas) - len(fine)]
    few = (*coarse[::-2][::-1], *fine[:1], *fine[1:][-1:])
    turns, translations = TUNING.full_turns[dimension], TUNING.full_translations[dimension]
    return [Plan(few, TUNING.full_from, one), Plan(gammas, TUNING.turned_full_from, turns, translations)]


def _poses(problem: Problem, runs: Sequence[RegistrationResult]) -> Array:
    """The answers of these runs, in normalised coordinates."""
    size = problem.source.dimension + 1
    return np.array([problem.coordinates.normalise(run.transformation) for run in runs]).reshape(-1, size, size)


def _chosen(problem: Problem, scorer: SurfaceScorer | None, level: Level, poses: Array) -> int:
    """Which of several minima of the finest level is the answer."""
    if level.full and scorer is not None and problem.source.dimension == 3:
        return most_convincing(poses, level.objective, scorer)
    doubts = [0.0 if scorer is None else scorer(pose).doubt for pose in poses]
    return int(np.argmin(level.objective(poses)[0] * np.exp(-np.array(doubts))))


def _better(first: RegistrationResult, second: RegistrationResult) -> RegistrationResult:
    """The one with more confidence; of sets without a surface, such as a few landmarks, that of the lower objective."""
    if first.confidence == second.confidence == 0.0:
        return second if second.objective < first.objective else first
    return second if second.confidence > first.confidence else first


def _algorithm_1(
    problem: Problem,
    scorer: SurfaceScorer | None,
    plan: Plan,
    initial: Array,
    max_iterations: int,
    report: Progress,
) -> SearchOutcome:
    """Support Vector Registration from an initial pose and, at one level, from turned copies of it."""
    gammas = plan.gammas
    # Line 2: initialise.
    candidates = np.empty((0, *initial.shape))
    levels: list[Level] = []
    stages: list[Stage] = []
    previous, value = None, 0.0  # the objective of the level before, and its value at the best answer

    for number, gamma in enumerate(gammas):
        report("registering", number, len(gammas))
        # Lines 4-5: train the SVMs and convert them.
        level = problem.level(gamma, far=gamma < TUNING.compared_from, full_from=plan.full_from)
        # Lines 6-7: optimise (14), from the answers of the level before and from the initial pose anew.
        joining = starts(initial, gamma, gammas, previous, value, plan.degrees)
        if len(joining) > 1 and plan.translations:
            shifted = best_translations(problem.mixtures, joining, plan.translations, problem.threads)
            joining = np.concatenate([joining, shifted])
        minimum = level.minimise(np.concatenate([candidates, joining]), max_iterations)
        kept = kept_answers(minimum, gamma, full=level.full, turned=len(joining) > 1)
        candidates, previous, value = minimum.poses[kept], level.objective, float(minimum.values[kept[0]])
        levels.append(level)
        stages.append(problem.stage(level, minimum, candidates[0], value))
        # Line 8: anneal, as long as a level is affordable.  The level that starts turned copies may take more.
        evaluations = len(minimum.poses) + int(minimum.iterations.sum())
        if len(joining) <= 1 and not level.affordable(evaluations):
            break

    report("registering", len(gammas), len(gammas))
    # The finest levels choose among the candidates.
    full = levels[-1].full
    if full and scorer is not None and problem.source.dimension == 3:
        chosen = most_convincing(candidates, levels[-1].objective, scorer, initial)
    else:
        deciding, tie = (levels[-1:], TUNING.full_tie) if full else (levels, TUNING.tie)
        objectives, compared = [level.objective for level in deciding], [level.gamma for level in deciding]
        chosen = winner(candidates, objectives, compared, initial, tie)
    finest = next((level for level in reversed(levels) if level.affordable()), levels[0])
    return SearchOutcome(candidates, finest, tuple(stages)).starting_with(chosen)
