"""`svgm mesh`: the surface of a mixture or of a point file, as a mesh."""

from __future__ import annotations

import time
from pathlib import Path

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
from svgm.geometry.points import Array
from svgm.io.mesh import MESH_SUFFIXES
from svgm.mixture.mixture import Mixture
from svgm.reconstruction.level_set import measure

#: Gamma for point files, as a multiple of gamma-hat: a surface needs more detail than a registration.
MESH_GAMMA = 64.0


@click.command()
@click.argument("given", type=INPUT, metavar="MIXTURE_OR_POINTS")
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
    picture: Path | None,
    threads: int | None,
    drop_nan: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compute the surface of a mixture as a mesh: triangles in 3D, line segments in 2D. Points are fitted first.

    \b
    svgm mesh scan.ply --two-class --viewpoint 0,0,1.5 -o surface.ply
    svgm mesh model.npz -o model.obj --picture model.png
    """
    chose_nu = context.get_parameter_source("nu") is not click.core.ParameterSource.DEFAULT
    if two_class and chose_nu:
        raise click.UsageError("--nu is a parameter of the one-class SVM, so it cannot be combined with --two-class.")
    if viewpoint is not None and not two_class:
        raise click.UsageError("--viewpoint needs --two-class: it tells on which side free space is.")
    check_suffix(output, MESH_SUFFIXES, "a mesh")
    check_outputs(output, picture)
    measure()
    check_picture(picture)
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
    seconds = time.perf_counter() - begin
    with spinner("writing", quiet=quiet or as_json), atomic_writes(output, picture) as (file, drawing):
        found.save(file)
        if picture is not None:
            from svgm import view

            view.mesh([("", found)], path=drawing)
    kind, size = ("segments", "length") if found.dimension == 2 else ("triangles", "area")
    fields = {
        "components": len(mixture),
        "sigma": mixture.sigma,
        "vertices": len(found.vertices),
        kind: len(found.simplices),
        size: float(found.measures.sum()),
        "closed": found.closed,
        "seconds": seconds,
    }
    if as_json:
        settings = {"two_class": two_class, "viewpoint": sensor, "gamma": gamma, "nu": nu, "level": level, "cell": cell}
        echo_json({"input": given, "output": output, **fields, "settings": settings, "version": svgm.__version__})
    elif not quiet:
        print_rows(fields.items())


def _fitted(value: Array | Mixture, two_class: bool, viewpoint: list[float] | None, gamma: float, nu: float) -> Mixture:
    if isinstance(value, Mixture):
        return value
    if two_class:
        return svgm.fit_two_class(value, gamma=gamma, viewpoint=viewpoint)
    return svgm.fit(value, nu=nu, gamma=gamma)
