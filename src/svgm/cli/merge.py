"""`svgm merge`: one mixture from two."""

from __future__ import annotations

import math
import time
from pathlib import Path

import click
import numpy as np

import svgm
from svgm.checks.errors import InputError
from svgm.cli.inputs import dimension_of, read_matrix, read_set
from svgm.cli.options import INPUT, PATH, json_option, nu_option, quiet_option
from svgm.cli.outputs import PAGES, check_outputs, check_suffix, echo_json, together
from svgm.cli.progress import spinner
from svgm.cli.table import show
from svgm.geometry.points import Array
from svgm.mapping.scan import natural_sigma
from svgm.mixture.mixture import Mixture

#: Mixtures that correlate less than this have nothing in common.
APART = 1e-3


@click.command()
@click.argument("source", type=INPUT)
@click.argument("target", type=INPUT)
@click.option("-o", "--output", type=PATH, required=True, metavar="FILE", help="Write the merged mixture here (.npz).")
@click.option("--transform", type=INPUT, metavar="FILE", help="Move SOURCE by this matrix first; - is stdin.")
@click.option(
    "--t", type=float, default=math.inf, metavar="T", show_default=True, help="0 adds nothing, inf all that is new."
)
@click.option("--naive", is_flag=True, help="The plain sum: what both saw counts twice.")
@click.option(
    "--gamma",
    type=float,
    metavar="G",
    help="Of point files, times gamma-hat.  [default: as fine as the points]",
)
@nu_option
@click.option("--html", type=PATH, metavar="FILE", help="Show what comes from where, as one .html file to look at.")
@json_option
@quiet_option
@click.pass_context
def merge(
    context: click.Context,
    source: Path,
    target: Path,
    output: Path,
    transform: Path | None,
    t: float,
    naive: bool,
    gamma: float | None,
    nu: float,
    html: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Merge SOURCE into TARGET without counting twice what both saw.

    Both are mixtures of one sigma (.npz of svgm fit, the second with --like the first), or point files, which are
    fitted first, at a common scale or at that of the other's mixture.

    \b
    svgm register a.ply b.ply > T.txt
    svgm merge a.ply b.ply --transform T.txt -o model.npz --html model.html
    """
    default = click.core.ParameterSource.DEFAULT
    if naive and context.get_parameter_source("t") is not default:
        raise click.UsageError("--t belongs to the merging that --naive turns off.")
    check_suffix(output, (".npz",), "a mixture")
    check_suffix(html, PAGES, "a scene")
    check_outputs(output, html)
    with spinner("reading", quiet=quiet or as_json):
        given = read_set(source), read_set(target)
    if dimension_of(given[0]) != dimension_of(given[1]):
        raise InputError(
            f"source and target must have the same dimension, got {dimension_of(given[0])} and {dimension_of(given[1])}"
        )
    ready = [isinstance(value, Mixture) for value in given]
    if (gamma is not None and any(ready)) or (all(ready) and context.get_parameter_source("nu") is not default):
        raise InputError("--gamma and --nu are for point files, a mixture has its scale already")
    T = None if transform is None else read_matrix(transform, dimension_of(given[0]), "transform")
    begin = time.perf_counter()
    with spinner("merging", quiet=quiet or as_json):
        moving, fixed = as_mixtures(*given, nu=nu, gamma=gamma)
        moved = moving if T is None else moving.transformed(T)
        merged = svgm.merge_naive(moved, fixed) if naive else svgm.merge(moved, fixed, t=t)
    seconds = time.perf_counter() - begin
    with spinner("writing", quiet=quiet or as_json), together(output, html) as (mixture_file, html_file):
        merged.save(mixture_file)
        if html is not None:
            from svgm import view

            title = f"{source.name} merged into {target.name}"
            view.write_html(view.merge_scene(moved, fixed, merged, title=title), html_file)
    fields = {
        "source": len(moving),
        "target": len(fixed),
        "components": len(merged),
        "new from source": len(merged) - len(fixed),
        "sigma": merged.sigma,
        "bias": merged.bias,
        "seconds": seconds,
    }
    if as_json:
        echo_json(
            {
                "source": source,
                "target": target,
                "output": output,
                "source_components": len(moving),
                "target_components": len(fixed),
                "components": len(merged),
                "sigma": merged.sigma,
                "bias": merged.bias,
                "seconds": seconds,
                "settings": {"t": "inf" if math.isinf(t) else t, "naive": naive, "nu": nu, "gamma": gamma},
                "version": svgm.__version__,
            }
        )
    elif not quiet:
        show(fields.items())
        if moved.inner_product(fixed) < APART * moved.norm * fixed.norm:
            hint = "" if transform is not None else "; without --transform both must be in one frame already"
            click.echo(f"source and target have nothing in common where they are{hint}", err=True)


def as_mixtures(
    source: Array | Mixture, target: Array | Mixture, *, nu: float, gamma: float | None
) -> tuple[Mixture, Mixture]:
    """Mixtures of one sigma: those given, and points fitted at the other's.

    Two point sets are fitted at `gamma` times their common gamma-hat, by default as finely as a map would fit them,
    about at the spacing of their points.
    """
    if isinstance(source, Mixture):
        return source, target if isinstance(target, Mixture) else svgm.fit(target, nu=nu, like=source)
    if isinstance(target, Mixture):
        return svgm.fit(source, nu=nu, like=target), target
    if gamma is None:
        sigmas = [natural_sigma(svgm.prepare(points, nu=nu)) for points in (source, target)]
        gamma, scale = 1.0, float(np.sqrt(sigmas[0] * sigmas[1]))
    else:
        scale = float(np.sqrt(svgm.estimate_scale(source) * svgm.estimate_scale(target)))
    return svgm.fit(source, nu=nu, gamma=gamma, scale=scale), svgm.fit(target, nu=nu, gamma=gamma, scale=scale)
