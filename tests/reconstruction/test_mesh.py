"""Mesh: the record, and its files as other programs read them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import plyfile
import pytest
import trimesh

from svgm import FileError, InputError, Mesh, read_points
from svgm.io import mesh as mesh_files

SQUARE = Mesh([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1 / 3]], [[0, 1], [1, 2], [2, 3], [3, 0]])
CORNER = Mesh(
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1 / 3]],
    [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
)


def test_a_mesh_says_what_it_is() -> None:
    assert repr(CORNER) == "Mesh(4 vertices, 4 triangles in 3D, area 1.386)"
    assert SQUARE.closed
    assert CORNER.closed
    assert not Mesh(CORNER.vertices, CORNER.simplices[1:]).closed
    assert CORNER.measures[0] == 0.5


def test_a_mesh_is_frozen_and_its_own() -> None:
    vertices = np.array(CORNER.vertices)
    mesh = Mesh(vertices, CORNER.simplices)
    vertices[0] = 9.0
    assert mesh.vertices[0, 0] == 0.0
    with pytest.raises(ValueError):
        mesh.vertices[0] = 1.0
    with pytest.raises(ValueError):
        mesh.simplices[0] = 1


@pytest.mark.parametrize(
    ("vertices", "simplices", "match"),
    [
        ([[0.0]], [[0]], "2 or 3 coordinates"),
        ([[0.0, np.nan]], [[0, 0]], "finite"),
        ([[0.0, 0.0]], [[0, 1]], "must be indices of vertices from 0 to 0"),
        ([[0.0, 0.0]], [[0, -1]], "must be indices of vertices from 0 to 0"),
        ([[0.0, 0.0]], [[0, 0, 0]], r"shape \(m, 2\)"),
        ([[0.0, 0.0]], [[0.0, 0.0]], "whole numbers"),
    ],
)
def test_bad_meshes_are_named(vertices: object, simplices: object, match: str) -> None:
    with pytest.raises(InputError, match=match):
        Mesh(vertices, simplices)


def test_ply_faces(tmp_path: Path) -> None:
    CORNER.save(tmp_path / "a.ply")
    other = trimesh.load(tmp_path / "a.ply", process=False)
    assert np.array_equal(other.vertices, CORNER.vertices)
    assert np.array_equal(other.faces, CORNER.simplices)
    assert np.array_equal(read_points(tmp_path / "a.ply"), CORNER.vertices)


def test_ply_edges(tmp_path: Path) -> None:
    SQUARE.save(tmp_path / "a.ply")
    edges = plyfile.PlyData.read(tmp_path / "a.ply")["edge"]
    assert np.array_equal(np.c_[edges["vertex1"], edges["vertex2"]], SQUARE.simplices)
    assert np.array_equal(read_points(tmp_path / "a.ply"), SQUARE.vertices)


def test_obj_faces_and_lines(tmp_path: Path) -> None:
    CORNER.save(tmp_path / "a.OBJ")
    other = trimesh.load(tmp_path / "a.OBJ", process=False, file_type="obj", maintain_order=True)
    assert np.allclose(other.vertices[other.faces], CORNER.vertices[CORNER.simplices], atol=1e-15)
    assert np.array_equal(read_points(tmp_path / "a.OBJ"), CORNER.vertices)
    SQUARE.save(tmp_path / "b.obj")
    assert (tmp_path / "b.obj").read_text().splitlines()[3:6] == [f"v 0.0 {1 / 3!r} 0.0", "l 1 2", "l 2 3"]


def test_a_mesh_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError, match=r"a mesh cannot be written as '\.stl'"):
        CORNER.save(tmp_path / "a.stl")
    with pytest.raises(FileError, match="folder does not exist"):
        CORNER.save(tmp_path / "no" / "a.ply")

    def full(path: Path, *_: object) -> None:
        path.write_bytes(b"ply")
        raise OSError(28, "No space left on device")

    (tmp_path / "a.ply").write_text("before")
    monkeypatch.setattr(mesh_files, "_write_ply", full)
    with pytest.raises(FileError, match="No space left"):
        CORNER.save(tmp_path / "a.ply")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]
