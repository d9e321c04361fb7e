"""Scales and stretches that the surfaces do not hold: a plane, a corner of planes and a cone have any scale."""

from __future__ import annotations

import numpy as np

from svgm.checks.types import Array
from svgm.registration.covariance import jacobian_of
from svgm.registration.linear.carried import carried, split
from svgm.registration.prepared import Prepared
from svgm.registration.problem import problem_of
from svgm.registration.undetermined import PURE, Undetermined, loose_directions


def loose_shape(source: Prepared, target: Prepared, matrix: Array, *, affine: bool) -> tuple[Undetermined, ...]:
    """What the surfaces do not hold of a map (d+1, d+1) beside the rigid motion after it; at most one value.

    The normals hold a scale as they hold a pose, see :mod:`svgm.registration.undetermined`.  A corner of three planes
    lies on itself at any scale about its tip, so the normals say nothing about the scale, whatever the borders say.
    """
    first, rest = split(matrix, affine=affine)
    moved = carried(source, first, affine=affine)
    d = source.dimension
    with problem_of(moved, target, scale=target.scale) as problem:
        scorer, pose = problem.scorer((None, None)), problem.coordinates.normalise(rest)
        loose = loose_directions(scorer, pose, stretching_jacobian if affine else scaling_jacobian)
    shapes = _symmetric_parts(loose, d) if affine else loose[-d - 1 : -d]
    if not loose.shape[1] or np.linalg.norm(shapes, ord=2) < PURE:
        return ()
    if affine:
        return (Undetermined("stretch", np.zeros(d), source.centre),)
    # Of the loose directions, the one with the most scale; a step x -> alpha x + v keeps the place -v / alpha.
    step = loose @ shapes[0]
    still = -step[-d:] / step[-d - 1]
    in_source = np.linalg.solve(matrix[:d, :d], problem.coordinates.unit * still)
    return (Undetermined("scale", np.zeros(d), source.centre + in_source),)


def scaling_jacobian(lever: Array) -> Array:
    """(n, d, k): how places at `lever` from the centre move with a step (omega, alpha, v) of a similarity."""
    d, rigid = lever.shape[1], jacobian_of(lever)
    return np.concatenate([rigid[:, :, :-d], lever[:, :, None], rigid[:, :, -d:]], axis=2)


def stretching_jacobian(lever: Array) -> Array:
    """(n, d, k): the same with a step (W by rows, v) of an affine map."""
    d = lever.shape[1]
    moves = np.einsum("ia,nb->niab", np.eye(d), lever).reshape(len(lever), d, d * d)
    return np.concatenate([moves, np.broadcast_to(np.eye(d), (len(lever), d, d))], axis=2)


def _symmetric_parts(loose: Array, d: int) -> Array:
    """The symmetric parts of the matrices W of steps (W, v): (d², m)."""
    matrices = loose[: d * d].T.reshape(-1, d, d)
    symmetric = 0.5 * (matrices + np.swapaxes(matrices, 1, 2))
    return np.asarray(symmetric.reshape(len(matrices), d * d).T, dtype=np.float64)
