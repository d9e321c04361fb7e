"""`svgm locate`: the pose of a scan in a map."""

from __future__ import annotations

import time
from pathlib import Path

import click

import svgm
from svgm.cli.input_files import dimension_of, read_pose, read_set
from svgm.cli.options import (
    INPUT,
    POSE_FILE,
    drop_nan_option,
    json_option,
    matrix_option,
    nu_option,
    quiet_option,
    threads_option,
)
from svgm.cli.output_files import atomic_writes, check_outputs, write_text
from svgm.cli.printing import echo_json, matrix_text
from svgm.cli.progress import one_bar, spinner
from svgm.mapping import localisation


@click.command()
@click.argument("scan", type=INPUT)
@click.argument("map_file", type=INPUT, metavar="MAP")
@click.option(
    "--init",
    type=INPUT,
    metavar="FILE",
    help=f"Pose of the scan to try first: {POSE_FILE}. The rest of the map is searched only if the confidence there is "
    "too low.  [default: search the whole map]",
)
@matrix_option
@nu_option
@threads_option
@drop_nan_option
@json_option
@quiet_option
def locate(
    scan: Path,
    map_file: Path,
    init: Path | None,
    matrix: Path | None,
    nu: float,
    threads: int | None,
    drop_nan: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the pose of SCAN in MAP.

    MAP is the folder of svgm map, its map.npz, or a file of MapResult.save. The pose is printed on standard output: the
    matrix that moves the scan into the map. A summary with the confidence is printed on standard error.

    \b
    svgm locate scan.ply drive-map/
    svgm locate scan.ply drive-map/map.npz --init T.txt --json
    """
    map_file = localisation.map_file(map_file)
    check_outputs(matrix)
    with spinner("reading", quiet=quiet or as_json):
        moving, fixed = read_set(scan, drop_nan), localisation.as_map(map_file)
    start = None if init is None else read_pose(init, dimension_of(moving), "init")
    begin = time.perf_counter()
    with one_bar("locating", quiet=quiet or as_json) as progress:
        result = svgm.locate(moving, fixed, init=start, nu=nu, threads=threads, progress=progress)
    elapsed = time.perf_counter() - begin
    with atomic_writes(matrix) as (matrix_file,):
        if matrix is not None:
            write_text(matrix_file, matrix_text(result.transformation))
    if as_json:
        echo_json(
            {
                "scan": scan,
                "map": map_file,
                **result.as_dict(),
                "settings": {"nu": nu, "init": init},
                "seconds": elapsed,
                "version": svgm.__version__,
            }
        )
        return
    click.echo(matrix_text(result.transformation), nl=False)
    if not quiet:
        from svgm.cli.registration_summary import print_summary

        print_summary(result, moving, None, elapsed)
