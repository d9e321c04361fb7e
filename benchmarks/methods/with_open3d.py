"""Open3D's methods: ICP, generalised ICP, NDT, and from features FGR and RANSAC.

3D only, but for ICP.  Threads: as many as the process has cores, whatever `threads` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.datasets import Array
from benchmarks.methods import icp as in_2d

#: As far as ICP goes: relative change, iterations.
_TO_THE_END = (1e-9, 1000)


def icp(
    source: Array, target: Array, *, unit: float, threads: int, reach: float, tolerance: float, iterations: int
) -> Array:
    """Point-to-point ICP; `reach` is the distance beyond which points do not match.  In 2D it is :mod:`.icp`."""
    if source.shape[1] == 2:
        return in_2d.align(
            source, target, unit=unit, threads=threads, reach=reach, tolerance=tolerance, iterations=iterations
        )
    registration, clouds = _clouds(source, target)
    criteria = registration.ICPConvergenceCriteria(tolerance, tolerance, iterations)
    result = registration.registration_icp(*clouds, reach * unit, np.eye(4), criteria=criteria)
    return np.array(result.transformation)


def icp_from_many_starts(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    reach: float,
    tolerance: float,
    iterations: int,
    trim: float,
) -> Array:
    """ICP from the identity and from the turns that svgm starts from; the least trimmed mean square distance wins."""
    if source.shape[1] == 2:
        setting = {"reach": reach, "tolerance": tolerance, "iterations": iterations, "trim": trim}
        return in_2d.align_from_many_starts(source, target, unit=unit, threads=threads, **setting)
    registration, (moving, fixed) = _clouds(source, target)
    criteria = registration.ICPConvergenceCriteria(tolerance, tolerance, iterations)
    answers, errors = [], []
    for start in in_2d.many_starts(source):
        result = registration.registration_icp(moving, fixed, reach * unit, start, criteria=criteria)
        moved = type(moving)(moving).transform(result.transformation)
        answers.append(np.array(result.transformation))
        errors.append(in_2d.trimmed_error(np.asarray(moved.compute_point_cloud_distance(fixed)), trim))
    return answers[int(np.argmin(errors))]


def point_to_plane(source: Array, target: Array, start: Array, *, normal: float, reach: float) -> Array:
    """Point-to-plane ICP from a start; normals from neighbours within `normal`."""
    import open3d

    registration, clouds = _clouds(source, target)
    clouds[1].estimate_normals(open3d.geometry.KDTreeSearchParamHybrid(normal, 30))
    estimation = registration.TransformationEstimationPointToPlane()
    return np.array(registration.registration_icp(*clouds, reach, start, estimation).transformation)


def gicp(
    source: Array, target: Array, *, unit: float, threads: int, reach: float, tolerance: float, iterations: int
) -> Array:
    """Generalised ICP, which estimates the covariances itself."""
    registration, clouds = _clouds(source, target)
    criteria = registration.ICPConvergenceCriteria(tolerance, tolerance, iterations)
    result = registration.registration_generalized_icp(*clouds, reach * unit, np.eye(4), criteria=criteria)
    return np.array(result.transformation)


def ndt(
    source: Array, target: Array, *, unit: float, threads: int, cell: float, tolerance: float, iterations: int
) -> Array:
    """The normal distributions transform (Open3D 0.20 and newer)."""
    registration, clouds = _clouds(source, target)
    option = registration.NormalDistributionsTransformOption(
        voxel_size=cell * unit,
        transformation_epsilon=tolerance,
        relative_objective=tolerance,
        max_iteration=iterations,
    )
    return np.array(registration.registration_ndt(*clouds, option, np.eye(4)).transformation)


def fgr(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    normal: float,
    feature: float,
    reach: float,
    voxel: float = 0.0,
    towards: str = "",
    finish: float = 0.0,
    seed: int = 0,
) -> Array:
    """Fast global registration of FPFH features, finished by ICP of all points with reach `finish` unless that is 0.

    Points are thinned by `voxel` (0: all of them stay), `normal` and `feature` are the radii of their neighbourhoods,
    `reach` is the distance that a pair of points is taken down to.  Normals are turned `towards` the "mean" of the
    points, the "origin" (a scanner that stands there), or "" not at all, as in Open3D's tutorial.
    """
    registration, clouds = _clouds(source, target)
    thinned = [_thinned(cloud, voxel * unit) for cloud in clouds]
    features = _features(registration, thinned, normal * unit, feature * unit, towards)
    _seed(seed)
    # It divides the clouds by their radius first, and takes the distance to be in that unit.
    radius = max(float(np.linalg.norm(points - points.mean(axis=0), axis=1).max()) for points in (source, target))
    option = registration.FastGlobalRegistrationOption(
        decrease_mu=True, maximum_correspondence_distance=reach * unit / radius
    )
    result = registration.registration_fgr_based_on_feature_matching(*thinned, *features, option)
    return _finished(registration, clouds, result, finish * unit)


def ransac(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    normal: float,
    feature: float,
    reach: float,
    voxel: float = 0.0,
    towards: str = "",
    finish: float = 0.0,
    mutual: bool = True,
    iterations: int = 100_000,
    seed: int = 0,
) -> Array:
    """RANSAC of matching FPFH features, finished by ICP of all points with reach `finish` unless that is 0.

    See :func:`fgr`; `reach` is the distance below which a match counts, `mutual` keeps matches that are nearest both
    ways.  One answer for one input only on one thread.
    """
    registration, clouds = _clouds(source, target)
    thinned = [_thinned(cloud, voxel * unit) for cloud in clouds]
    features = _features(registration, thinned, normal * unit, feature * unit, towards)
    _seed(seed)
    result = registration.registration_ransac_based_on_feature_matching(
        *thinned,
        *features,
        mutual,
        reach * unit,
        checkers=[
            registration.CorrespondenceCheckerBasedOnEdgeLength(0.9),
            registration.CorrespondenceCheckerBasedOnDistance(reach * unit),
        ],
        criteria=registration.RANSACConvergenceCriteria(iterations, 0.999),
    )
    return _finished(registration, clouds, result, finish * unit)


def ransac_to_plane(source: Array, target: Array, *, unit: float, threads: int, voxel: float, seed: int = 0) -> Array:
    """RANSAC of matching FPFH features, then point-to-plane ICP of all points, as in Open3D's tutorial.

    `voxel` is a share of the target's diagonal whatever `unit` is.  The other lengths are the tutorial's multiples of
    the voxel.  Normals are turned to the origin, where the scanner stands.
    """
    size = voxel * float(np.linalg.norm(np.ptp(target, axis=0)))
    setting: dict[str, Any] = {"voxel": size, "normal": 2 * size, "feature": 5 * size, "reach": 1.5 * size}
    start = ransac(source, target, unit=1.0, threads=threads, towards="origin", seed=seed, **setting)
    return point_to_plane(source, target, start, normal=2 * size, reach=0.4 * size)


def _clouds(*sets: Array) -> tuple[Any, list[Any]]:
    import open3d

    open3d.utility.set_verbosity_level(open3d.utility.VerbosityLevel.Error)
    clouds = [open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points)) for points in sets]
    return open3d.pipelines.registration, clouds


def _thinned(cloud: Any, voxel: float) -> Any:
    return cloud.voxel_down_sample(voxel) if voxel else type(cloud)(cloud)


def _features(registration: Any, clouds: list[Any], normal: float, feature: float, towards: str) -> list[Any]:
    """FPFH features, with the most neighbours that Open3D's tutorial takes."""
    import open3d

    found = []
    for cloud in clouds:
        cloud.estimate_normals(open3d.geometry.KDTreeSearchParamHybrid(normal, 30))
        # Else each normal's side is the eigensolver's whim, and features tell the sides apart.
        if towards:
            cloud.orient_normals_towards_camera_location(cloud.get_center() if towards == "mean" else np.zeros(3))
        found.append(registration.compute_fpfh_feature(cloud, open3d.geometry.KDTreeSearchParamHybrid(feature, 100)))
    return found


def _seed(seed: int) -> None:
    import open3d

    open3d.utility.random.seed(seed)


def _finished(registration: Any, clouds: list[Any], result: Any, reach: float) -> Array:
    if reach:
        tolerance, iterations = _TO_THE_END
        criteria = registration.ICPConvergenceCriteria(tolerance, tolerance, iterations)
        result = registration.registration_icp(*clouds, reach, result.transformation, criteria=criteria)
    return np.array(result.transformation)
