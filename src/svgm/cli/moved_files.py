"""Files of moved points or mixtures, by a transform of any kind."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from svgm.cli.input_files import Input
from svgm.cli.output_files import check_suffix
from svgm.geometry.points import Array
from svgm.geometry.transforms import Affine, Deformation
from svgm.io import WRITABLE, PointCloud, write_cloud
from svgm.io.cloud import NORMALS
from svgm.mixture.mixture import Mixture


def check_moved(output: Path | None, moving: Array | Mixture) -> None:
    """Raise a FileError if what is moved cannot be written to a file of this suffix."""
    if isinstance(moving, Mixture):
        check_suffix(output, (".npz",), "a moved mixture")
    else:
        suffixes = WRITABLE if moving.shape[1] == 3 else tuple(s for s in WRITABLE if s not in (".las", ".laz"))
        check_suffix(output, suffixes, f"moved {moving.shape[1]}D points")


def write_moved(path: Path, given: Input, transform: Affine | Deformation) -> tuple[str, ...]:
    """Write what is moved, with its columns, the normals turned. Returns what the format cannot hold.

    The components of a mixture that is deformed keep their variance.
    """
    moving = given.value
    if not isinstance(moving, Mixture):
        assert given.cloud is not None
        return write_cloud(path, _moved(given.cloud, transform))
    if isinstance(transform, Deformation):
        Mixture(transform.apply(moving.means), moving.variance, moving.weights).save(path)
    else:
        moving.transformed(transform.matrix).save(path)
    return ()


def echo_lost(lost: tuple[str, ...], source: Path, output: Path) -> None:
    """Say on standard error which columns of the source its moved file does not have."""
    if lost:
        click.echo(f"warning: {output.suffix} files cannot hold {', '.join(lost)} of {source.name}", err=True)


def _moved(cloud: PointCloud, transform: Affine | Deformation) -> PointCloud:
    columns, normals = dict(cloud.columns), cloud.normals
    if transform.dimension == 3 and normals is not None and all(columns[name].dtype.kind == "f" for name in NORMALS):
        turned = _turned(normals, transform, cloud.points)
        columns |= {name: turned[:, k].astype(columns[name].dtype) for k, name in enumerate(NORMALS)}
    viewpoint = None if cloud.viewpoint is None else transform.apply(cloud.viewpoint[None])[0]
    return PointCloud(transform.apply(cloud.points), columns, viewpoint, cloud.dropped)


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
