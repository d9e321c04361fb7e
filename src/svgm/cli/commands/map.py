"""`svgm map`: the poses of many scans, and one merged mixture."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

import svgm
from svgm.checks.errors import FileError, SvgmError
from svgm.checks.types import Progress
from svgm.cli.command_text import command_text
from svgm.cli.errors import echo_error
from svgm.cli.options import PATH, complete_folders, json_option, nu_option, quiet_option, report_option
from svgm.cli.output_files import PAGE_SUFFIXES, can_draw, check_not_inputs, check_outputs, check_suffix
from svgm.cli.printing import Coloured, echo_json, print_rows
from svgm.cli.progress import bar_per_phase, one_bar, spinner
from svgm.cli.suggestions import Choice, did_you_mean_file, no_such_file
from svgm.io import READABLE
from svgm.io.carmen import read_carmen
from svgm.io.mesh import MESH_SUFFIXES
from svgm.mapping.occupancy import occupancy_grid, picture_of
from svgm.mapping.odometry_file import is_log, read_odometry
from svgm.mapping.outputs import FILES, OutputError, check_folder, failures
from svgm.mapping.pipeline import ORDERS
from svgm.mapping.result import MapResult
from svgm.mapping.scan import points_or_mixture
from svgm.mixture.mixture import Mixture
from svgm.reconstruction.level_set import measure
from svgm.view.words import pieces_sentence

#: For at most this many missing scans a similar file name is searched, which takes a moment each.
MOST_SUGGESTIONS = 5


@click.command("map")
@click.argument("scans", nargs=-1, required=True, type=PATH, metavar="SCANS...")
@click.option(
    "-o",
    "--output",
    type=PATH,
    required=True,
    metavar="FOLDER",
    help="Write all files to this folder. It is made if it does not exist.",
    shell_complete=complete_folders,
)
@click.option(
    "--odometry",
    type=PATH,
    metavar="FILE",
    help="Poses of the scans by the sensor's odometry: a TUM or KITTI trajectory, or a CARMEN log.",
)
@click.option(
    "--order",
    type=Choice(ORDERS),
    default="sequence",
    show_default=True,
    help="sequence: each scan overlaps the one before. unordered: any two scans may overlap, and all pairs are tried.",
)
@click.option(
    "--detail",
    type=float,
    default=1.0,
    show_default=True,
    metavar="D",
    help="Detail of the map, 0.01 to 100: its sigma is about the spacing of the points, divided by D.",
)
@nu_option
@click.option(
    "--workers",
    type=int,
    metavar="N",
    help="Number of processes that share the work, >= 1.  [default: no other process]",
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Address of a Dask scheduler, such as tcp://host:8786, whose workers share the work.",
)
@click.option(
    "--mesh",
    type=PATH,
    metavar="FILE",
    help="Also write one sheet through the points of all scans to this .ply or .obj file, as svgm mesh FOLDER does.",
)
@click.option(
    "--grid",
    type=PATH,
    metavar="FILE",
    help="Also write the occupancy grid of a 2D map to this .yaml file, with a .pgm file beside it, as ROS reads them.",
)
@report_option
@json_option
@quiet_option
@click.pass_context
def map(
    ctx: click.Context,
    scans: tuple[Path, ...],
    output: Path,
    odometry: Path | None,
    order: str,
    detail: float,
    nu: float,
    workers: int | None,
    dask: str | None,
    mesh: Path | None,
    grid: Path | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the poses of many SCANS and merge the scans into one mixture, the map.

    SCANS are point files, or folders with point files. The files of a folder are sorted by name, with numbers in
    numerical order (scan2 before scan10). One CARMEN log (.log, .clf, also with .gz) holds all scans of a drive with
    their times and odometry. If nothing sound holds all scans together, the map falls into pieces: the largest one is
    written to FOLDER, the others to its folders piece-2, piece-3 and so on. A scan that cannot be read is reported and
    left out. If the run is interrupted, run the same command again: it uses the results that are already there.

    \b
    svgm map drive/*.ply -o drive-map --report drive.html
    svgm map drive/ -o drive-map --odometry wheels.tum
    svgm map robot.log.gz -o robot-map --grid robot-map/grid.yaml
    svgm map turntable/ -o model --order unordered --workers 2 --mesh model/model.ply
    """
    check_folder(output)
    check_suffix(report, PAGE_SUFFIXES, "a report")
    if report is not None and report.resolve().parent != output.resolve():  # the output folder will be made
        check_outputs(report)
    check_suffix(mesh, MESH_SUFFIXES, "a mesh")
    if mesh is not None:
        measure()
        if mesh.resolve().parent != output.resolve():
            check_outputs(mesh)
    raster = None if grid is None else picture_of(grid)
    if grid is not None and grid.resolve().parent != output.resolve():
        check_outputs(grid, raster)
    check_not_inputs(scans, report, mesh, grid, raster)
    inputs = drive_of(scans, output, odometry)
    if grid is not None:
        check_planar(grid, inputs)
    begin = time.perf_counter()
    failed: list[str] = []
    try:
        with bar_per_phase(quiet=quiet or as_json) as progress:
            result = svgm.map(
                inputs.scans,
                odometry=inputs.odometry,
                times=inputs.times,
                order=order,
                nu=nu,
                detail=detail,
                workers=workers,
                dask=dask,
                output=output,
                progress=progress,
            )
    except OutputError as error:  # some files could not be written, but there is a map
        if error.result is None:
            raise
        result, failed = error.result, list(error.reasons)
    elapsed = time.perf_counter() - begin
    picture = output / "map.png" if can_draw() else None
    if picture is not None:
        with spinner("drawing", quiet=quiet or as_json):
            failed += failures(picture, lambda path: draw(result, path))
    if mesh is not None:
        with one_bar("meshing", quiet=quiet or as_json) as progress:
            failed += failures(mesh, lambda path: sheet(result, inputs.scans, progress).save(path))
    if grid is not None:
        with spinner("counting beams", quiet=quiet or as_json):
            failed += failures(grid, lambda path: occupancy_grid(result, inputs.scans).save(path))
    if report is not None:
        from svgm import view

        names, command = [Path(name).name for name in inputs.names], command_text(ctx)
        failed += failures(
            report, lambda path: view.map_report(result, path, names=names, command=command, seconds=elapsed)
        )
    if as_json:
        echo_json(
            {
                "output": output,
                "poses": result.poses.tolist(),
                **result.as_dict(),
                "seconds_in_all": elapsed,
                "version": svgm.__version__,
            }
        )
    else:
        files = [output / name for name in FILES] + ([picture] if picture else [])
        written = [file.name for file in files if not any(line.startswith(f"{file}: ") for line in failed)]
        print_summary(result, inputs.names, elapsed, written, quiet)
    if failed:
        for line in failed:
            echo_error(line)
        ctx.exit(1)


