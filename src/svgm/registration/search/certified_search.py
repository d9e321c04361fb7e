"""The certified search: a proven minimum at one scale, and the finer levels of Algorithm 1 from there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from svgm.checks.types import Progress
from svgm.mixture.mixture import Mixture
from svgm.registration.certificate import Certificate
from svgm.registration.problem import Problem, SearchOutcome
from svgm.registration.search.branch_and_bound import certify
from svgm.registration.stage import Stage

#: Gammas at which `certifiable` looks: the coarsest, the factor to the next one, and the finest.
COARSEST_PROOF, PROOF_FACTOR, FINEST_PROOF = 0.05, 2.0**0.25, 100.0

#: Components of either mixture, at most, by dimension.
MOST_COMPONENTS = {2: 400, 3: 30}


def certified_search(
    problem: Problem,
    gammas: Sequence[float],
    gamma: float | None,
    gap: float,
    seconds: float | None,
    max_iterations: int,
    report: Progress,
) -> tuple[SearchOutcome, Certificate]:
    """The proven minimum at one gamma, and Algorithm 1's finer levels from there."""
    if gamma is None:
        gamma = certifiable(problem.mixtures, gammas[-1])
    source, target = problem.mixtures(gamma)
    pose, certificate = certify(source, target, gap=gap, seconds=seconds, threads=problem.threads, progress=report)
    proven = Stage(
        gamma=gamma,
        sigma=problem.sigma(gamma),
        components=(len(source), len(target)),
        candidates=1,
        iterations=0,
        objective=certificate.objective,
        transformation=problem.coordinates.restore(pose),
        mixtures=problem.coordinates.restore_mixtures(source, target),
    )
    finer = [level for level in gammas if level > gamma] or [gamma]
    outcome = problem.descend(finer, pose[None], max_iterations)
    return replace(outcome, stages=(proven, *outcome.stages)), certificate


def certifiable(mixtures: Callable[[float], tuple[Mixture, Mixture]], finest: float) -> float:
    """The finest gamma, up to `finest`, whose mixtures a proof can be had for in seconds (2D) or about a minute (3D).

    `mixtures` gives source and target at a gamma.
    """
    gamma = min(COARSEST_PROOF, finest)
    while (finer := min(gamma * PROOF_FACTOR, finest, FINEST_PROOF)) > gamma:
        both = mixtures(finer)
        if max(len(mixture) for mixture in both) > MOST_COMPONENTS[both[0].dimension]:
            break
        gamma = finer
    return gamma
