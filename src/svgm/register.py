"""Support Vector Registration (Section 4, Algorithm 1)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from svgm.annealing import COARSEST, Annealing
from svgm.arguments import count, positive
from svgm.candidates import JUDGED_FROM, SAME, best, starts, winner
from svgm.covariance import pose_covariance
from svgm.errors import InputError
from svgm.frame import Frame
from svgm.minimise import minimise
from svgm.objective import Objective
from svgm.representation import Prepared, represent, train_both
from svgm.result import RegistrationResult, Stage, Status
from svgm.rigid import as_pose

#: Motions that can be estimated, and the dimensions they exist in.
TRANSFORMS = {"rigid": (2, 3)}


def register(
    source: Any,
    target: Any,
    *,
    init: Any = None,
    nu: float = 0.01,
    gamma: float | None = None,
    annealing: Annealing | None = Annealing(),  # noqa: B008  (a frozen value)
    max_iterations: int = 100,
    transform: str = "rigid",
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
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
        (d+1, d+1) pose to start from; default identity.
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
    threads
        For training and for the Gauss transform; default all cores.  The result does not depend on it.
    progress
        Called as ``progress(level, levels)`` before each level and once at the end.

    Returns
    -------
    RegistrationResult
        ``transformation`` maps source into target; see there for the rest.

    Notes
    -----
    No parameter has a unit of length, and the same input gives the same output, bit for bit.

    Examples
    --------
    >>> angle = np.linspace(0, 4, 60)
    >>> spiral = np.c_[angle * np.cos(angle), angle * np.sin(angle)]
    >>> turn = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    >>> result = register(spiral, spiral @ turn.T + [5, 0])
    >>> bool(np.allclose(result.rotation, turn, atol=1e-3)), result.converged
    (True, True)
    """
    # Line 1: select nu and gamma.
    nu = positive("nu", nu, most=1)
    max_iterations = count("max_iterations", max_iterations)
    threads = (os.cpu_count() or 1) if threads is None else count("threads", threads)
    first = (COARSEST if annealing is not None else 1.0) if gamma is None else positive("gamma", gamma)
    if not isinstance(annealing, Annealing | None):
        raise InputError(f"annealing must be an Annealing or None, got {annealing!r}")
    moving, fixed = represent(source, nu, "source"), represent(target, nu, "target")
    dimension = _dimension(moving, fixed, transform)
    frame = Frame(moving.centre, fixed.centre, moving.radius)
    # A prepared target sets the scale alone, so that its SVMs are trained once for all sources; else both sets do.
    scale = fixed.scale if isinstance(target, Prepared) else float(np.sqrt(moving.scale * fixed.scale))
    resolved = (scale / max(moving.resolution, fixed.resolution)) ** 2
    gammas = (first,) if annealing is None else annealing.levels(first, resolved)

    # Line 2: initialise.
    start = frame.into(np.eye(dimension + 1) if init is None else as_pose(init, dimension, "init"))
    candidates = np.empty((0, *start.shape))
    stages: list[Stage] = []
    objectives: list[Objective] = []
    objective, value = None, 0.0  # of the level before, at its best answer

    for level, gamma in enumerate(gammas):
        if progress is not None:
            progress(level, len(gammas))
        # Lines 4-5: train the SVMs and convert them.
        sigma = float(scale / np.sqrt(gamma))
        width = sigma / frame.unit
        mixtures = train_both(moving, fixed, sigma, frame.unit, threads)
        # Lines 6-7: optimise (14), from the answers of the level before and from the start anew.
        joining = starts(start, gamma, gammas, objective, value)
        objective = Objective(*mixtures, search=True, far=gamma < JUDGED_FROM, threads=threads)
        objectives.append(objective)
        minimum = minimise(
            objective,
            np.concatenate([candidates, joining]),
            radius=0.5 * width,
            max_radius=1.5 * width,
            step_tolerance=0.1 * width,
            max_iterations=max_iterations,
            same=SAME * width,
        )
        kept = best(minimum, gamma)
        candidates, value = minimum.poses[kept], float(minimum.values[kept[0]])
        stages.append(
            Stage(
                gamma=float(gamma),
                sigma=sigma,
                components=(len(mixtures[0]), len(mixtures[1])),
                candidates=len(minimum.poses),
                iterations=int(minimum.iterations.sum()),
                objective=value,
                transformation=frame.out_of(candidates[0]),
            )
        )
        # Line 8: anneal.

    # The finest levels choose among the candidates; the winner is polished at the last of them, to the last digits.
    answer = candidates[winner(candidates, objectives, gammas, start)]
    for function, tolerance in ((objectives[-1], 1e-3), (objectives[-1].polishing(), 1e-6)):
        final = minimise(
            function,
            answer[None],
            radius=0.1 * width,
            max_radius=width,
            step_tolerance=tolerance * width,
            max_iterations=max_iterations,
        )
        answer = final.poses[0]
    if progress is not None:
        progress(len(gammas), len(gammas))
    value = float(final.values[0])
    status = Status.CONVERGED if final.converged[0] else Status.MAX_ITERATIONS
    return RegistrationResult(
        transformation=frame.out_of(answer),
        status=Status.DISJOINT if value > -1e-9 else status,
        objective=value,
        iterations=sum(stage.iterations for stage in stages) + int(final.iterations[0]),
        stages=tuple(stages),
        covariance=pose_covariance(function, final.hessians[0], answer, frame),
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
