"""Every long call of the core, on inputs of any size: what the figures and tests of interrupts are taken on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

import svgm
from svgm import _core
from svgm.datasets import body, butterfly
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture

#: Makes a call that takes longer for a larger size.
Maker = Callable[[int], Callable[[], object]]


def cloud(n: int, d: int = 3) -> Array:
    """Points of a Gaussian."""
    return np.random.default_rng(n).normal(size=(n, d))


def tree(n: int) -> _core.BoxTree:
    """Some of them, of weight 1."""
    return _core.BoxTree(cloud(n), np.ones(n))


def still(count: int) -> Array:
    """Poses that leave everything where it is."""
    return np.repeat(np.eye(4)[None], count, axis=0)


def mixture(n: int) -> Mixture:
    """Gaussians so wide that all pairs count."""
    return Mixture(cloud(n), 1.0, np.full(n, 1.0 / n))


def surfels(n: int) -> tuple[Array, Array]:
    """Oriented places, of no surface in particular."""
    places = cloud(n).astype(np.float32)
    return places, places / np.linalg.norm(places, axis=1, keepdims=True)


def objective(n: int, *, single: bool, variance: float) -> _core.MixtureObjective:
    """Of two sets of n components."""
    return _core.MixtureObjective(tree(n), tree(n), variance, variance, 1.0, 30.0, single, 2)


def _two_class(n: int) -> Callable[[], object]:
    points = cloud(n)
    labels = np.where(np.sin(5.0 * points[:, 0]) > 0.0, 1.0, -1.0)
    return lambda: _core.train_two_class(points, -labels, np.minimum(0.0, labels), np.maximum(0.0, labels), 1.0, 1e-6)


def _one_class(n: int, violation: float, gap: float) -> Callable[[], object]:
    points = cloud(n)
    return lambda: _core.train_one_class(points, np.full(n, 20.0 / n), None, 0.5, violation, gap, 1 << 26, False)


def _shapes(n: int) -> Array:
    """Covariances of plates, at most 1."""
    return np.tile(np.diag([1.0, 1.0, 0.01]), (n, 1, 1))


def _full_one_class(n: int) -> Callable[[], object]:
    points, upper, shapes = cloud(n), np.full(n, 20.0 / n), _shapes(n)
    return lambda: _core.train_one_class(points, upper, None, 0.5, 1e-4, 1e-5, 1 << 26, False, shapes)


def _full_transform(n: int, *, pairs: bool) -> Callable[[], object]:
    points, weights, shapes = cloud(n), np.full(n, 1.0 / n), _shapes(n)
    return lambda: _core.full_transform(points, shapes, weights, points, shapes if pairs else None, 30.0, 2)


def _objective(n: int, *, single: bool, variance: float) -> Callable[[], object]:
    function, poses = objective(n, single=single, variance=variance), still(8)
    return lambda: function(poses)


def _minimise(n: int) -> Callable[[], object]:
    function, starts = objective(n, single=False, variance=0.5), still(4)
    starts[:, :3, 3] += np.random.default_rng(0).normal(size=(4, 3))
    return lambda: _core.minimise(function, starts, 0.5, 1.0, 1e-12, 0.0, 1000)


def _surface_table(n: int) -> Callable[[], object]:
    means, normals = surfels(n)
    return lambda: _core.SurfaceTable(means, normals, 0.05, 1.0)


def _align(n: int) -> Callable[[], object]:
    means, normals = surfels(n)
    table, reaches = _core.SurfaceTable(means[:1000], normals[:1000], 0.1, 0.5), np.full(20, 0.5, np.float32)
    return lambda: _core.align_to_surface(table, means, normals, still(2), reaches, 2)


def _residuals(n: int) -> Callable[[], object]:
    means, normals = surfels(n)
    table = _core.SurfaceTable(means[:1000], normals[:1000], 0.1, 0.5)
    return lambda: _core.surface_residuals(table, means, normals, np.eye(4))


def _splat(n: int) -> Callable[[], object]:
    points, rotations = 10.0 * cloud(n), np.repeat(np.eye(3)[None], 4, axis=0)
    return lambda: _core.splat(points, np.ones(n), rotations, [64, 64, 64], 2)


def _peaks(n: int) -> Callable[[], object]:
    side = round(n ** (1 / 3))
    grid = np.random.default_rng(0).random((1, side, side, side), dtype=np.float32)
    return lambda: _core.highest_peaks(grid, side, 2)


def _bounds(n: int) -> Callable[[], object]:
    function = _core.PoseBounds(tree(2000), tree(2000))
    return lambda: function(still(n), np.full(n, 0.1), np.full((n, 3), 0.1), 2)


def _register(n: int, search: str) -> Callable[[], object]:
    source, target = (butterfly(n, seed=k) if search == "certified" else body(n, seed=k)[0] for k in (1, 2))
    return lambda: svgm.register(source, target, search=search, threads=2)


def _density(n: int) -> Callable[[], object]:
    gaussians = mixture(n)
    return lambda: gaussians.density(gaussians.means)


def _of_tree(function: Callable[..., object], *arguments: object) -> Maker:
    """The call of a function of one tree."""
    return lambda n: partial(function, tree(n), *arguments)


def _of_two(*arguments: object) -> Maker:
    """The constructor of an objective, of a tree and itself."""

    def make(n: int) -> Callable[[], object]:
        both = tree(n)
        return partial(_core.MixtureObjective, both, both, *arguments)

    return make


def _forces(n: int) -> Callable[[], object]:
    both = tree(n)
    return lambda: _core.forces(both, both, 0.1, 30.0, np.eye(4))


def _full_objective(n: int) -> _core.MixtureObjective:
    """Of two sets of n flat components."""
    both, shapes = tree(n), _shapes(n)
    return _core.MixtureObjective(both, 0.1 * shapes, both, 0.1 * shapes, 1.0, 30.0, True, 2)


def _full_value(n: int) -> Callable[[], object]:
    function, poses = _full_objective(n), still(8)
    return lambda: function(poses)


def _full_forces(n: int) -> Callable[[], object]:
    both, shapes = tree(n), _shapes(n)
    return lambda: _core.full_forces(both, shapes, both, shapes, 30.0, np.eye(4))


def _full_overlap(n: int) -> Callable[[], object]:
    both, shapes = tree(n), _shapes(n)
    return lambda: _core.full_overlap(both, shapes, 30.0, True, 2)


def _local_shapes(n: int) -> Callable[[], object]:
    places, both = cloud(n), tree(n)
    return lambda: _core.local_shapes(both, places, 0.3, 0.05, 30.0, True, 2)


def _pose_bounds(n: int) -> Callable[[], object]:
    both = tree(n)
    return lambda: _core.PoseBounds(both, both)


def _nearest_of_sample(n: int) -> Callable[[], object]:
    sample = cloud(250)
    return partial(_core.nearest_of_sample, cloud(n), np.zeros(3), sample, np.full(250, 0.05), 0.0)


def _pose_shares(n: int) -> Callable[[], object]:
    return partial(_core.pose_shares, np.ones((n, 12)), np.eye(3), cloud(n))


def _thin(n: int, cell: float) -> Callable[[], object]:
    return partial(_core.thin, cloud(n), np.ones(n), np.zeros(3), np.eye(3), cell)


#: By name: the maker, and a size to begin with.
CALLS: dict[str, tuple[Maker, int]] = {
    "svgm.fit": (lambda n: partial(svgm.fit, body(n)[0], gamma=100.0, thinning=0), 2_000),
    "svgm.fit, a cloud": (lambda n: partial(svgm.fit, cloud(n), gamma=30.0, thinning=0), 2_000),
    "svgm.register, local": (lambda n: _register(n, "local"), 2_000),
    "svgm.register, global": (lambda n: _register(n, "global"), 1_000),
    "svgm.register, certified": (lambda n: _register(n, "certified"), 100),
    "Mixture.norm": (lambda n: lambda: mixture(n).norm, 10_000),
    "Mixture.density": (_density, 10_000),
    "BoxTree": (lambda n: partial(_core.BoxTree, cloud(n), np.ones(n)), 100_000),
    "gauss_transform": (lambda n: partial(_core.gauss_transform, tree(n), cloud(n), 0.1, 30.0, 0, 2), 10_000),
    "gauss_transform, order 2": (lambda n: partial(_core.gauss_transform, tree(n), cloud(n), 0.1, 30.0, 2, 2), 10_000),
    "full_transform": (lambda n: _full_transform(n, pairs=False), 3_000),
    "full_transform, pairs": (lambda n: _full_transform(n, pairs=True), 3_000),
    "nearest": (lambda n: partial(_core.nearest, tree(n), cloud(n), 0.0), 50_000),
    "self_overlap": (_of_tree(_core.self_overlap, 0.1, 30.0, False), 10_000),
    "self_overlap, single": (_of_tree(_core.self_overlap, 0.1, 30.0, True), 10_000),
    "Objective": (_of_two(1e-4, 1e-4, 1.0, 30.0, False, 2), 200_000),
    "Objective, a field": (_of_two(0.2, 0.2, 1.0, 30.0, True, 2), 10_000),
    "Objective()": (lambda n: _objective(n, single=False, variance=0.5), 3_000),
    "Objective(), single": (lambda n: _objective(n, single=True, variance=0.02), 5_000),
    "Objective(), a field": (lambda n: _objective(n, single=True, variance=0.5), 50_000),
    "Objective, full": (lambda n: partial(_full_objective, n), 50_000),
    "Objective(), full": (_full_value, 3_000),
    "minimise": (_minimise, 1_000),
    "forces": (_forces, 10_000),
    "forces, full": (_full_forces, 3_000),
    "full_overlap": (_full_overlap, 5_000),
    "local_shapes": (_local_shapes, 10_000),
    "train_one_class": (lambda n: _one_class(n, 1e-5, 1e-6), 2_000),
    "train_one_class, by the gap": (lambda n: _one_class(n, np.inf, 1e-4), 5_000),
    "train_one_class, full": (_full_one_class, 1_000),
    "train_two_class": (_two_class, 500),
    "thin": (lambda n: _thin(n, 1e-3), 100_000),
    "thin, cells far apart": (lambda n: _thin(n, 1e-9), 100_000),
    "weighted_scatter": (lambda n: partial(_core.weighted_scatter, cloud(n), np.ones(n)), 1_000_000),
    "bounds_and_sums": (lambda n: partial(_core.bounds_and_sums, cloud(n)), 1_000_000),
    "nearest_of_sample": (_nearest_of_sample, 1_000_000),
    "pose_shares": (_pose_shares, 100_000),
    "surfels": (lambda n: partial(_core.surfels, cloud(n), None, 0.01), 50_000),
    "occupied_neighbours": (lambda n: partial(_core.occupied_neighbours, cloud(n), 0.01), 100_000),
    "SurfaceTable": (_surface_table, 500),
    "align_to_surface": (_align, 20_000),
    "surface_residuals": (_residuals, 500_000),
    "splat": (_splat, 200_000),
    "highest_peaks": (_peaks, 1_000_000),
    "PoseBounds": (_pose_bounds, 500_000),
    "PoseBounds()": (_bounds, 50),
}
