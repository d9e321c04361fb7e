"""`svgm mesh`: the surface of a mixture or of a point file."""

from __future__ import annotations

import time
from pathlib import Path

import click

import svgm
from svgm.checks.errors import InputError
from svgm.cli.inputs import dimension_of, read_set
from svgm.cli.options import INPUT, PATH, SHOWN, json_option, nu_option, quiet_option
from svgm.cli.outputs import check_outputs, check_picture, check_suffix, echo_json, together
from svgm.cli.progress import one_bar, spinner
from svgm.cli.table import show
from svgm.geometry.points import Array
from svgm.io.mesh import MESHES
from svgm.mixture.mixture import Mixture
from svgm.reconstruction.level_set import measure

#: Of point files, one-class and two-class, as a multiple of gamma-hat: a surface is to show detail.
GAMMA = 64.0


@click.command()
@click.argument("given", type=INPUT, metavar="MIXTURE_OR_POINTS")
@click.option("-o", "--output", type=PATH, required=True, metavar="FILE", help="Write the mesh here (.ply, .obj).")
@click.option("--two-class", is_flag=True, help="Fit points against free space beside them: finer detail.")
@click.option(
    "--viewpoint",
    metavar="X,Y[,Z]",
    help="Where the sensor stood: only the seen side is free space, and the surface is one sheet. With --two-class.",
)
@click.option("--gamma", type=float, metavar="G", help="Of point files, a multiple of gamma-hat.  [default: 64]")
@nu_option
@click.option(
    "--level",
    type=float,
    metavar="L",
    help="Of a density, in units of its bias; of two classes, 1 is the surface.  [default: 0.5; with a viewpoint 1]",
)
@click.option("--cell", type=float, default=0.5, metavar="C", help="Of the grid, as a share of sigma.", **SHOWN)
@click.option("--picture", type=PATH, metavar="FILE", help="Draw the mesh (.png, .pdf, .svg).")
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
    as_json: bool,
    quiet: bool,
) -> None:
    """Draw the surface of a mixture, or of points that are fitted first, as triangles, in 2D as lines.

    \b
    svgm mesh scan.ply --two-class --viewpoint 0,0,1.5 -o surface.ply
    svgm mesh model.npz -o model.obj --picture model.png
    """
    chose_nu = context.get_parameter_source("nu") is not click.core.ParameterSource.DEFAULT
    if two_class and chose_nu:
        raise click.UsageError("--nu belongs to the one-class SVM and cannot be combined with --two-class.")
    if viewpoint is not None and not two_class:
        raise click.UsageError("--viewpoint tells on which side free space is and needs --two-class.")
    check_suffix(output, MESHES, "a mesh")
    check_outputs(output, picture)
    measure()
    check_picture(picture)
    with spinner("reading", quiet=quiet or as_json):
        value = read_set(given)
    if isinstance(value, Mixture) and (two_class or gamma is not None or chose_nu):
        raise InputError("--two-class, --gamma and --nu are for point files, a mixture is fitted already")
    sensor = None if viewpoint is None else numbers("viewpoint", viewpoint, dimension_of(value))
    begin = time.perf_counter()
    with spinner("fitting", quiet=quiet or as_json):
        mixture = _fitted(value, two_class, sensor, GAMMA if gamma is None else gamma, nu)
    with one_bar("meshing", quiet=quiet or as_json) as progress:
        found = svgm.surface(mixture, level=level, cell=cell, progress=progress)
    seconds = time.perf_counter() - begin
    with spinner("writing", quiet=quiet or as_json), together(output, picture) as (file, drawing):
        found.save(file)
        if picture is not None:
            from svgm import view

            view.mesh([("", found)], drawing)
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
        show(fields.items())


def numbers(option: str, text: str, count: int) -> list[float]:
    """Numbers from an option, with commas between them."""
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        values = []
    if len(values) != count:
        raise InputError(f"{option} must be {count} numbers with commas between them, got {text!r}")
    return values


def _fitted(value: Array | Mixture, two_class: bool, viewpoint: list[float] | None, gamma: float, nu: float) -> Mixture:
    if isinstance(value, Mixture):
        return value
    if two_class:
        return svgm.fit_two_class(value, gamma=gamma, viewpoint=viewpoint)
    return svgm.fit(value, nu=nu, gamma=gamma)
