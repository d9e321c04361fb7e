"""`svgm merge`: one mixture from two mixtures."""

from __future__ import annotations

import math
import time
from pathlib import Path

import click
import numpy as np

import svgm
from svgm.checks.errors import InputError
from svgm.cli.input_files import dimension_of, read_pose, read_set
from svgm.cli.options import INPUT, PATH, POSE_FILE, drop_nan_option, gamma_option, json_option, nu_option, quiet_option
from svgm.cli.output_files import PAGE_SUFFIXES, atomic_writes, check_outputs, check_suffix
from svgm.cli.printing import echo_json, print_rows
from svgm.cli.progress import spinner
from svgm.geometry.points import Array
from svgm.mapping.scan import natural_sigma
from svgm.mixture.mixture import Mixture

#: Mixtures with a smaller correlation do not overlap.
LEAST_CORRELATION = 1e-3


@click.command()
@click.argument("source", type=INPUT)
@click.argument("target", type=INPUT)
@click.option("-o", "--output", type=PATH, required=True, metavar="FILE", help="Write the mixture to this .npz file.")
@click.option(
    "--pose",
    "pose_file",
    type=INPUT,
    metavar="FILE",
    help=f"Pose by which SOURCE is moved first: {POSE_FILE}.  [default: SOURCE is not moved]",
)
@click.option(
    "--t",
    type=float,
    default=math.inf,
    metavar="T",
    show_default=True,
    help="Parameter t of GMMerge, 0 to inf: how much of SOURCE is added. 0 adds nothing; inf adds every component that "
    "TARGET does not explain.",
)
@click.option("--naive", is_flag=True, help="Add the mixtures without GMMerge: what both contain counts twice.")
@gamma_option(" for point files", "so that sigma is about the spacing of the points")
@nu_option
@click.option(
    "--html",
    type=PATH,
    metavar="FILE",
    help="Write an interactive view to this .html file. It shows which components come from SOURCE.",
)
@drop_nan_option
@json_option
@quiet_option
@click.pass_context
def merge(
    context: click.Context,
    source: Path,
    target: Path,
    output: Path,
    pose_file: Path | None,
    t: float,
    naive: bool,
    gamma: float | None,
    nu: float,
    html: Path | None,
    drop_nan: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Merge SOURCE into TARGET, so that a surface that both contain is counted once.

    SOURCE and TARGET are mixtures or point files. Two mixtures must have the same sigma: fit the second one with
    svgm fit --like the first. Point files are fitted first, with the sigma of the other file's mixture or with a common
    sigma.

    \b
    svgm register a.ply b.ply > T.txt
    svgm merge a.ply b.ply --pose T.txt -o model.npz --html model.html
    """
    default = click.core.ParameterSource.DEFAULT
    if naive and context.get_parameter_source("t") is not default:
        raise click.UsageError("--t is a parameter of GMMerge, so it cannot be combined with --naive.")
    check_suffix(output, (".npz",), "a mixture")
    check_suffix(html, PAGE_SUFFIXES, "a scene")
    check_outputs(output, html)
    with spinner("reading", quiet=quiet or as_json):
        given = read_set(source, drop_nan), read_set(target, drop_nan)
    if dimension_of(given[0]) != dimension_of(given[1]):
        raise InputError(
            f"source and target must have the same dimension, got {dimension_of(given[0])} and {dimension_of(given[1])}"
        )
    ready = [isinstance(value, Mixture) for value in given]
    if (gamma is not None and any(ready)) or (all(ready) and context.get_parameter_source("nu") is not default):
        raise InputError("--gamma and --nu are for point files only: a mixture is already fitted")
    pose = None if pose_file is None else read_pose(pose_file, dimension_of(given[0]), "pose")
    begin = time.perf_counter()
    with spinner("merging", quiet=quiet or as_json):
        moving, fixed = as_mixtures(*given, nu=nu, gamma=gamma)
        moved = moving if pose is None else moving.transformed(pose)
        merged = svgm.merge_naive(moved, fixed) if naive else svgm.merge(moved, fixed, t=t)
    seconds = time.perf_counter() - begin
    with spinner("writing", quiet=quiet or as_json), atomic_writes(output, html) as (mixture_file, html_file):
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
        print_rows(fields.items())
        if moved.inner_product(fixed) < LEAST_CORRELATION * moved.norm * fixed.norm:
            advice = "use --pose if they are not aligned yet" if pose is None else "check the file of --pose"
            click.echo(f"warning: source and target do not overlap; {advice}", err=True)


def as_mixtures(
    source: Array | Mixture, target: Array | Mixture, *, nu: float, gamma: float | None
) -> tuple[Mixture, Mixture]:
    """Two mixtures of one sigma. A mixture stays as it is, and points are fitted with the sigma of the other mixture.

    Two point sets are fitted with `gamma` times their common gamma-hat. If gamma is None, sigma is about the spacing
    of the points, as in a map.
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
