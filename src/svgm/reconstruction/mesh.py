"""Mesh: a curve in 2D or a surface in 3D, as vertices and the segments or triangles between them."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svgm.checks.arguments import as_finite, as_indices, shown
from svgm.checks.errors import InputError
from svgm.checks.types import Array, PointsLike
from svgm.geometry.points import as_points


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Mesh:
    """Vertices, and segments (in 2D) or triangles (in 3D) between them.

    Parameters
    ----------
    vertices : PointsLike, shape (n, d)
        Positions in 2D or 3D.
    simplices : array_like of int, shape (m, d)
        Indices of vertices, 0 to n - 1.  Triangles are counterclockwise seen from outside, where the density is lower.
        Segments have the outside on their right.

    colours : array_like, shape (n, 3), optional
        Red, green and blue of the vertices, each from 0 to 1.

    Raises
    ------
    InputError
        If an argument is not as described.

    Examples
    --------
    >>> triangle = Mesh([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]], [[0, 1], [1, 2], [2, 0]])
    >>> triangle
    Mesh(3 vertices, 3 segments in 2D, length 12)
    >>> triangle.dimension, triangle.closed, triangle.measures.tolist()
    (2, True, [3.0, 5.0, 4.0])
    >>> triangle.normals.round(2).tolist(), triangle.colours
    ([[-0.8, -0.6], [1.0, 0.0], [0.0, 1.0]], None)
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     triangle.save(f"{folder}/triangle.obj")
    ...     print(pathlib.Path(folder, "triangle.obj").read_text().splitlines()[-1])
    l 3 1
    """

    vertices: Array
    simplices: NDArray[np.int64]
    colours: Array | None

    def __init__(self, vertices: PointsLike, simplices: ArrayLike, colours: ArrayLike | None = None) -> None:
        vertices = as_points(vertices, "vertices", dimensions=(2, 3))
        simplices = as_indices(simplices, "simplices", vertices.shape[1], "vertices", len(vertices))
        vertices.setflags(write=False)
        simplices.setflags(write=False)
        if colours is not None:
            colours = as_finite(colours, "colours", 3)
            if colours.shape != (len(vertices), 3) or colours.min() < 0 or colours.max() > 1:
                rule = f"{len(vertices)} rows of red, green and blue from 0 to 1"
                raise InputError(f"colours must be {rule}, got {shown(colours)}")
            colours = colours.copy()
            colours.setflags(write=False)
        self.__dict__.update(vertices=vertices, simplices=simplices, colours=colours)

    def __repr__(self) -> str:
        kind, size = ("segments", "length") if self.dimension == 2 else ("triangles", "area")
        return (
            f"Mesh({len(self.vertices)} vertices, {len(self.simplices)} {kind} in {self.dimension}D, "
            f"{size} {self.measures.sum():.4g})"
        )

    @property
    def dimension(self) -> int:
        """Number of coordinates of a vertex."""
        return int(self.vertices.shape[1])

    @property
    def closed(self) -> bool:
        """Whether the mesh has no border: every edge is in two triangles, or every vertex in two segments."""
        d = self.dimension
        sides = np.vstack([np.delete(self.simplices, k, axis=1) for k in range(d)])
        _, counts = np.unique(np.sort(sides, axis=1), axis=0, return_counts=True)
        return bool((counts == 2).all())

    @property
    def measures(self) -> Array:
        """Length of each segment or area of each triangle, (m,), in the unit of the vertices or its square."""
        corners = self.vertices[self.simplices]
        sides = corners[:, 1:] - corners[:, :1]
        if self.dimension == 2:
            lengths: Array = np.linalg.norm(sides[:, 0], axis=1)
            return lengths
        areas: Array = 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
        return areas

    @property
    def normals(self) -> Array:
        """Unit normals of the vertices, (n, d): they point to where the density is lower, which a sensor has seen."""
        return vertex_normals(self.vertices, self.simplices)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the mesh to a .ply or .obj file, with its colours, and in 3D the normals.

        If writing fails (FileError), no partial file is left.
        """
        from svgm.io.mesh import write_mesh

        normals = self.normals if self.dimension == 3 else None
        write_mesh(path, self.vertices, self.simplices, normals=normals, colours=self.colours)


def vertex_normals(vertices: Array, simplices: NDArray[np.int64]) -> Array:
    """Unit normals of vertices: the means of those of their triangles or segments, weighted by measure.

    They point to where the density is lower. A vertex without a simplex has the normal 0.

    >>> vertex_normals(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]))[0]
    array([0., 0., 1.])
    """
    corners = vertices[simplices]
    if vertices.shape[1] == 2:
        along = corners[:, 1] - corners[:, 0]
        across = np.column_stack([along[:, 1], -along[:, 0]])
    else:
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sums = np.column_stack(
        [
            np.bincount(simplices.ravel(), np.repeat(axis, simplices.shape[1]), minlength=len(vertices))
            for axis in across.T
        ]
    )
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    normals: Array = np.divide(sums, length, out=np.zeros_like(sums), where=length > 0)
    return normals
