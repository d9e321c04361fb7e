"""How well a registration holds its answer: the covariance of the pose, from the forces between the two mixtures."""

from __future__ import annotations

import numpy as np

from svgm import _core
from svgm.checks.types import Array
from svgm.geometry.thinning import thin
from svgm.registration.objective import Objective
from svgm.rigid import GENERATORS, adjoint, apply, pose

#: Directions whose curvature is below this share of the largest, or below this, are not held by anything.
HELD, LEAST = 1e-9, 1e-100

#: The largest variance, which such directions get: ten radians or radii of the source, squared.
UNKNOWN = 100.0

#: The least deviation, in sigmas: there the refinement of an answer ends.
SMALLEST = 1e-6

#: Sides of the blocks that are left out in turn, in sigmas.  Components share points with others up to three sigmas
#: away; what only one scan has, and where a scan is bent, is larger.
BLOCKS = (4.0, 8.0, 16.0, 32.0)

#: A block size counts if there are so many blocks for each degree of freedom (chosen on the dragon, 2,000 points, seeds
#: 1-3, on generated bodies and on noisy 2D outlines: `python -m benchmarks.covariances consistency`).
BLOCKS_PER_FREEDOM = 3.0

#: No block counts as holding a direction by more than this share: the others would be multiplied without limit.
MOST_LEVERAGE = 0.75

#: Of a block that holds less than this, all directions together, the inverse 1 / (1 - h) is 1 + h: it saves time.
LIGHT = 0.2


def pose_covariance(objective: Objective, T: Array, unit: float) -> Array:
    """Covariance of xi in ``T_true = T · C Exp(xi) C⁻¹``, C the shift to the source's centre, for the minimiser T
    of the objective.  T is in normalised coordinates, whose unit of length is `unit`.

    A part of the surfaces pulls the pose by a gradient g_b, and holds it by a share H_b of the Hessian H.  Without that
    part the minimum would be at (H - H_b)⁻¹ g_b.  The sum of the outer products of these steps over all parts is the
    delete-one-block jackknife's variance.  It contains noise and sampling, and also what only one of the sets has,
    since that differs from part to part.  Errors of neighbouring parts are alike over some distance that nobody knows.
    So blocks of several sizes are tried, and along each direction the largest variance counts.
    """
    sigma = max(objective.source.sigma, objective.target.sigma)
    sets = _sets(objective, T)
    hessian = _matrices(0.5 * sum(curvatures.sum(axis=0, keepdims=True) for _, _, curvatures in sets))[0]
    curvature, directions = np.linalg.eigh(hessian)
    held = curvature > max(HELD * float(np.abs(curvature).max()), LEAST)
    # Coordinates in which the Hessian of what is held is the identity.
    whitened = directions[:, held] / np.sqrt(curvature[held])
    local = UNKNOWN * directions[:, ~held] @ directions[:, ~held].T
    if held.any():
        steps = whitened @ _spread(sets, whitened, sigma) @ whitened.T
        variances, axes = np.linalg.eigh(steps + local)
        local = (axes * np.clip(variances, (SMALLEST * sigma) ** 2, UNKNOWN)) @ axes.T
    scale = to_source(T, unit)
    covariance: Array = scale @ local @ scale.T
    return 0.5 * (covariance + covariance.T)


