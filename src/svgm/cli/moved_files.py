"""Files of moved points or mixtures, by a transform of any kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import svgm
from svgm.cli.output_files import check_suffix
from svgm.geometry.points import Array
from svgm.geometry.transforms import Affine, Deformation
from svgm.io import WRITABLE, read_properties
from svgm.io.formats import ply
from svgm.mixture.mixture import Mixture


def check_moved(output: Path | None, moving: Array | Mixture) -> None:
    """Raise a FileError if what is moved cannot be written to a file of this suffix."""
    if isinstance(moving, Mixture):
        check_suffix(output, (".npz",), "a moved mixture")
    else:
        suffixes = WRITABLE if moving.shape[1] == 3 else tuple(s for s in WRITABLE if s not in (".las", ".laz"))
        check_suffix(output, suffixes, f"moved {moving.shape[1]}D points")


def write_moved(path: Path, source: Path, moving: Array | Mixture, transform: Affine | Deformation) -> None:
    """Write what is moved. From a PLY file to a PLY file, other columns are kept and normals are rotated.

    The components of a mixture that is deformed keep their variance.
    """
    if isinstance(moving, Mixture):
        if isinstance(transform, Deformation):
            Mixture(transform.apply(moving.means), moving.variance, moving.weights).save(path)
        else:
            moving.transformed(transform.matrix).save(path)
    elif source.suffix.lower() == path.suffix.lower() == ".ply":
        columns = dict(read_properties(source))
        names = [f"n{axis}" for axis in "xyz"]
        if transform.dimension == 3 and all(name in columns and columns[name].dtype.kind == "f" for name in names):
            normals = np.column_stack([columns[name].astype(np.float64) for name in names])
            turned = _turned(normals, transform, moving)
            columns |= {name: turned[:, k].astype(columns[name].dtype) for k, name in enumerate(names)}
        ply.write(path, transform.apply(moving), properties=columns)
    else:
        svgm.write_points(path, transform.apply(moving))


def _turned(normals: Array, transform: Affine | Deformation, points: Array) -> Array:
    """Normals of a surface after the map, of the same lengths."""
    if isinstance(transform, Affine):
        linear = transform.matrix[:-1, :-1]
        if np.allclose(linear @ linear.T, np.eye(len(linear)), rtol=0.0, atol=1e-9):
            return normals @ linear.T
        turned = normals @ np.linalg.inv(linear)
    else:
        turned = np.einsum("ni,nij->nj", normals, np.linalg.pinv(transform.jacobian(points)))
    lengths = np.linalg.norm(normals, axis=1) / np.maximum(np.linalg.norm(turned, axis=1), np.finfo(float).tiny)
    return np.asarray(turned * lengths[:, None], dtype=np.float64)
