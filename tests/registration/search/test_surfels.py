"""Surfaces: surfels against a grid of dictionaries, cells that are filled, and one surface brought onto another."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from svgm import _core
from svgm.geometry.scale import principal_axes
from svgm.registration.search.surfels import Surfels, SurfelTable, filled_cell, make_surfels
from svgm.registration.search.viewpoint import Viewpoint
from svgm.rigid import apply, exp, pose_error

SMALL = {2: exp([0.08, 0.05, -0.04]), 3: exp([0.05, -0.04, 0.06, 0.05, -0.03, 0.04])}


def by_cells(points: np.ndarray, cell: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Means, normals and the mean number of neighbours, cell by cell."""
    d = points.shape[1]
    centre, _, axes = principal_axes(points, np.ones(len(points)))
    places = (points - centre) @ axes
    cells: dict[tuple[int, ...], list[int]] = {}
    for i, key in enumerate(map(tuple, np.floor(places / cell + 0.5).astype(int))):
        cells.setdefault(key, []).append(i)
    means, normals, neighbours = [], [], 0
    for key in sorted(cells):
        around = [tuple(np.add(key, o)) for o in product((-1, 0, 1), repeat=d) if tuple(np.add(key, o)) in cells]
        neighbours += len(around) - 1
        members = points[[i for other in around for i in cells[other]]]
        if len(members) < d:
            continue
        values, vectors = np.linalg.eigh(np.cov(members.T, bias=True))
        if d == 3 and values[1] <= 1e-3 * values[2]:
            continue
        means.append(points[cells[key]].mean(axis=0))
        normals.append(vectors[:, 0])
    return np.array(means), np.array(normals), neighbours / len(cells)


def neighbours_of(points: np.ndarray, cell: float) -> float:
    return _core.occupied_neighbours(np.ascontiguousarray(points), cell)


def plane(d: int, n: int = 41, size: float = 2.0) -> np.ndarray:
    side = np.linspace(-size, size, n)
    others = np.array(np.meshgrid(*[side] * (d - 1))).reshape(d - 1, -1).T
    return np.c_[others * np.array([1.0, 0.8])[: d - 1], np.zeros(len(others))]


@pytest.fixture(scope="module", params=["dense_curve", "dense_surface"])
def points(request: pytest.FixtureRequest) -> np.ndarray:
    """Some thousand points, centred."""
    found = request.getfixturevalue(request.param)[::2]
    return found - found.mean(axis=0)


# Surfels


@pytest.mark.parametrize("cell", [0.1, 0.23])
def test_surfels_are_the_means_and_normals_of_cells(points: np.ndarray, cell: float) -> None:
    found = make_surfels(points, cell)
    means, normals, neighbours = by_cells(points, cell)
    assert found.means.shape == means.shape
    assert np.allclose(found.means, means, atol=1e-5)
    assert np.abs(np.einsum("ij,ij->i", found.normals, normals)).min() > 1.0 - 1e-4
    assert np.allclose(np.linalg.norm(found.normals, axis=1), 1.0, atol=1e-5)
    assert found.cell == cell
    _, _, axes = principal_axes(points, np.ones(len(points)))
    assert neighbours_of(points @ axes, cell) == pytest.approx(neighbours)


@pytest.mark.parametrize("d", [2, 3])
def test_the_normal_of_a_plane(d: int) -> None:
    turn = SMALL[d]
    found = make_surfels(apply(turn, plane(d)), 0.3)
    assert np.allclose(np.abs(found.normals @ turn[:d, d - 1].astype(np.float32)), 1.0, atol=1e-5)


