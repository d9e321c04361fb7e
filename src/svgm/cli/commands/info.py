"""`svgm info`: what files hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import svgm
from svgm.checks.errors import InputError
from svgm.cli.input_files import point_files, read_input
from svgm.cli.options import INPUT, drop_nan_option, json_option, quiet_option
from svgm.cli.printing import echo_json, print_rows
from svgm.cli.progress import one_bar
from svgm.geometry.points import Array
from svgm.geometry.scale import estimate_resolution
from svgm.io import PointCloud
from svgm.io.bags import holds_bag
from svgm.mixture.mixture import Mixture


@click.command()
@click.argument("files", type=INPUT, nargs=-1, required=True, metavar="FILE...")
@drop_nan_option
@json_option
@quiet_option
def info(files: tuple[Path, ...], drop_nan: bool, as_json: bool, quiet: bool) -> None:
    """Print what each FILE holds: points or a mixture, their number, extent and scale.

    FILE may be a folder with point files.

    sigma-hat is the length that gamma refers to: gamma-hat = 1 / (2 sigma-hat²). The resolution is the median distance
    of a point from its nearest neighbour.

    \b
    svgm info scan.ply model.npz
    svgm info drive/
    """
    # All files are read before the first row is printed: if one is bad, its error is the only output.
    found = []
    files = tuple(file for given in files for file in (point_files(given) if many(given) else [given]))
    with one_bar("reading", quiet=quiet or as_json) as progress:
        for path in files:
            given = read_input(path, drop_nan, columns=True)
            found.append({"file": path, **describe(given.value), **describe_more(given.cloud)})
            if progress is not None:
                progress("reading", len(found), len(files))
    if as_json:
        echo_json(found)
        return
    for fields in found:
        title = str(fields.pop("file"))
        print_rows(((name.replace("_", "-"), value) for name, value in fields.items()), title=title, stdout=True)


def many(path: Path) -> bool:
    """Whether a path is a folder of point files, and not a bag of ROS 2."""
    return path.is_dir() and not holds_bag(path)


def describe(value: Array | Mixture) -> dict[str, Any]:
    """The rows of a point set or a mixture."""
    if isinstance(value, Mixture):
        return {
            "kind": "mixture",
            "components": len(value),
            "negative": int((value.weights < 0).sum()),
            "dimension": value.dimension,
            "extent": extent(value.means),
            "sigma": value.sigma,
            "covariances": "isotropic" if value.covariances is None else "full",
            "bias": value.bias,
        }
    try:
        scale: float | None = svgm.estimate_scale(value)
        resolution: float | None = estimate_resolution(value)
    except InputError:  # all points coincide
        scale = resolution = None
    return {
        "kind": "points",
        "points": len(value),
        "dimension": value.shape[1],
        "extent": extent(value),
        "centre": [float(x) for x in 0.5 * (value.min(axis=0) + value.max(axis=0))],
        "sigma_hat": scale,
        "resolution": resolution,
    }


def describe_more(cloud: PointCloud | None) -> dict[str, Any]:
    """The rows of what a point file tells beside the coordinates."""
    if cloud is None:
        return {}
    return {
        **({"columns": " ".join(cloud.columns)} if cloud.columns else {}),
        **({"viewpoint": cloud.viewpoint.tolist()} if cloud.viewpoint is not None else {}),
        **({"dropped": cloud.dropped} if cloud.dropped else {}),
    }


def extent(points: Array) -> list[float]:
    """The sides of the bounding box."""
    return [float(x) for x in points.max(axis=0) - points.min(axis=0)]
