"""Distances to a mesh, against trimesh's; the bar on one scan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh

import svgm
from benchmarks.datasets import dragon_scans
from benchmarks.mapping.distance import to_mesh
from benchmarks.mapping.mesh import VIEWPOINT


def test_distances_are_those_of_trimesh(rng: np.random.Generator) -> None:
    solid = trimesh.creation.icosphere(subdivisions=2)
    mesh = svgm.Mesh(np.asarray(solid.vertices), np.asarray(solid.faces))
    points = 1.5 * rng.standard_normal((40, 3))
    every = np.repeat(points, len(solid.faces), axis=0)
    nearest = trimesh.triangles.closest_point(np.tile(solid.triangles, (40, 1, 1)), every)
    expected = np.linalg.norm(nearest - every, axis=1).reshape(40, -1).min(axis=1)
    assert np.allclose(to_mesh(points, mesh), expected, atol=1e-12)


def test_points_left_out_of_a_dragon_scan_lie_on_its_surface(data: Path) -> None:
    scan = dragon_scans()[0][3]
    held = np.random.default_rng(0).random(len(scan)) < 0.2
    mixture = svgm.fit_two_class(scan[~held], scale=0.002, gamma=1, viewpoint=VIEWPOINT)
    assert np.median(to_mesh(scan[held], svgm.surface(mixture))) < 0.0002
