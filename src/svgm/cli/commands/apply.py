"""`svgm apply`: move a file by a transform that was written before."""

from __future__ import annotations

from pathlib import Path

import click

import svgm
from svgm.checks.errors import InputError
from svgm.cli.input_files import dimension_of, read_input
from svgm.cli.moved_files import check_moved, echo_lost, write_moved
from svgm.cli.options import INPUT, PATH, drop_nan_option, quiet_option
from svgm.cli.output_files import atomic_writes, check_not_inputs, check_outputs
from svgm.cli.progress import spinner
from svgm.geometry.transforms import Affine


@click.command()
@click.argument("transform", type=INPUT)
@click.argument("given", type=INPUT, metavar="POINTS_OR_MIXTURE")
@click.option("-o", "--output", type=PATH, required=True, metavar="FILE", help="Write what is moved to this file.")
@click.option("--inverse", is_flag=True, help="Move back: from the target to the source. Of a deformation, nearly.")
@drop_nan_option
@quiet_option
def apply(transform: Path, given: Path, output: Path, inverse: bool, drop_nan: bool, quiet: bool) -> None:
    """Move a file by TRANSFORM, a .npz file of svgm register --deformation.

    TRANSFORM is a rigid motion, a similarity, an affine map or a deformation. It moves any points, not only those that
    it was estimated from.

    \b
    svgm register a.ply b.ply --transform nonrigid --deformation warp.npz
    svgm apply warp.npz landmarks.csv -o moved.csv
    """
    with spinner("reading", quiet=quiet):
        motion, read = svgm.load_transform(transform), read_input(given, drop_nan, columns=True)
    moving = read.value
    check_not_inputs((transform, given), output)
    check_moved(output, moving)
    check_outputs(output)
    if dimension_of(moving) != motion.dimension:
        raise InputError(f"{transform} is a transform in {motion.dimension}D, but {given} is {dimension_of(moving)}D")
    with spinner("moving", quiet=quiet), atomic_writes(output) as (file,):
        used = motion.inverse() if inverse else motion
        lost = write_moved(file, read, used)
    if not quiet:
        echo_lost(lost, given, output)
        click.echo(str(used), err=True)
        if not isinstance(used, Affine) and used.error:
            click.echo(f"the inverse is within {used.error:.3g} between the control points", err=True)
