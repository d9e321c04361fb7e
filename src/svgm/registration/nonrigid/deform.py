"""Non-rigid registration: from many affine starts, by correlation and by likelihood, to the deformation with the best
evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from svgm.checks.types import Array, Progress
from svgm.geometry.transforms import Deformation
from svgm.registration.nonrigid.affine_starts import Map, affine_starts
from svgm.registration.nonrigid.constants import NONRIGID
from svgm.registration.nonrigid.correlation import Correlation
from svgm.registration.nonrigid.likelihood import Fit, Likelihood, sharpened, spacing_of, start_score, volume_of
from svgm.registration.nonrigid.nodes import Nodes
from svgm.registration.nonrigid.spline_modes import SplineModes

#: Known correspondences: places in the source and their goals in the target, in normalised coordinates.
Pairs = tuple[Array, Array] | None


@dataclass(frozen=True)
class Deformed:
    """The answer in normalised coordinates.

    Attributes
    ----------
    fit, modes
        The deformation and its modes, for the finest nodes.
    source, target
        The nodes of the search, at most `NONRIGID.search_points`.
    rivals
        Of each answer that competed: by how much its evidence exceeds that of the answer, and where it takes the
        source's nodes.
    iterations
        EM iterations of the last steps.
    """

    fit: Fit
    modes: SplineModes
    source: Nodes
    target: Nodes
    rivals: tuple[tuple[float, Array], ...]
    iterations: int

    def moved(self, points: Array) -> Array:
        """Where points go, both in normalised coordinates."""
        return np.asarray(self.modes.at(points) @ self.fit.theta, dtype=np.float64)

    def deviations(self, points: Array) -> Array:
        """Standard deviations (n,) of one coordinate of where points go, in the target's unit, given the
        correspondences."""
        variances = [
            np.einsum("ij,ij->i", rows @ self.fit.covariance, rows)
            for rows in map(self.modes.at, np.array_split(points, 1 + len(points) // 4096))
        ]
        return np.asarray(np.sqrt(np.maximum(np.concatenate(variances), 0.0)), dtype=np.float64)

    def deformation(self) -> Deformation:
        """The deformation of the points as they were given."""
        linear, shift, coefficients = self.modes.spline(self.fit.theta)
        source, target = self.source, self.target
        d = self.modes.dimension
        matrix = np.eye(d + 1)
        matrix[:d, :d] = linear * (target.unit / source.unit)
        matrix[:d, d] = target.centre + target.unit * shift - matrix[:d, :d] @ source.centre
        controls = source.centre + source.unit * self.modes.controls
        return Deformation(matrix, controls, target.unit * coefficients, source.unit)


def deform(
    source: Nodes, target: Nodes, initial: Sequence[Map], *, everywhere: bool, pairs: Pairs, report: Progress
) -> Deformed:
    """Find the deformation; `initial` are affine maps to start from, the first one preferred.

    If not `everywhere`, start from these only.
    """
    few, goal = (
        each if len(each.points) <= NONRIGID.search_points else each.fewer(NONRIGID.thinned_points)
        for each in (source, target)
    )
    modes = SplineModes(few.points, len(few.points) if few is source else NONRIGID.thinned_bends)
    likelihood = _likelihood(modes, few, goal, pairs, near=False)
    starts = list(initial)
    if everywhere:
        starts += affine_starts(few.points, few.weights, goal.points, goal.weights, source.unit / target.unit)
        starts = _best_starts(starts, few, goal, len(initial))
    report("deforming", 0, 3)
    fits = _searched(likelihood, modes, few, goal, [modes.affine(*each) for each in starts], report)
    answer = fits[_chosen(fits, likelihood.modes, modes.affine(*initial[0]))]
    rivals = [(fit.evidence - answer.evidence, likelihood.modes @ fit.theta) for fit in fits if fit is not answer]
    if few is source and goal is target:
        answer = sharpened(likelihood, answer)
    found = Deformed(answer, modes, few, goal, tuple(rivals), sum(fit.iterations for fit in fits))
    report("deforming", 2, 3)
    count = NONRIGID.search_points
    while count < min(NONRIGID.refinement_points, max(len(source.points), len(target.points))):
        count *= NONRIGID.refinement_factor
        found = _refined(found, source, target, min(count, NONRIGID.refinement_points), pairs)
    report("deforming", 3, 3)
    return found


def _likelihood(modes: SplineModes, source: Nodes, target: Nodes, pairs: Pairs, *, near: bool) -> Likelihood:
    known = None if pairs is None else (modes.at(pairs[0]), pairs[1])
    return Likelihood(
        modes.at(source.points),
        modes.penalised,
        source.weights,
        target.points,
        target.weights,
        volume_of(target.points, target.weights),
        spacing_of(target.points),
        known,
        near,
    )


def _best_starts(starts: list[Map], source: Nodes, target: Nodes, given: int) -> list[Map]:
    """Those with the best likelihood, and the first `given` ones always."""
    rest = NONRIGID.outliers / volume_of(target.points, target.weights)
    scores = [
        start_score(
            source.points @ linear.T + shift,
            source.weights,
            target.points,
            target.weights,
            NONRIGID.tried_noise,
            rest,
        )
        for linear, shift in starts[given:]
    ]
    order = np.argsort(-np.array(scores), kind="stable")[: NONRIGID.tried]
    return [*starts[:given], *(starts[given + int(k)] for k in order)]


def _searched(
    likelihood: Likelihood, modes: SplineModes, source: Nodes, target: Nodes, starts: list[Array], report: Progress
) -> list[Fit]:
    """Fits from these starts, the best evidence first: few bends, then more, then all."""
    affine = 1 + modes.dimension
    few, more = (
        likelihood.coarser(affine + min(bends, len(modes) - affine))
        for bends in (NONRIGID.tried_bends, NONRIGID.middle_bends)
    )
    fits = [few.maximised(theta, NONRIGID.tried_noise, NONRIGID.tried_iterations) for theta in starts]
    # That of the initial map goes on in any case: if the data do not decide, it is the answer.
    first, *others = fits
    fits = [first, *_distinct(others, likelihood.modes, NONRIGID.same_start, NONRIGID.kept)]
    report("deforming", 1, 3)
    middle = [
        more.maximised(
            replace(fit, precision=NONRIGID.precision(modes.dimension)),
            min(NONRIGID.middle_noise, fit.noise),
            NONRIGID.middle_iterations,
        )
        for fit in fits
    ]
    for fit in fits[1 : 1 + NONRIGID.correlated]:
        theta = fit.theta
        for sigma in NONRIGID.scales:
            level = Correlation(
                likelihood.modes,
                likelihood.penalised,
                source.weights,
                target.points,
                target.weights,
                sigma,
                NONRIGID.bending_weight * sigma**2,
            )
            theta = level.minimised(theta, NONRIGID.correlation_iterations)[1]
        middle.append(more.maximised(theta, NONRIGID.scales[-1], NONRIGID.middle_iterations))
    best = _distinct(middle, likelihood.modes, NONRIGID.same_answer, NONRIGID.finals)
    if all(fit is not middle[0] for fit in best):
        best.append(middle[0])
    last = [likelihood.maximised(fit, fit.noise, NONRIGID.final_iterations) for fit in best]
    return sorted(last, key=lambda fit: -fit.evidence)


def _distinct(fits: Sequence[Fit], modes: Array, distance: float, most: int) -> list[Fit]:
    """The fits of the best evidence that move the points to places farther apart than this (root mean square)."""
    kept: list[tuple[Fit, Array]] = []
    for fit in sorted(fits, key=lambda each: -each.evidence):
        moved = modes @ fit.theta
        if all(np.sqrt(((moved - other) ** 2).sum(axis=1).mean()) > distance for _, other in kept):
            kept.append((fit, moved))
        if len(kept) == most:
            break
    return [fit for fit, _ in kept]


def _chosen(fits: Sequence[Fit], modes: Array, initial: Array) -> int:
    """The best evidence; if the data do not decide, the best of those that are about as near to the initial map."""
    best = max(fit.evidence for fit in fits)
    equal = [k for k, fit in enumerate(fits) if fit.evidence >= best - NONRIGID.evidence_tie]
    away = {k: float(np.sqrt(((modes @ (fits[k].theta - initial)) ** 2).sum(axis=1).mean())) for k in equal}
    near = [k for k in equal if away[k] <= min(away.values()) + NONRIGID.same_start]
    return max(near, key=lambda k: fits[k].evidence)


def _refined(found: Deformed, source: Nodes, target: Nodes, count: int, pairs: Pairs) -> Deformed:
    """The answer for more points of both sets: near pairs only, and more control points."""
    finer, goal = source.fewer(count), target.fewer(count)
    controls = source.fewer(min(NONRIGID.controls, count)).points
    all_points = len(controls) == len(source.points)
    modes = SplineModes(controls, len(controls) if all_points else NONRIGID.refined_modes)
    likelihood = _likelihood(modes, finer, goal, pairs, near=True)
    before = found.moved(finer.points)
    # The bends that the new modes need for what was found: a little stiffness makes them unique.
    normal = likelihood.modes.T @ likelihood.modes + 1e-6 * len(before) * np.diag(modes.penalised)
    theta = np.asarray(np.linalg.solve(normal, likelihood.modes.T @ before), dtype=np.float64)
    fit = likelihood.maximised(replace(found.fit, theta=theta), found.fit.noise, NONRIGID.refinement_iterations)
    if all_points and goal is target:
        fit = sharpened(likelihood, fit)
    return replace(found, fit=fit, modes=modes, iterations=found.iterations + fit.iterations)
