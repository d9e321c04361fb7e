"""One sheet from many scans: near the points on both sides, one piece, whatever the poses and with unknown sensors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from svgm import InputError, Mesh, surface_of_scans
from svgm.checks.types import Array
from svgm.datasets import body, partial_view
from svgm.geometry.scale import estimate_resolution
from svgm.io import PointCloud, write_cloud
from svgm.reconstruction.pieces import pieces
from svgm.reconstruction.scans import SPACINGS
from svgm.reconstruction.sensor_places import sensor_places
from svgm.rigid import apply, exp, invert

pytest.importorskip("skimage")

Views = tuple[list[Array], Array, list[Array]]


@pytest.fixture(scope="module")
def views() -> Views:
    """Views of a body from ten sides, each in coordinates of its own: the scans, their poses and their sensors."""
    rng = np.random.default_rng(3)
    corners = [[1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]]
    towards = np.vstack([np.eye(3), -np.eye(3), corners]).astype(float)
    eyes = 8.0 * towards / np.linalg.norm(towards, axis=1)[:, None]
    poses = np.array([exp(rng.normal(size=6)) for _ in eyes])
    scans = [partial_view(body(3000, seed=k)[0], eye, noise=0.002, seed=k) for k, eye in enumerate(eyes)]
    moved = [apply(invert(T), scan) for T, scan in zip(poses, scans, strict=True)]
    return moved, poses, [apply(invert(T), eye[None])[0] for T, eye in zip(poses, eyes, strict=True)]


def check(mesh: Mesh, scans: list[Array]) -> None:
    """One piece, within 0.2 sigma of the body (mean), both ways."""
    assert len(np.unique(pieces(mesh))) == 1
    sigma = SPACINGS * float(np.median([estimate_resolution(scan) for scan in scans]))
    dense = body(40_000, seed=99)[0]
    # The samples are dense, but not infinitely: what the nearest of them is off sideways is taken away.
    sideways = cKDTree(dense).query(body(5000, seed=98)[0])[0].mean()
    assert cKDTree(dense).query(mesh.vertices)[0].mean() < 0.2 * sigma + sideways
    corners = mesh.vertices[mesh.simplices]
    inside = np.vstack([corners.mean(axis=1), mesh.vertices])
    assert cKDTree(inside).query(dense)[0].mean() < 0.2 * sigma + 0.3 * sigma  # a cell is half a sigma


def test_one_sheet_with_known_sensors(views: Views) -> None:
    scans, poses, sensors = views
    mesh = surface_of_scans(scans, poses, viewpoints=sensors)
    check(mesh, scans)
    dense, normals = body(40_000, seed=99)
    nearest = cKDTree(dense).query(mesh.vertices)[1]
    assert (np.einsum("nk,nk->n", mesh.normals, normals[nearest]) > 0).mean() > 0.99
    area = mesh.measures.sum()
    assert area == pytest.approx(11.3, rel=0.05)  # two sheets would have twice that


def test_sensors_are_found(views: Views) -> None:
    scans, poses, sensors = views
    cell = float(np.median([estimate_resolution(scan) for scan in scans]))
    found = sensor_places(scans, list(poses), [None] * len(scans), cell, 1)
    for place, true, scan in zip(found, sensors, scans, strict=True):
        one, other = (p - scan.mean(axis=0) for p in (place, true))
        cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
        assert cosine > np.cos(np.radians(25.0))
    mesh = surface_of_scans(scans, poses)
    check(mesh, scans)


def test_holes_are_closed_on_request(views: Views) -> None:
    scans, poses, sensors = views
    few = surface_of_scans(scans[:4], poses[:4], viewpoints=sensors[:4])
    assert not few.closed
    closed = surface_of_scans(scans[:4], poses[:4], viewpoints=sensors[:4], holes="closed")
    assert closed.closed
    np.testing.assert_array_equal(closed.vertices[: len(few.vertices)], few.vertices)


def test_colours_and_viewpoints_come_with_the_scans(views: Views, tmp_path) -> None:
    scans, poses, sensors = views
    red = {"red": 255, "green": 0, "blue": 51}
    paths = []
    for k in range(3):
        columns = {name: np.full(len(scans[k]), value, np.uint8) for name, value in red.items()}
        paths.append(tmp_path / f"{k}.pcd")
        write_cloud(paths[-1], PointCloud(scans[k], columns, sensors[k]))
    mesh = surface_of_scans(paths, poses[:3])
    np.testing.assert_allclose(mesh.colours, np.tile([1.0, 0.0, 0.2], (len(mesh.vertices), 1)))
    plain = surface_of_scans(scans[:3], poses[:3], viewpoints=sensors[:3])
    np.testing.assert_array_equal(plain.vertices, mesh.vertices)
    assert plain.colours is None
    mesh.save(tmp_path / "mesh.ply")
    trimesh = pytest.importorskip("trimesh")
    theirs = trimesh.load(tmp_path / "mesh.ply", process=False)
    np.testing.assert_array_equal(theirs.visual.vertex_colors[:, :3], np.tile([255, 0, 51], (len(mesh.vertices), 1)))
    np.testing.assert_allclose(theirs.vertex_normals, mesh.normals, atol=1e-6)
    mesh.save(tmp_path / "mesh.obj")
    theirs = trimesh.load(tmp_path / "mesh.obj", process=False)
    assert len(theirs.faces) == len(mesh.simplices)


def test_curves_in_2d() -> None:
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    ring = np.c_[np.cos(angle), np.sin(angle)]
    poses = np.array([exp([0.5, 1.0, 2.0]), exp([-1.0, 0.0, 3.0])])
    halves = [apply(invert(poses[0]), ring[:220]), apply(invert(poses[1]), ring[180:])]
    sensors = [apply(invert(T), np.zeros((1, 2)))[0] for T in poses]
    mesh = surface_of_scans(halves, poses, viewpoints=sensors, holes="closed")
    assert mesh.closed
    off = np.abs(np.linalg.norm(mesh.vertices, axis=1) - 1.0)
    assert off.mean() < 0.001
    assert off.max() < 0.02  # beside the end of a half


def test_refused(views: Views) -> None:
    scans, poses, _ = views
    for wrong, match in (
        ({"poses": poses[:2]}, "one for each scan"),
        ({"poses": np.full((10, 4, 4), np.nan)}, "all are NaN"),
        ({"holes": "half"}, "holes"),
        ({"detail": 0.0}, "detail"),
        ({"viewpoints": [None]}, "viewpoints"),
        ({"poses": np.stack([np.eye(3)] * 10)}, "must have 2 coordinates"),
    ):
        with pytest.raises(InputError, match=match):
            surface_of_scans(**{"scans": scans, "poses": poses, **wrong})  # type: ignore[arg-type]
