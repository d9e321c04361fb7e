"""`svgm fit`: a mixture from a point file."""

from __future__ import annotations

import time
from pathlib import Path

import click

import svgm
from svgm.checks.errors import InputError
from svgm.cli.input_files import read_input
from svgm.cli.options import (
    INPUT,
    PATH,
    drop_nan_option,
    gamma_option,
    json_option,
    nu_option,
    picture_option,
    quiet_option,
    two_class_option,
)
from svgm.cli.output_files import atomic_writes, check_outputs, check_picture, check_suffix
from svgm.cli.printing import echo_json, print_rows
from svgm.cli.progress import spinner
from svgm.mixture.fit import COVARIANCES


@click.command()
@click.argument("points", type=INPUT)
@click.option("-o", "--output", type=PATH, required=True, metavar="FILE", help="Write the mixture to this .npz file.")
@nu_option
@gamma_option("", "1; with --two-class 64")
@click.option(
    "--scale",
    type=float,
    metavar="LENGTH",
    help="Length in the unit of the points, > 0, that gamma refers to: sigma = LENGTH / sqrt(G). Mixtures that are to "
    "be merged need the same sigma.  [default: sigma-hat of the points]",
)
@click.option("--like", type=INPUT, metavar="FILE", help="Use the sigma of this mixture, so that both can be merged.")
@click.option(
    "--covariance",
    type=click.Choice(COVARIANCES),
    default="isotropic",
    show_default=True,
    help="One sigma for all components, or for each the covariance of the points around it: flat on surfaces.",
)
@two_class_option
@picture_option("the points, the support vectors and the density")
@drop_nan_option
@json_option
@quiet_option
@click.pass_context
def fit(
    context: click.Context,
    points: Path,
    output: Path,
    nu: float,
    gamma: float | None,
    scale: float | None,
    like: Path | None,
    covariance: str,
    two_class: bool,
    picture: Path | None,
    drop_nan: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fit a support-vector Gaussian mixture to the points of a file.

    The summary shows the number of components, their sigma = scale / sqrt(gamma), the bias of the SVM, and the
    compression: points per component.

    \b
    svgm fit a.ply -o a.npz --gamma 4 --picture a.png
    svgm fit b.ply -o b.npz --like a.npz
    svgm fit c.ply -o c.npz --covariance full
    """
    if two_class and context.get_parameter_source("nu") is not click.core.ParameterSource.DEFAULT:
        raise click.UsageError("--nu is a parameter of the one-class SVM, so it cannot be combined with --two-class.")
    if like is not None and not (gamma is None and scale is None):
        raise click.UsageError("--like sets sigma, so it cannot be combined with --gamma or --scale.")
    if two_class and covariance == "full":
        raise click.UsageError("--covariance full is for the one-class SVM, so it cannot be combined with --two-class.")
    check_suffix(output, (".npz",), "a mixture")
    check_picture(picture)
    check_outputs(output, picture)
    with spinner("reading", quiet=quiet or as_json):
        given = read_input(points, drop_nan).value
    if isinstance(given, svgm.Mixture):
        raise InputError(f"{points.name} holds a mixture, and svgm fit needs points")
    if like is not None:
        gamma, scale = 1.0, svgm.Mixture.load(like).sigma
    begin = time.perf_counter()
    with spinner("fitting", quiet=quiet or as_json):
        if two_class:
            mixture = svgm.fit_two_class(given, gamma=gamma, scale=scale)
        else:
            mixture = svgm.fit(given, nu=nu, gamma=gamma, scale=scale, covariance=covariance)
    seconds = time.perf_counter() - begin
    with spinner("writing", quiet=quiet or as_json), atomic_writes(output, picture) as (mixture_file, picture_file):
        mixture.save(mixture_file)
        if picture is not None:
            from svgm import view

            view.fitted(mixture, given, path=picture_file)
    fields = {
        "points": len(given),
        "components": len(mixture),
        "compression": len(given) / len(mixture),
        "dimension": mixture.dimension,
        "sigma": mixture.sigma,
        "covariances": "isotropic" if mixture.covariances is None else "full",
        "bias": mixture.bias,
        "negative": int((mixture.weights < 0).sum()),
        "seconds": seconds,
    }
    if as_json:
        settings = {
            "nu": None if two_class else nu,
            "gamma": gamma,
            "scale": scale,
            "two_class": two_class,
            "covariance": covariance,
        }
        echo_json({"input": points, "output": output, **fields, "settings": settings, "version": svgm.__version__})
    elif not quiet:
        if not two_class:
            del fields["negative"]
        print_rows(fields.items())
