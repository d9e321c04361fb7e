"""The result of a registration by a similarity or an affine map, from that of the rigid registration at its end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from svgm.checks.types import Array
from svgm.mixture.mixture import Mixture
from svgm.registration.linear.carried import joined, split
from svgm.registration.result import Alternative, RegistrationResult
from svgm.registration.stage import Stage
from svgm.rigid import as_pose

Pair = tuple[Mixture, Mixture]


def of_source(result: RegistrationResult, first: Array, *, affine: bool, search: str) -> RegistrationResult:
    """What the rigid registration of a source, carried by a linear map, says about the source itself.

    Parameters
    ----------
    result
        Of the rigid registration.
    first
        The linear map (d, d) that the source took before.
    affine
        Whether it is that of an affine map, or the scale of a similarity.
    search
        The search that found the answer.
    """
    changed = replace(
        result,
        transformation=joined(result.transformation, first),
        kind="affine" if affine else "similarity",
        alternatives=tuple(
            Alternative(joined(other.transformation, first), other.score) for other in result.alternatives
        ),
        stages=tuple(_stage(stage, first) for stage in result.stages),
        mixtures=None if result.mixtures is None else _back(result.mixtures, first),
        search=search,
    )
    return changed if affine else _in_unit_of_source(changed, float(first[0, 0]))


def _in_unit_of_source(result: RegistrationResult, scale: float) -> RegistrationResult:
    """With the covariance and the undetermined directions in the source's unit, not in the target's."""
    d = result.dimension
    units = np.ones(len(result.central_covariance))
    units[-d:] /= scale
    return replace(
        result,
        centre=result.centre / scale,
        central_covariance=result.central_covariance * np.outer(units, units),
        undetermined=tuple(
            replace(each, point=each.point / scale, pitch=each.pitch / scale) for each in result.undetermined
        ),
    )


def _stage(stage: Stage, first: Array) -> Stage:
    mixtures = None if stage.mixtures is None else _back(stage.mixtures, first)
    return replace(stage, transformation=joined(stage.transformation, first), mixtures=mixtures)


def _back(mixtures: Pair, first: Array) -> Pair:
    """The pair with the source's mixture in the coordinates of the source."""
    whole = np.eye(len(first) + 1)
    whole[:-1, :-1] = np.linalg.inv(first)
    return mixtures[0].transformed(whole), mixtures[1]


def as_rigid(result: RegistrationResult) -> tuple[Array, RegistrationResult]:
    """The linear map (d, d) that the source takes first, and the rigid registration after it, in the target's unit.

    The inverse of :func:`of_source`, for what shows poses.  Of a rigid motion the first map is the identity.
    """
    if result.kind not in ("similarity", "affine"):
        return np.eye(result.dimension), result
    affine = result.kind == "affine"
    first, rest = split(result.transformation, affine=affine)
    if not affine:
        result = _in_unit_of_source(result, 1.0 / float(first[0, 0]))
    back = np.asarray(np.linalg.inv(first), dtype=np.float64)
    stages = tuple(
        replace(_stage(stage, back), transformation=_rigid(stage.transformation, back)) for stage in result.stages
    )
    others = tuple(Alternative(_rigid(other.transformation, back), other.score) for other in result.alternatives)
    mixtures = None if result.mixtures is None else _back(result.mixtures, back)
    return first, replace(
        result, transformation=rest, kind="rigid", stages=stages, alternatives=others, mixtures=mixtures
    )


def _rigid(matrix: Array, back: Array) -> Array:
    return as_pose(joined(matrix, back), len(back))
