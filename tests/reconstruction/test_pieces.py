"""Pieces of a mesh, its borders, and what closes them."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Mesh
from svgm.reconstruction.mesh import vertex_normals
from svgm.reconstruction.pieces import borders, pieces, without_holes, without_strays

TETRAHEDRON = np.array([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_pieces_and_strays() -> None:
    both = Mesh(np.vstack([CORNERS, 0.01 * CORNERS + 5.0]), np.vstack([TETRAHEDRON, TETRAHEDRON + 4]))
    assert pieces(both).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    kept = without_strays(both)
    np.testing.assert_array_equal(kept.vertices, CORNERS)
    np.testing.assert_array_equal(kept.simplices, TETRAHEDRON)
    assert len(without_strays(both, 1e-6).simplices) == 8


def test_a_hole_is_closed_with_the_same_orientation() -> None:
    open_mesh = Mesh(CORNERS, TETRAHEDRON[:3], colours=np.eye(4)[:, :3])
    (loop,) = borders(open_mesh)
    assert sorted(loop) == [1, 2, 3]
    closed = without_holes(open_mesh)
    assert closed.closed
    a, b, c = (closed.vertices[closed.simplices[:, k]] for k in range(3))
    assert np.einsum("nk,nk->n", a, np.cross(b, c)).sum() / 6 == pytest.approx(1 / 6)  # the volume, positive
    np.testing.assert_allclose(closed.colours[-1], np.eye(4)[1:, :3].mean(axis=0))
    assert without_holes(closed).simplices.shape == closed.simplices.shape


def test_two_holes_that_touch_in_a_vertex() -> None:
    # A strip around a square hole and a second one that shares a corner with it.
    fan = [[0, 1, 2], [0, 3, 4]]
    mesh = Mesh(np.random.default_rng(0).normal(size=(5, 3)), fan)
    assert sorted(map(len, borders(mesh))) == [3, 3]
    assert without_holes(mesh).closed


def test_lines_are_closed_too() -> None:
    chain = Mesh([[0, 0], [1, 0], [1, 1], [5, 5], [6, 5], [6, 6]], [[0, 1], [1, 2], [3, 4], [4, 5]])
    closed = without_holes(chain)
    assert closed.closed
    assert closed.simplices[4:].tolist() == [[2, 0], [5, 3]]


def test_normals_of_vertices_point_outwards() -> None:
    normals = vertex_normals(CORNERS, TETRAHEDRON)
    outwards = CORNERS - CORNERS.mean(axis=0)
    assert (np.einsum("nk,nk->n", normals, outwards) > 0).all()
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0)
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    around = vertex_normals(square, np.array([[0, 1], [1, 2], [2, 3], [3, 0]]))
    np.testing.assert_allclose(around, np.sqrt(0.5) * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))
