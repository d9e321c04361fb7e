"""`svgm locate`: where in a map a scan was taken."""

from __future__ import annotations

import time
from pathlib import Path

import click

import svgm
from svgm.cli.inputs import dimension_of, read_matrix, read_set
from svgm.cli.options import INPUT, PATH, json_option, nu_option, quiet_option
from svgm.cli.outputs import check_outputs, echo_json, matrix_text, together, write_text
from svgm.cli.progress import one_bar, spinner
from svgm.mapping import localisation


@click.command()
@click.argument("scan", type=INPUT)
@click.argument("map_file", type=INPUT, metavar="MAP")
@click.option("--init", type=INPUT, metavar="FILE", help="Look here first; - is stdin.  [default: everywhere]")
@click.option("--matrix", type=PATH, metavar="FILE", help="Write the matrix here as well.")
@nu_option
@json_option
@quiet_option
def locate(
    scan: Path, map_file: Path, init: Path | None, matrix: Path | None, nu: float, as_json: bool, quiet: bool
) -> None:
    """Find the pose of SCAN in MAP.

    MAP is the folder of svgm map, its map.npz, or a file of MapResult.save. Standard output is the matrix that moves
    the scan into the map; a summary, with the confidence, goes to standard error.

    \b
    svgm locate scan.ply drive-map/
    svgm locate scan.ply drive-map/map.npz --init T.txt --json
    """
    map_file = localisation.map_file(map_file)
    check_outputs(matrix)
    with spinner("reading", quiet=quiet or as_json):
        moving, fixed = read_set(scan), localisation.as_map(map_file)
    start = None if init is None else read_matrix(init, dimension_of(moving), "init")
    begin = time.perf_counter()
    with one_bar("looking", quiet=quiet or as_json) as progress:
        result = svgm.locate(moving, fixed, init=start, nu=nu, progress=progress)
    elapsed = time.perf_counter() - begin
    with together(matrix) as (matrix_file,):
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
        from svgm.cli.summary import print_summary

        print_summary(result, moving, None, elapsed)
