"""The end of a registration: the answer polished, and what it is worth."""

from __future__ import annotations

from svgm.registration.confidence import assess
from svgm.registration.covariance import pose_covariance
from svgm.registration.level import Found
from svgm.registration.minimise import minimise
from svgm.registration.problem import Pair
from svgm.registration.result import Alternative, RegistrationResult, Status
from svgm.registration.search.certified import Certificate
from svgm.registration.search.surface_score import Judge


def conclude(
    pair: Pair,
    judge: Judge | None,
    found: Found,
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
        answer,
        found.poses,
        sigma=width,
        may_move=may_move,
        everywhere=search == "global",
        threads=pair.threads,
    )
    value, hessian = float(final.values[0]), final.hessians[0]
    if opinion.pose is not answer:
        values, _, hessians = function(opinion.pose[None])
        value, hessian = float(values[0]), hessians[0]
    status = Status.CONVERGED if final.converged[0] else Status.MAX_ITERATIONS
    return RegistrationResult(
        transformation=pair.frame.out_of(opinion.pose),
        status=Status.DISJOINT if value > -1e-9 else status,
        objective=value,
        iterations=sum(stage.iterations for stage in found.stages) + int(final.iterations[0]),
        stages=found.stages,
        centre=pair.frame.source_centre,
        central_covariance=pose_covariance(function, hessian, opinion.pose, pair.frame),
        confidence=opinion.confidence(-value),
        overlap=opinion.overlap,
        alternatives=tuple(Alternative(pair.frame.out_of(pose), score) for pose, score in opinion.alternatives),
        search=search,
        certificate=certificate,
        strays=(pair.moving.strays, pair.fixed.strays),
    )
