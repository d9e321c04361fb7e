"""`svgm mesh`: the surface of a mixture, of a point file or of the scans of a map, as a mesh."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

import svgm
from svgm.checks.errors import InputError
from svgm.cli.input_files import dimension_of, parse_numbers, read_set
from svgm.cli.options import (
    INPUT,
    PATH,
    drop_nan_option,
    gamma_option,
    json_option,
    nu_option,
    picture_option,
    quiet_option,
    threads_option,
    two_class_option,
)
from svgm.cli.output_files import atomic_writes, check_outputs, check_picture, check_suffix
from svgm.cli.printing import echo_json, print_rows
from svgm.cli.progress import one_bar, spinner
from svgm.cli.scans_of_map import is_map_folder, scans_of_map
from svgm.cli.suggestions import Choice
from svgm.geometry.points import Array
from svgm.io.mesh import MESH_SUFFIXES
from svgm.mixture.mixture import Mixture
from svgm.reconstruction.level_set import measure
from svgm.reconstruction.mesh import Mesh
from svgm.reconstruction.pieces import without_holes
from svgm.reconstruction.scans import HOLES, surface_of_scans

#: Gamma for point files, as a multiple of gamma-hat: a surface needs more detail than a registration.
MESH_GAMMA = 64.0


@click.command()
@click.argument("given", type=INPUT, metavar="MAP_OR_MIXTURE_OR_POINTS")
@click.option(
    "-o", "--output", type=PATH, required=True, metavar="FILE", help="Write the mesh to this .ply or .obj file."
)
@two_class_option
@click.option(
    "--viewpoint",
    metavar="X,Y[,Z]",
    help="Position of the sensor, in the coordinates of the points; needs --two-class. With it, only the side that the "
    "sensor saw is free space, and the surface has one layer.",
)
@gamma_option(" for a point file", f"{MESH_GAMMA:g}")
@nu_option
@click.option(
    "--level",
    type=float,
    metavar="L",
    help="Value at which the surface is cut out. One-class mixture: a density in units of the bias, > 0. Two-class "
    "mixture: 1 is the surface, 0 the middle between surface and free space.  [default: 0.5; with a viewpoint 1]",
)
@click.option(
    "--cell",
    type=float,
    default=0.5,
    metavar="C",
    show_default=True,
    help="Side of a cell of the grid as a share of sigma, > 0. Smaller cells give a finer mesh and take longer.",
)
@click.option(
    "--detail",
    type=float,
    default=1.0,
    metavar="D",
    show_default=True,
    help="Detail of the mesh of a map, 0.01 to 100: sigma is 2.5 times the spacing of the points, divided by D.",
)
@click.option(
    "--holes",
    type=Choice(HOLES),
    default="open",
    show_default=True,
    help="Holes, where nothing was measured, stay open, or each is closed by a patch: the mesh becomes watertight.",
)
@picture_option("the mesh")
@threads_option
@drop_nan_option
@json_option
@quiet_option
@click.pass_context
def mesh(
    context: click.Context,
    given: Path,
    output: Path,
    two_class: bool,
    viewpoint: str | None,
    gamma: float | None,
    nu: float,
    level: float | None,
    cell: float,
    detail: float,
    holes: str,
    picture: Path | None,
    threads: int | None,
    drop_nan: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compute the surface of a map, a mixture or points as a mesh: triangles in 3D, line segments in 2D.

    Of the output folder of svgm map, the scans are read again. Each gets free space on the side of its sensor (that of
    its file, else estimated), and all are merged into one sheet, without stray pieces, with the colours of the scans.
    Points are fitted first. The mesh of a mixture or of points has the normals, and two sides where the side of the
    sensor is not known.

    \b
    svgm mesh drive-map/ -o drive.ply
    svgm mesh statue-map/ -o statue.ply --holes closed
    svgm mesh scan.ply --two-class --viewpoint 0,0,1.5 -o surface.ply
    svgm mesh model.npz -o model.obj --picture model.png
    """
    chose_nu = context.get_parameter_source("nu") is not click.core.ParameterSource.DEFAULT
    if two_class and chose_nu:
        raise click.UsageError("--nu is a parameter of the one-class SVM, so it cannot be combined with --two-class.")
    if viewpoint is not None and not two_class:
        raise click.UsageError("--viewpoint needs --two-class: it tells on which side free space is.")
    source = context.get_parameter_source
    default = click.core.ParameterSource.DEFAULT
    check_suffix(output, MESH_SUFFIXES, "a mesh")
    check_outputs(output, picture)
    measure()
    check_picture(picture)
    of_map = is_map_folder(given)
    only = ("two_class", "viewpoint", "gamma", "nu", "level", "cell") if of_map else ("detail",)
    for name in only:
        if source(name) is not default:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} is {'not ' if of_map else ''}for the output folder of svgm map.")
    if of_map:
        begin = time.perf_counter()
        with spinner("reading", quiet=quiet or as_json):
            clouds, poses, names = scans_of_map(given, drop_nan)
        with one_bar("meshing", quiet=quiet or as_json) as progress:
            sheet = surface_of_scans(clouds, poses, detail=detail, holes=holes, threads=threads, progress=progress)
        fields: dict[str, Any] = {"scans": len(names)}
        settings: dict[str, Any] = {"detail": detail, "holes": holes}
        _write(given, sheet, output, picture, fields, settings, time.perf_counter() - begin, as_json, quiet)
        return
    with spinner("reading", quiet=quiet or as_json):
        value = read_set(given, drop_nan)
    if isinstance(value, Mixture) and (two_class or gamma is not None or chose_nu):
        raise InputError("--two-class, --gamma and --nu are for point files only: a mixture is already fitted")
    sensor = None if viewpoint is None else parse_numbers("viewpoint", viewpoint, dimension_of(value))
    begin = time.perf_counter()
    with spinner("fitting", quiet=quiet or as_json):
        mixture = _fitted(value, two_class, sensor, MESH_GAMMA if gamma is None else gamma, nu)
    with one_bar("meshing", quiet=quiet or as_json) as progress:
        found = svgm.surface(mixture, level=level, cell=cell, threads=threads, progress=progress)
    if holes == "closed":
        found = without_holes(found)
    settings = {"two_class": two_class, "viewpoint": sensor, "gamma": gamma, "nu": nu, "level": level, "cell": cell}
    fields = {"components": len(mixture), "sigma": mixture.sigma}
    seconds = time.perf_counter() - begin
    _write(given, found, output, picture, fields, {**settings, "holes": holes}, seconds, as_json, quiet)


def _write(
    given: Path,
    found: Mesh,
    output: Path,
    picture: Path | None,
    fields: dict[str, Any],
    settings: dict[str, Any],
    seconds: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a mesh and a picture of it, and print the summary."""
    with spinner("writing", quiet=quiet or as_json), atomic_writes(output, picture) as (file, drawing):
        found.save(file)
        if picture is not None:
            from svgm import view

            view.mesh([("", found)], path=drawing)
    kind, size = ("segments", "length") if found.dimension == 2 else ("triangles", "area")
    rows = {
        **fields,
        "vertices": len(found.vertices),
        kind: len(found.simplices),
        size: float(found.measures.sum()),
        "closed": found.closed,
        "seconds": seconds,
    }
    if as_json:
        echo_json({"input": given, "output": output, **rows, "settings": settings, "version": svgm.__version__})
    elif not quiet:
        print_rows(rows.items())


def _fitted(value: Array | Mixture, two_class: bool, viewpoint: list[float] | None, gamma: float, nu: float) -> Mixture:
    if isinstance(value, Mixture):
        return value
    if two_class:
        return svgm.fit_two_class(value, gamma=gamma, viewpoint=viewpoint)
    return svgm.fit(value, nu=nu, gamma=gamma)