def _sets(objective: Objective, T: Array) -> list[tuple[Array, Array, Array]]:
    """For the moved source and the target: places, gradients and upper triangles of the Hessians of the components.

    A motion of both components of a pair changes nothing: so the pair's gradient at the target's end is minus that at
    the source's.
    """
    centre, d = T[:-1, -1], len(T) - 1
    on_source, on_target = objective.forces(T)
    parts = (
        (apply(T, objective.source.means), on_source, np.eye(d), 1.0),
        (objective.target.means, on_target, np.ascontiguousarray(T[:d, :d]), -1.0),
    )
    found = []
    for places, rows, turn, sign in parts:
        partnered = rows[:, d * (d + 1) // 2 :].any(axis=1)
        at = places[partnered]
        gradients, hessians = _core.pose_shares(rows[partnered], turn, at - centre)
        found.append((at, sign * gradients, hessians))
    return found


def _spread(sets: list[tuple[Array, Array, Array]], whitened: Array, sigma: float) -> Array:
    """Covariance of the step to the minimum, in whitened coordinates: the largest over the sizes of the blocks."""
    # Each pair of components counts half at its source's end and half at its target's.
    places = np.concatenate([at for at, _, _ in sets])
    pulls = 0.5 * np.concatenate([gradients for _, gradients, _ in sets]) @ whitened
    holds = 0.5 * np.concatenate([hessians for _, _, hessians in sets])
    # Each component by itself: more than that a few components cannot say.
    spread = 2.0 * pulls.T @ pulls
    k = pulls.shape[1]
    for size in BLOCKS:
        places, pulls, holds = _blocks(places, pulls, holds, size * sigma)
        if size == BLOCKS[0]:  # there are fewer blocks than components
            holds = whitened.T @ _matrices(holds) @ whitened
        trace = np.maximum(np.einsum("bii->b", holds), 0.0)
        # The effective number of blocks: those that hold next to nothing count next to nothing.
        number = trace.sum() ** 2 / max(float((trace**2).sum()), LEAST)
        if number < BLOCKS_PER_FREEDOM * k:
            break
        # The steps sum to zero at the minimum.  A pose that the surfaces have corrected is beside it.
        steps = pulls - holds @ pulls.sum(axis=0)
        heavy = trace > LIGHT
        leverage, axes = np.linalg.eigh(holds[heavy])
        along = np.einsum("bij,bi->bj", axes, steps[heavy]) / (1.0 - np.clip(leverage, 0.0, MOST_LEVERAGE))
        steps += np.einsum("bij,bj->bi", holds, steps)
        steps[heavy] = np.einsum("bij,bj->bi", axes, along)
        # A covariance of `number` samples is uncertain itself: the mean of Hotelling's T² over it is larger than k.
        spread = larger(spread, number / (number - k - 1) * steps.T @ steps)
    return spread


def _blocks(places: Array, pulls: Array, holds: Array, size: float) -> tuple[Array, Array, Array]:
    """Sums over the places that are nearest to each of the centres of a grid's cells, and those centres."""
    centres, _ = thin(places, np.ones(len(places)), size)
    _, block = _core.nearest(_core.BoxTree(centres, np.ones(len(centres))), places, -1.0)
    order = np.argsort(block, kind="stable")
    # All places of a cell can be nearer to the centres of its neighbours: then it has none.
    nearest, first = np.unique(block[order], return_index=True)
    return centres[nearest], np.add.reduceat(pulls[order], first), np.add.reduceat(holds[order], first)


def larger(one: Array, other: Array) -> Array:
    """A covariance that is along every direction at least as large as two others.

    >>> larger(np.diag([1.0, 4.0]), np.diag([2.0, 1.0])).round(9).tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    variances, axes = np.linalg.eigh(one + other)
    root = axes * np.sqrt(np.maximum(variances, LEAST))
    inverse = axes / np.sqrt(np.maximum(variances, LEAST))
    # Here the two add up to the identity, so they have the same axes.
    shares, turn = np.linalg.eigh(inverse.T @ one @ inverse)
    root = root @ turn
    return np.asarray((root * np.maximum(shares, 1.0 - shares)) @ root.T, dtype=np.float64)


def jacobian_of(lever: Array) -> Array:
    """(n, d, k): how places at `lever` from the centre of rotation move with (omega, v)."""
    d = lever.shape[1]
    turned = np.einsum("kij,nj->nik", GENERATORS[d], lever)
    return np.concatenate([turned, np.broadcast_to(np.eye(d), (len(lever), d, d))], axis=2)


def _matrices(triangles: Array) -> Array:
    """(n, k, k): symmetric matrices from the rows of their upper triangles (n, k (k + 1) / 2)."""
    k = int((2 * triangles.shape[1]) ** 0.5)
    rows, columns = np.triu_indices(k)
    matrices = np.empty((len(triangles), k, k))
    matrices[:, rows, columns] = matrices[:, columns, rows] = triangles
    return matrices


def to_source(T: Array, unit: float) -> Array:
    """(k, k): from a normalised step about the moved source's centre, in the target's axes, to the source's unit and
    axes."""
    d = len(T) - 1
    # A left increment about the centre is a right one about the same centre, turned back.
    back = adjoint(pose(T[:d, :d].T, np.zeros(d)))
    return np.asarray(back @ np.diag(np.r_[np.ones(len(back) - d), np.full(d, unit)]), dtype=np.float64)