def test_normals_of_a_sphere_point_outwards_or_inwards(rng: np.random.Generator) -> None:
    sphere = rng.normal(size=(20_000, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    found = make_surfels(sphere, 0.1)
    outwards = found.means / np.linalg.norm(found.means, axis=1, keepdims=True)
    assert np.quantile(np.abs(np.einsum("ij,ij->i", found.normals, outwards)), 0.05) > 0.98


def test_a_surface_moves_with_its_points(points: np.ndarray) -> None:
    d = points.shape[1]
    T = exp(np.r_[np.full(d * (d - 1) // 2, 1.1), np.linspace(-0.5, 0.5, d)])
    here, there = make_surfels(points, 0.15), make_surfels(apply(T, points), 0.15)
    assert len(here) == len(there)
    # Principal axes have signs of their own, so the cells may be counted from the other end.
    moved = apply(T, here.means.astype(np.float64))
    apart = np.linalg.norm(moved[:, None] - there.means[None], axis=2)
    twin = apart.argmin(axis=1)
    assert apart.min(axis=1).max() < 1e-4
    turned = here.normals @ T[:d, :d].T
    assert np.abs(np.einsum("ij,ij->i", turned, there.normals[twin])).min() > 1.0 - 1e-3


@pytest.mark.parametrize("unit", [2.0**-10, 2.0**10])
def test_a_surface_in_another_unit(points: np.ndarray, unit: float) -> None:
    one, other = make_surfels(points, 0.15), make_surfels(unit * points, 0.15 * unit)
    scaled = one.scaled(unit)
    assert np.allclose(other.means, scaled.means, rtol=1e-5, atol=1e-6 * unit)
    assert np.allclose(other.normals, scaled.normals, atol=1e-5)
    assert scaled.cell == other.cell


def test_neighbours_on_planes_lines_and_scattered_points(rng: np.random.Generator) -> None:
    assert 7.3 < neighbours_of(plane(3, 101), 0.1) <= 8.0
    assert 1.9 < neighbours_of(plane(2, 2001), 0.02) <= 2.0
    assert neighbours_of(rng.uniform(-1, 1, size=(500, 3)), 0.01) < 0.5


@pytest.mark.parametrize("d", [2, 3])
def test_lonely_points_are_left_out(d: int) -> None:
    points = plane(d)
    lonely = np.r_[np.zeros(d - 1), 30.0][None]
    balance = -lonely
    found = make_surfels(np.concatenate([points, lonely, balance]), 0.3)
    assert len(found) == len(make_surfels(points, 0.3))
    assert np.abs(found.means[:, -1]).max() < 1.0


def test_points_on_a_line_in_space_have_no_surface() -> None:
    line = np.linspace(-1.0, 1.0, 300)[:, None] * np.array([1.0, 2.0, -0.5])
    found = make_surfels(line, 0.1)
    assert len(found) == 0
    assert found.means.shape == found.normals.shape == (0, 3)
    with pytest.raises(ValueError, match="reach"):
        SurfelTable(found, 0.5)


def test_points_in_one_cell(points: np.ndarray) -> None:
    found = make_surfels(points, 100.0)
    assert len(found) == 1
    assert np.allclose(found.means, 0.0, atol=1e-6)
    assert neighbours_of(points, 100.0) == 0.0


@pytest.mark.parametrize("most", [1, 10, 300, 10**6])
def test_some_of_the_surfels(points: np.ndarray, most: int) -> None:
    whole = make_surfels(points, 0.1)
    some = whole.every(most)
    assert min(len(whole), most) <= len(some) <= min(len(whole), 2 * most)
    rows = {tuple(row) for row in whole.means}
    assert all(tuple(row) in rows for row in some.means)
    assert some.cell == whole.cell


# Cells that are filled


def bowl(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    points = np.c_[x.ravel(), y.ravel(), 0.25 * (x.ravel() ** 2 + 0.5 * y.ravel() ** 2)]
    return points - points.mean(axis=0)


def test_the_smallest_filled_cell_follows_the_spacing() -> None:
    for n in (21, 41, 81):
        spacing = 4.0 / (n - 1)
        cell = filled_cell(bowl(*np.meshgrid(*[np.linspace(-2.0, 2.0, n)] * 2)), 0.001, 4.0)
        assert 0.8 * spacing < cell < 3.0 * spacing


@pytest.mark.parametrize("noise", [0.0, 0.004])
def test_a_flat_patch_with_an_edge_is_filled_too(noise: float, rng: np.random.Generator) -> None:
    points = plane(3, 81)
    assert 0.04 < filled_cell(points + noise * rng.normal(size=points.shape), 0.005, 2.0) < 0.2


def test_a_sparse_sample_is_filled_by_cells_of_a_few_points(points: np.ndarray) -> None:
    """Random ones need larger cells than even ones, but not much larger."""
    d = points.shape[1]
    some = points[np.random.default_rng(8).permutation(len(points))[:600]]
    cell = filled_cell(some, 0.01, 5.0)
    occupied = np.unique(np.floor(some / cell).astype(int), axis=0)
    assert 1.2 < len(some) / len(occupied) < (8 if d == 3 else 12)


def test_lines_far_apart_do_not_fill_a_surface() -> None:
    """As a laser scanner's rings: 0.01 along, 0.1 across."""
    rings = bowl(*np.meshgrid(np.arange(-2.0, 2.0, 0.01), np.arange(-2.0, 2.0, 0.1)))
    assert 0.05 < filled_cell(rings, 0.01, 2.0) < 0.4


def test_filled_cells_stay_between_their_limits(points: np.ndarray) -> None:
    assert filled_cell(points, 0.5, 1.0) == 0.5
    assert filled_cell(points, 1e-5, 2e-5) == 2e-5


# One surface on another


def test_a_surface_lies_on_itself(points: np.ndarray) -> None:
    d = points.shape[1]
    found = make_surfels(points, 0.1)
    contact = SurfelTable(found, 0.5)
    distance, along, cosine, _ = contact.residuals(found, np.eye(d + 1))
    # The table knows the surfel nearest to the middle of a cell: the next one, at worst.
    assert distance.max() < np.sqrt(d) * 0.1
    assert np.median(distance) == 0.0
    assert np.median(cosine) == pytest.approx(1.0)
    assert np.all(along <= distance + 1e-6)
    poses, scores = contact.align(found, np.eye(d + 1)[None], np.full(4, 0.4), 1)
    assert scores[0] > 0.97
    assert pose_error(poses[0], np.eye(d + 1))[0] < 2e-3


def test_a_small_motion_is_undone(points: np.ndarray) -> None:
    d = points.shape[1]
    T = SMALL[d]
    target, source = make_surfels(apply(T, points), 0.08), make_surfels(points[::-1][::2], 0.08)
    poses, scores = SurfelTable(target, 0.5).align(source, np.eye(d + 1)[None], np.geomspace(0.4, 0.12, 12), 1)
    assert pose_error(poses[0], T)[0] < 0.01
    assert pose_error(poses[0], T)[1] < 0.01
    assert scores[0] > 0.6


def test_answers_are_rigid_and_do_not_depend_on_threads_or_company(points: np.ndarray) -> None:
    d = points.shape[1]
    rng = np.random.default_rng(4)
    starts = exp(0.5 * rng.normal(size=(37, d * (d + 1) // 2)))
    source, contact = make_surfels(points, 0.1).every(200), SurfelTable(make_surfels(points, 0.1), 0.5)
    poses, scores = contact.align(source, starts, np.geomspace(0.5, 0.2, 5), 1)
    for threads in (2, 3, 8):
        others, other_scores = contact.align(source, starts, np.geomspace(0.5, 0.2, 5), threads)
        assert np.array_equal(others, poses)
        assert np.array_equal(other_scores, scores)
    alone, alone_score = contact.align(source, starts[5:6], np.geomspace(0.5, 0.2, 5), 1)
    assert np.array_equal(alone[0], poses[5])
    assert alone_score[0] == scores[5]
    rotations = poses[:, :d, :d]
    assert np.allclose(rotations @ np.swapaxes(rotations, 1, 2), np.eye(d), atol=1e-9)
    assert np.all((scores >= 0.0) & (scores <= 1.0))


def test_far_from_the_target_nothing_moves(points: np.ndarray) -> None:
    d = points.shape[1]
    found = make_surfels(points, 0.1)
    far = np.eye(d + 1)
    far[:d, d] = 50.0
    contact = SurfelTable(found, 0.5)
    poses, scores = contact.align(found, far[None], np.array([0.5, 0.3]), 1)
    assert np.array_equal(poses[0], far)
    assert scores[0] == 0.0
    distance, along, cosine, _ = contact.residuals(found, far)
    assert np.all(np.isinf(distance))
    assert np.all(np.isinf(along))
    assert np.all(cosine == 0.0)


def test_residuals_are_those_of_the_nearest_surfel(points: np.ndarray) -> None:
    """To the accuracy of a cell of the table: a surfel that is not the nearest is hardly farther."""
    d = points.shape[1]
    cell, reach = 0.1, 0.4
    target, source = make_surfels(points, cell), make_surfels(points, 0.17)
    T = exp(np.r_[np.full(d * (d - 1) // 2, 0.3), np.full(d, 0.2)])
    distance, along, cosine, _ = SurfelTable(target, reach).residuals(source, T)
    moved = apply(T, source.means.astype(np.float64))
    every = np.linalg.norm(moved[:, None] - target.means[None], axis=2)
    nearest = every.min(axis=1)
    known = np.isfinite(distance)
    assert np.all(known[nearest < reach])
    assert np.all(distance[known] >= nearest[known] - 1e-5)
    assert np.all(distance[known] <= nearest[known] + np.sqrt(d) * cell)
    assert np.median(distance[known] - nearest[known]) < 0.1 * cell
    # Where the table knows the nearest one, the other two numbers are that one's.
    exact = known & (np.abs(distance - nearest) < 1e-6)
    assert exact.sum() > 0.5 * known.sum()
    at = every.argmin(axis=1)[exact]
    normals = source.normals[exact] @ T[:d, :d].T
    assert np.allclose(cosine[exact], np.einsum("ij,ij->i", normals, target.normals[at]), atol=1e-4)
    offset = moved[exact] - target.means[at]
    assert np.allclose(along[exact], np.abs(np.einsum("ij,ij->i", offset, target.normals[at])), atol=1e-4)


def test_a_vast_surface_gets_a_coarser_table() -> None:
    """Two patches far apart would need more cells than a table has; nothing is lost but accuracy."""
    patch = plane(3, 11, 1.0)
    both = np.concatenate([patch + place for place in 60.0 * np.eye(3)])
    found = make_surfels(both - both.mean(axis=0), 0.3)
    distance, _, _, nearest = SurfelTable(found, 0.6).residuals(found, np.eye(4))
    assert np.all(np.isfinite(distance))
    assert distance.max() < 1.5
    assert nearest.min() >= 0
    assert nearest.max() < len(found)


def test_surfaces_are_plain_records(points: np.ndarray) -> None:
    found = make_surfels(points, 0.2)
    assert isinstance(found, Surfels)
    assert found.means.dtype == found.normals.dtype == np.float32
    assert found.means.flags.c_contiguous
    assert found.normals.flags.c_contiguous


@pytest.mark.parametrize("d", [2, 3])
def test_normals_face_a_place(d: int, rng: np.random.Generator) -> None:
    ball = rng.normal(size=(3000, d))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    found = make_surfels(ball, 0.3)
    inside = found.facing(Viewpoint(np.zeros(d), side_known=True), np.zeros(len(found), dtype=bool))
    assert np.einsum("nd,nd->n", inside.normals, inside.means).max() < 0.0
    assert np.array_equal(np.abs(inside.normals), np.abs(found.normals))
    assert (inside.means is found.means, inside.cell) == (True, found.cell)
