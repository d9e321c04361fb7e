"""Levels finer than the points' spacing, where they hold the answer better."""

from __future__ import annotations

import numpy as np

from svgm.checks.types import Array
from svgm.registration.covariance import pose_covariance
from svgm.registration.minimise import minimise
from svgm.registration.problem import Level, Problem
from svgm.rigid import invert, log

#: A variance is significantly smaller if it is smaller by this factor: F at 0.1 % for nine blocks each, the fewest from
#: which a covariance is taken.
SIGNIFICANT = 10.1

#: Finer levels that are tried, at most, and the factor between their gammas.
MOST_LEVELS, FACTOR = 4, 10.0**0.5

#: Chi-square with the three degrees of freedom of a pose in 2D, at 95 % and at 99.9 %.
WITHIN, OUTSIDE = 7.81, 16.27


def finer_answer(
    problem: Problem, level: Level, answer: Array, covariance: Array, max_iterations: int
) -> tuple[Array, Array]:
    """The answer and its covariance at a level finer than this one, or the same if no finer level holds it better.

    The annealing ends at the spacing of the points, because narrower Gaussians show single points, and two sets rarely
    have the same ones.  Whether they do, the covariance of the answer says (blocks left out in turn).  So the annealing
    goes on from the answer as long as the generalised variance falls.  The last such level is taken if

    - its variance is significantly smaller than that of `covariance` along every direction,
    - its answer lies within the spread of `answer`, so that it is not another minimum, and
    - `answer` does not lie within the spread of that one: if both say the same, nothing changes, to the last bit.
    """
    unit = problem.coordinates.unit
    pose, spread, gamma = answer, covariance, level.gamma
    for _ in range(MOST_LEVELS):
        gamma *= FACTOR
        finer = problem.level(gamma)
        if not finer.affordable():
            break
        exact = finer.objective.polishing()
        start = finer.minimise(pose[None], max_iterations).poses
        found = minimise(
            exact,
            start,
            radius=0.1 * finer.sigma,
            max_radius=finer.sigma,
            step_tolerance=1e-6 * finer.sigma,
            max_iterations=max_iterations,
        )
        narrower = pose_covariance(exact, found.poses[0], unit)
        if not (found.converged[0] and np.linalg.det(narrower) < np.linalg.det(spread)):
            break
        pose, spread = found.poses[0], narrower
    if pose is answer:
        return answer, covariance
    step = log(invert(answer) @ pose)
    step[1 if len(step) == 3 else 3 :] *= unit
    significant = np.linalg.eigvals(np.linalg.solve(covariance, spread)).real.max() * SIGNIFICANT < 1.0
    same_minimum = step @ np.linalg.solve(covariance, step) <= OUTSIDE
    says_more = step @ np.linalg.solve(spread, step) > WITHIN
    return (pose, spread) if significant and same_minimum and says_more else (answer, covariance)