def print_summary(result: MapResult, names: Sequence[str], elapsed: float, files: Sequence[str], quiet: bool) -> None:
    """Print the scans that were left out and, unless quiet, the summary of the map."""
    for number, reason in result.left_out.items():
        name, path = f"{names[number]}: ", Path(names[number])
        suggest = len(result.left_out) <= MOST_SUGGESTIONS and path.suffix and not path.exists()
        hint = did_you_mean_file(path) if suggest else ""
        click.echo(f"left out: {name}{reason.removeprefix(name)}{hint}", err=True)
    if not quiet:
        kinds = sorted({edge.kind for edge in result.edges})
        print_rows(
            {
                "map": Coloured(pieces_sentence(result), result.whole),
                "scans": Coloured(f"{len(names) - len(result.left_out)} of {len(names)}", not result.left_out),
                **{f"{kind} edges": sum(edge.kind == kind for edge in result.edges) for kind in kinds},
                "rejected edges": len(result.rejected),
                "components": f"{len(result.mixture)} of {result.components}",
                "sigma": result.sigma,
                "seconds": elapsed,
                "files": " ".join(files),
            }.items()
        )


@dataclass(frozen=True)
class Drive:
    """The scans of a command with their names, and their odometry and times if these are known."""

    scans: Sequence[Any]
    names: list[str]
    odometry: Any = None
    times: Any = None


def drive_of(given: tuple[Path, ...], output: Path, odometry: Path | None) -> Drive:
    """The scans that are given as files and folders, or as one CARMEN log, and their odometry."""
    logs = [path for path in given if is_log(path)]
    if not logs:
        paths = scan_files(given, output)
        wheels = None if odometry is None else read_odometry(odometry, len(paths))
        return Drive(paths, [str(path) for path in paths], wheels)
    if len(given) > 1:
        raise FileError(f"{logs[0]}: is a CARMEN log, which must be the only argument: it holds all scans of a map")
    log = read_carmen(logs[0])
    wheels = log.odometry if odometry is None else read_odometry(odometry, len(log.scans))
    return Drive(log.scans, [f"{logs[0]} scan {k}" for k in range(len(log.scans))], wheels, log.times)


def check_planar(grid: Path, inputs: Drive) -> None:
    """Raise a FileError if the first scan that can be read is not in 2D, which an occupancy grid needs."""
    for number, scan in enumerate(inputs.scans):
        try:
            read = points_or_mixture(number, scan)
        except SvgmError:  # such a scan is left out of the map
            continue
        dimension = (read.means if isinstance(read, Mixture) else read).shape[1]
        if dimension != 2:
            raise FileError(f"{grid}: an occupancy grid needs scans in 2D, {inputs.names[number]} is in {dimension}D")
        return


def scan_files(given: tuple[Path, ...], output: Path) -> list[Path]:
    """The files that are given and, for each folder that is given, its point files sorted by `natural_order`.

    The output files of an earlier run are left out if the output folder is the folder of the scans.
    """
    if not any(path.exists() for path in given):
        raise no_such_file(given[0])
    found: list[Path] = []
    for path in given:
        if not path.is_dir():
            found.append(path)
            continue
        made = FILES if path.resolve() == output.resolve() else ()
        # Hidden files are left out: an interrupted write may leave a temporary one.
        files = [f for f in path.iterdir() if f.name not in made and not f.name.startswith(".") and f.is_file()]
        inside = [file for file in files if file.suffix.lower() in READABLE]
        if not inside:
            raise FileError(f"{path}: holds no point files (suffixes {' '.join(READABLE)})")
        found += sorted(inside, key=natural_order)
    return found


def natural_order(file: Path) -> list[str | int]:
    """The key that sorts file names with numbers in numerical order.

    >>> natural_order(Path("scan10.ply"))
    ['scan', 10, '.ply']
    """
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", file.name)]


def sheet(result: MapResult, scans: Sequence[Any], progress: Progress | None) -> svgm.Mesh:
    """One sheet through the points of the scans that have a pose."""
    used = [k for k in range(len(scans)) if np.isfinite(result.poses[k]).all()]
    return svgm.surface_of_scans([scans[k] for k in used], result.poses[used], progress=progress)


def draw(result: MapResult, path: Path) -> None:
    """Draw the picture of the map."""
    from svgm import view

    view.map_picture(result, path=path)
