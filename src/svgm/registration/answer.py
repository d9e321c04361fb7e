"""From the outcome of a search to the result: the answer refined to the last digits and assessed."""

from __future__ import annotations

from svgm.checks.types import Array
from svgm.registration.certificate import Certificate
from svgm.registration.confidence import assess
from svgm.registration.covariance import pose_covariance
from svgm.registration.doubts import doubts
from svgm.registration.finer import finer_answer
from svgm.registration.minimise import Minimum, minimise
from svgm.registration.objective import Objective
from svgm.registration.problem import Problem, SearchOutcome
from svgm.registration.result import Alternative, RegistrationResult, Status
from svgm.registration.search.surface_score import SurfaceScorer
from svgm.registration.tuning import TUNING, Form
from svgm.registration.undetermined import loose_directions, named, with_loose


def finished(
    problem: Problem,
    scorer: SurfaceScorer | None,
    outcome: SearchOutcome,
    *,
    max_iterations: int,
    form: Form,
    search: str,
    correct: bool = False,
    finer: bool = False,
    certificate: Certificate | None = None,
) -> RegistrationResult:
    """Refine the answer at the finest level to the last digits, assess it, and collect the result.

    If `correct`, the surfaces may correct the answer; if `finer`, a level beyond the points' spacing may.  `form` is
    that of the confidence.
    """
    sigma, objective = outcome.level.sigma, outcome.level.objective
    exact, full = objective.polishing(), outcome.level.full
    refined = _refined(objective, exact, outcome.poses[0], sigma, max_iterations)
    answer = refined.poses[0]
    assessment = assess(
        scorer,
        answer,
        outcome.poses,
        # Full covariances show the surfaces as finely as surfels do: those correct only an objective of round ones.
        sigma=0.0 if full else sigma,
        correct=correct,
        clearly=full and problem.source.dimension == 3,
        searched_all_poses=search == "global",
        form=form,
        threads=problem.threads,
    )
    found, value = assessment.pose, float(refined.values[0])
    if found is not answer and full:
        refined = _refined(objective, exact, found, sigma, max_iterations)
        found, value = refined.poses[0], float(refined.values[0])
    elif found is not answer:
        value = float(exact(found[None])[0][0])
    status = Status.CONVERGED if refined.converged[0] else Status.MAX_ITERATIONS
    coordinates = problem.coordinates
    loose = loose_directions(scorer, found)
    covariance = pose_covariance(exact, found, coordinates.unit)
    # Not where a level that was too large has ended the annealing before.
    if finer and 2.0 * outcome.level.gamma > min(TUNING.finest_gamma, problem.resolved()):
        sharper, covariance = finer_answer(problem, outcome.level, found, covariance, max_iterations)
        if sharper is not found:
            found, value = sharper, float(exact(sharper[None])[0][0])
    return RegistrationResult(
        transformation=coordinates.restore(found),
        status=Status.DISJOINT if value > -1e-9 else status,
        objective=value,
        iterations=sum(stage.iterations for stage in outcome.stages) + int(refined.iterations[0]),
        stages=outcome.stages,
        centre=coordinates.source_centre,
        central_covariance=with_loose(covariance, loose, found, coordinates.unit),
        confidence=assessment.confidence(-value),
        overlap=assessment.overlap,
        alternatives=tuple(Alternative(coordinates.restore(pose), share) for pose, share in assessment.alternatives),
        search=search,
        mixtures=coordinates.restore_mixtures(objective.source, objective.target),
        certificate=certificate,
        strays=(problem.source.strays, problem.target.strays),
        doubts=doubts(problem.source, problem.target),
        undetermined=named(loose, found, coordinates.unit, coordinates.source_centre),
    )


def _refined(objective: Objective, exact: Objective, pose: Array, sigma: float, max_iterations: int) -> Minimum:
    """The minimum next to a pose, to the last digits: in single precision, then in double."""
    for function, tolerance in ((objective, 1e-3), (exact, 1e-6)):
        refined = minimise(
            function,
            pose[None],
            radius=0.1 * sigma,
            max_radius=sigma,
            step_tolerance=tolerance * sigma,
            max_iterations=max_iterations,
        )
        pose = refined.poses[0]
    return refined
