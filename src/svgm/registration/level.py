"""One level of a registration: eq. (14) minimised from several poses at one scale."""

from __future__ import annotations

from dataclasses import dataclass

from svgm.geometry.points import Array
from svgm.registration.candidates import SAME
from svgm.registration.minimise import Minimum, minimise
from svgm.registration.objective import Objective
from svgm.registration.problem import Pair
from svgm.registration.result import Stage


@dataclass(frozen=True)
class Found:
    """Poses in the frame, the answer first, the objective of the finest level, and how it went."""

    poses: Array
    objective: Objective
    gamma: float
    stages: tuple[Stage, ...]


def minimise_at(pair: Pair, gamma: float, objective: Objective, poses: Array, max_iterations: int) -> Minimum:
    """The minima next to these poses; of those that meet one goes on."""
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


def stage_at(pair: Pair, gamma: float, objective: Objective, minimum: Minimum, pose: Array, value: float) -> Stage:
    """The record of a level whose best answer is this pose."""
    return Stage(
        gamma=float(gamma),
        sigma=pair.sigma(gamma),
        components=(len(objective.source), len(objective.target)),
        candidates=len(minimum.poses),
        iterations=int(minimum.iterations.sum()),
        objective=value,
        transformation=pair.frame.out_of(pose),
    )
