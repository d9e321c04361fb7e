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

#: Correlation falls as sigma to this power, at most.  In between: 0 is for points that both sets have, 1 for chance
#: coincidences of points on a curve.
MOST_DIMENSION = 0.5

#: Finer levels that are tried, at most, and the factor between their gammas.
MOST_LEVELS, FACTOR = 4, 10.0**0.5

#: A covariance whose inverse has a larger relative error than this says nothing.
LEAST_DIGITS = 1e-3

#: Correlations are at least this, so that they have a logarithm.
LEAST = 1e-300

#: Chi-square with the three degrees of freedom of a pose in 2D, at 95 % and at 99.9 %.
WITHIN, OUTSIDE = 7.81, 16.27


def finer_answer(
    problem: Problem, level: Level, answer: Array, covariance: Array, max_iterations: int
) -> tuple[Array, Array]:
    """The answer and its covariance at a level finer than this one, or the same if no finer level holds it better.

    The annealing ends at the spacing of the points, because narrower Gaussians show single points, and two sets rarely
    have the same ones: single points coincide by chance.  Where sets have points in common, the annealing goes on from
    the answer, as long as the generalised variance falls (blocks left out in turn).  The last such level is taken if

    - its correlation hardly falls: that of common points stays, that of chance coincidences falls as sigma does,
    - its variance is significantly smaller than `covariance` along every direction,
    - its answer lies within the spread of `answer`, so that it is not another minimum, and
    - `answer` does not lie within the spread of that one: if both say the same, nothing changes, to the last bit.
    """
    # In normalised coordinates, where no number is large.
    size, turns = len(covariance), len(covariance) - problem.source.dimension
    units = np.where(np.arange(size) < turns, 1.0, problem.coordinates.unit)
    coarse = covariance / units[:, None] / units
    pose, spread, gamma = answer, coarse, level.gamma
    correlation, dimension = -float(level.objective(answer[None])[0][0]), np.inf
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
        narrower = pose_covariance(exact, found.poses[0], 1.0)
        if not (found.converged[0] and np.linalg.slogdet(narrower)[1] < np.linalg.slogdet(spread)[1]):
            break
        pose, spread = found.poses[0], narrower
        before, correlation = correlation, max(-float(found.values[0]), LEAST)
        dimension = np.log(before / correlation) / np.log(FACTOR**0.5)
    if dimension > MOST_DIMENSION:
        return answer, covariance
    step = log(invert(answer) @ pose)
    if max(np.linalg.cond(coarse), np.linalg.cond(spread)) * np.finfo(float).eps > LEAST_DIGITS:
        return answer, covariance
    significant = np.linalg.eigvals(np.linalg.solve(coarse, spread)).real.max() * SIGNIFICANT < 1.0
    same_minimum = step @ np.linalg.solve(coarse, step) <= OUTSIDE
    says_more = step @ np.linalg.solve(spread, step) > WITHIN
    if significant and same_minimum and says_more:
        return pose, spread * units[:, None] * units
    return answer, covariance
