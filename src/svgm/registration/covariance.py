"""How well a registration holds its answer: the covariance of the pose, from the Hessian of the objective."""

from __future__ import annotations

import numpy as np

from svgm import _core
from svgm.checks.types import Array
from svgm.geometry.thinning import thin
from svgm.registration.objective import Objective
from svgm.rigid import GENERATORS, adjoint, apply, pose

#: Directions whose curvature is below this share of the largest, or below this, are not held by anything ...
HELD, LEAST = 1e-9, 1e-100

#: ... and get this variance, in radians and radii of the source: a thousand of them, squared.
UNKNOWN = 1e6

#: Components with full covariances share points with others up to about this many sigmas away (chosen on noisy 2D
#: outlines and views of the generated body: the spread is then predicted within a factor of 2).
SHARED = 3.0

#: Fewer groups of components than this say less than the components one by one.
FEWEST_GROUPS = 12

#: Step of the differences of gradients that give the whole Hessian, in sigmas.
STEP = 1e-5


def pose_covariance(objective: Objective, hessian: Array, T: Array, unit: float) -> Array:
    """Covariance of xi in ``T_true = T · C Exp(xi) C⁻¹``, C the shift to the source's centre, for the minimiser T
    of the objective, where its Hessian is `hessian`.  T is in normalised coordinates, whose unit of length is `unit`.

    f is a double sum over components that are samples of the two surfaces.  Its minimiser then has the covariance
    H⁻¹ M H⁻¹, with H the Hessian and M the variance of the sum of the gradients that each source component, and each
    target component, contributes.  An SVM spreads its components evenly, so where they lie is no chance: only how a
    gradient differs from its neighbour's is.  M is half the sum of the outer products of these differences, as for any
    systematic sample.  Full covariances and their means come from points that neighbours share: so these differences
    are between groups of components.
    """
    apart = 0.0
    if objective.source.covariances is not None or objective.target.covariances is not None:
        hessian = _whole_hessian(objective, T)
        apart = SHARED * max(objective.source.sigma, objective.target.sigma)
    moved = apply(T, objective.source.means)
    centre = T[:-1, -1]
    on_source, on_target = objective.forces(T)
    # A motion of both components of a pair changes nothing: so the pair's gradient at the target's end is minus that at
    # the source's.
    gradients = np.concatenate(
        [
            _differences(_tangent(on_source, moved - centre), moved, apart),
            _differences(_tangent(-on_target, objective.target.means - centre), objective.target.means, apart),
        ]
    )
    curvatures, directions = np.linalg.eigh(hessian)
    held = curvatures > max(HELD * float(np.abs(curvatures).max()), LEAST)
    # Along the directions of the Hessian one by one: a product with H⁻¹ would lose what a weak direction has.
    steps = gradients @ directions[:, held] / curvatures[held]
    loose = directions[:, ~held]
    local = directions[:, held] @ (steps.T @ steps) @ directions[:, held].T + UNKNOWN * loose @ loose.T
    return _in_source_axes(local, T, unit)


def _whole_hessian(objective: Objective, T: Array) -> Array:
    """The Hessian with the turning of the covariances, which the objective's own leaves out: source and target count
    alike in it.  That one is exact along translations, so differences along rotations are enough."""
    d = len(T) - 1
    step = STEP * objective.source.sigma
    rotations = np.eye(d * (d + 1) // 2)[:-d]
    poses = np.array([T, *(_core.moved(T, step * xi) for xi in rotations)])
    _, gradients, hessians = objective(poses)
    rows = (gradients[1:] - gradients[0]) / step
    turning = 0.5 * (rows[:, :-d] + rows[:, :-d].T)
    whole: Array = np.block([[turning, rows[:, -d:]], [rows[:, -d:].T, hessians[0][-d:, -d:]]])
    return whole


def _differences(contributions: Array, places: Array, apart: float) -> Array:
    """Of contributions (n, k) made at places (n, d), those whose outer products add up to the variance of the sum.

    Contributions are added up in groups this far `apart` first; 0 for none.
    """
    if apart > 0:
        centres, _ = thin(places, np.ones(len(places)), apart)
        if len(centres) >= FEWEST_GROUPS:
            _, group = _core.nearest(_core.BoxTree(centres, np.ones(len(centres))), places, -1.0)
            sums = np.zeros((len(centres), contributions.shape[1]))
            np.add.at(sums, group, contributions)
            contributions, places = sums, centres
    if len(places) == 1:
        return contributions
    _, neighbours = _core.nearest(_core.BoxTree(places, np.ones(len(places))), places, 0.0)
    differences: Array = np.sqrt(0.5) * (contributions - contributions[np.minimum(neighbours, len(places) - 1)])
    return differences


def _tangent(force: Array, lever: Array) -> Array:
    """Gradients with respect to (omega, v) of components pulled by `force` at `lever` from the centre of rotation.

    After its d numbers, a force may have those of a torque about the component's own mean.
    """
    d = lever.shape[1]
    force, own = force[:, :d], force[:, d:]
    products = (force[:, :, None] * lever[:, None, :]).reshape(len(force), -1)
    torque = products @ GENERATORS[d].reshape(-1, products.shape[1]).T
    return np.hstack([torque + own if own.size else torque, force])


def _in_source_axes(local: Array, T: Array, unit: float) -> Array:
    """From a normalised step about the moved source's centre, in the target's axes, to the source's unit and axes."""
    d = len(T) - 1
    # A left increment about the centre is a right one about the same centre, turned back.
    back = adjoint(pose(T[:d, :d].T, np.zeros(d)))
    to_source = back @ np.diag(np.r_[np.ones(len(local) - d), np.full(d, unit)])
    covariance: Array = to_source @ local @ to_source.T
    return 0.5 * (covariance + covariance.T)
