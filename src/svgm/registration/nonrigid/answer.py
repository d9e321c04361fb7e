"""The result of a non-rigid registration: the deformation, the rigid motion nearest to it, confidence and overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from svgm.checks.types import Array, Progress
from svgm.mixture.mixture import Mixture
from svgm.registration.alternative import Alternative
from svgm.registration.doubts import doubts
from svgm.registration.nonrigid.affine_starts import Map
from svgm.registration.nonrigid.constants import NONRIGID
from svgm.registration.nonrigid.correlation import Correlation
from svgm.registration.nonrigid.deform import Deformed, Pairs, deform
from svgm.registration.nonrigid.nodes import Nodes
from svgm.registration.nonrigid.quality import Warp
from svgm.registration.prepared import Prepared
from svgm.registration.result import RegistrationResult
from svgm.registration.status import Status
from svgm.rigid import GENERATORS, pose


def deformed(
    source: Prepared,
    target: Prepared,
    poses: Callable[[], Sequence[Array]],
    *,
    initial: Array,
    search: str,
    pairs: tuple[Array, Array] | None,
    report: Progress,
) -> RegistrationResult:
    """Register non-rigidly.

    Parameters
    ----------
    source, target
        The sets.
    poses
        Gives rigid motions to start from besides `initial`; called unless the search is local.
    initial
        The initial pose.
    search
        "local": from the initial pose only.
    pairs
        Known correspondences: places in the source and in the target.
    report
        Progress.
    """
    moving, fixed = (Nodes(each.normalised, np.ones(each.count), each.centre, each.radius) for each in (source, target))
    starts = [_normalised(initial, moving, fixed)]
    if search != "local":
        starts += [_normalised(other, moving, fixed) for other in poses()]
    known: Pairs = None
    if pairs is not None:
        known = (pairs[0] - moving.centre) / moving.unit, (pairs[1] - fixed.centre) / fixed.unit
        starts += _through(*known)
    found = deform(moving, fixed, starts, everywhere=search != "local", pairs=known, report=report)
    return _result(found, source, target, moving, fixed, "local" if search == "local" else "global")


def _normalised(T: Array, source: Nodes, target: Nodes) -> Map:
    """A linear map in normalised coordinates."""
    ratio, d = source.unit / target.unit, len(T) - 1
    return ratio * T[:d, :d], (T[:d, :d] @ source.centre + T[:d, d] - target.centre) / target.unit


def _through(places: Array, goals: Array) -> list[Map]:
    """The affine map that takes known places to their goals, if there are enough."""
    d = places.shape[1]
    if len(places) < d + 1:
        return []
    line, *_ = np.linalg.lstsq(np.column_stack([np.ones(len(places)), places]), goals, rcond=1e-6)
    linear: Array = np.asarray(line, dtype=np.float64)
    return [(linear[1:].T, linear[0])]


def _result(
    found: Deformed, source: Prepared, target: Prepared, moving: Nodes, fixed: Nodes, search: str
) -> RegistrationResult:
    spline, fit, few, goal = found.deformation(), found.fit, found.source, found.target
    points = moving.places
    moved = spline.apply(points)
    partners = _partners((moved - fixed.centre) / fixed.unit, fixed, fit.noise, fit.outliers)
    sigma = max(NONRIGID.scales[-1], fit.noise)
    near, centre, overlap = _nearest(points, moved), points.mean(axis=0), float(partners.mean())
    rivals = [
        Alternative(_nearest(few.places, goal.centre + goal.unit * places), float(np.exp(min(0.0, better))))
        for better, places in found.rivals
    ]
    return RegistrationResult(
        transformation=near,
        status=Status.CONVERGED if fit.converged else Status.MAX_ITERATIONS,
        objective=-_correlation(found, sigma),
        iterations=found.iterations,
        stages=(),
        centre=centre,
        central_covariance=_rigid_covariance(found, points, near, centre),
        confidence=overlap * (1.0 - fit.outliers),
        overlap=overlap,
        alternatives=tuple(sorted(rivals, key=lambda each: -each.score)),
        search=search,
        mixtures=(_mixture(few, sigma * goal.unit), _mixture(goal, sigma * goal.unit)),
        strays=(source.strays, target.strays),
        doubts=doubts(source, target),
        kind="nonrigid",
        warp=Warp(
            deformation=spline,
            noise=fit.noise * fixed.unit,
            outliers=fit.outliers,
            partners=partners,
            deviations=found.deviations(moving.points) * fixed.unit,
            folds=spline.folds(points),
        ),
    )


def _partners(moved: Array, target: Nodes, noise: float, outliers: float) -> Array:
    """How certain it is that each moved point has a partner: near 1 within the noise and spacing of the target."""
    from scipy.spatial import cKDTree

    distance = cKDTree(target.points).query(moved)[0]
    spacing = float(np.median(cKDTree(target.points).query(target.points, 2)[0][:, 1]))
    width = max(2.0 * noise, spacing)
    return np.asarray(1.0 / (1.0 + np.exp((distance / width - 2.0) * 4.0)), dtype=np.float64)


def _correlation(found: Deformed, sigma: float) -> float:
    """The correlation of the two densities at one scale, 1 if they are equal."""
    few, goal = found.source, found.target
    places = found.moved(few.points)

    def against_target(points: Array, weights: Array) -> float:
        none = np.zeros((len(points), 0))
        level = Correlation(none, np.zeros(0), weights, goal.points, goal.weights, sigma, 0.0)
        return level.data(points)[0]

    return float(np.exp(against_target(goal.points, goal.weights) - against_target(places, few.weights)))


def _nearest(points: Array, moved: Array) -> Array:
    """The rigid motion of least squares from points to where they are moved."""
    centre, goal = points.mean(axis=0), moved.mean(axis=0)
    u, _, vt = np.linalg.svd((moved - goal).T @ (points - centre))
    signs = np.ones(points.shape[1])
    signs[-1] = np.sign(np.linalg.det(u @ vt))
    turn = u @ np.diag(signs) @ vt
    return pose(turn, goal - turn @ centre)


def _rigid_covariance(found: Deformed, points: Array, near: Array, centre: Array) -> Array:
    """Covariance of the nearest rigid motion about the centre, given that of the modes."""
    d = points.shape[1]
    step = -(-len(points) // 1000)
    places = points[::step]
    rows = found.modes.at((places - found.source.centre) / found.source.unit)
    levers = np.einsum("kij,nj->nik", GENERATORS[d], places - centre)
    columns = np.concatenate([levers, np.broadcast_to(np.eye(d), (len(places), d, d))], axis=2)
    # Each coordinate of the target has its own column of theta; the error xi is in the source's axes.
    solved = np.linalg.pinv(columns.reshape(-1, columns.shape[2])).reshape(-1, len(places), d) @ near[:d, :d].T
    parts = np.einsum("knc,nm->kcm", solved, rows)
    covariance = np.einsum("kcm,mp,lcp->kl", parts, found.fit.covariance, parts) * found.target.unit**2
    return np.asarray(0.5 * (covariance + covariance.T), dtype=np.float64)


def _mixture(nodes: Nodes, sigma: float) -> Mixture:
    return Mixture.unchecked(nodes.places, sigma**2, nodes.weights / nodes.weights.sum())
