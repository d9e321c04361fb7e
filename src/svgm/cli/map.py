"""`svgm map`: many scans in, poses and one model out."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

import click

import svgm
from svgm.checks.errors import FileError, SvgmError
from svgm.cli.command_line import command_line
from svgm.cli.mistakes import Choice, near_file, no_such_file
from svgm.cli.options import PATH, folders, json_option, nu_option, quiet_option
from svgm.cli.outputs import PAGES, check_kept, check_outputs, check_suffix, echo_json
from svgm.cli.progress import bar_per_phase, spinner
from svgm.cli.table import Marked, show
from svgm.io import READABLE
from svgm.mapping.outputs import FILES, OutputError, check_folder, failures
from svgm.mapping.pipeline import ORDERS
from svgm.mapping.result import MapResult


@click.command("map")
@click.argument("scans", nargs=-1, required=True, type=PATH, metavar="SCANS...")
@click.option(
    "-o",
    "--output",
    type=PATH,
    required=True,
    metavar="FOLDER",
    help="Write all files into this folder.",
    shell_complete=folders,
)
@click.option(
    "--order",
    type=Choice(ORDERS),
    default="sequence",
    show_default=True,
    help="Each scan overlaps the one before, or any may overlap any.",
)
@click.option("--detail", type=float, default=1.0, show_default=True, metavar="D", help="Larger is finer.")
@nu_option
@click.option("--workers", type=int, metavar="N", help="Share the work between N processes.")
@click.option("--dask", metavar="ADDRESS", help="Share it between the workers of a Dask scheduler, tcp://host:8786.")
@click.option("--report", type=PATH, metavar="FILE", help="Write all of it, to read and to look at, as one .html file.")
@json_option
@quiet_option
@click.pass_context
def map(
    ctx: click.Context,
    scans: tuple[Path, ...],
    output: Path,
    order: str,
    detail: float,
    nu: float,
    workers: int | None,
    dask: str | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the poses of many SCANS, and merge them into one model.

    SCANS are point files, or folders of them, taken in the order of their names (scan2 before scan10). A scan that
    cannot be read is reported and left out. If the run is interrupted, the same command goes on from where it was.

    \b
    svgm map drive/*.ply -o drive-map --report drive.html
    svgm map turntable/ -o model --order unordered --workers 2
    """
    check_folder(output)
    check_suffix(report, PAGES, "a report")
    if report is not None and report.resolve().parent != output.resolve():  # that folder is made
        check_outputs(report)
    check_kept(scans, report)
    paths = scan_files(scans, output)
    begin = time.perf_counter()
    failed: list[str] = []
    try:
        with bar_per_phase(quiet=quiet or as_json) as progress:
            result = svgm.map(
                paths,
                order=order,
                nu=nu,
                detail=detail,
                workers=workers,
                dask=dask,
                output=output,
                progress=progress,
            )
    except OutputError as error:  # the map is there, and what else can be made of it is
        if error.result is None:
            raise
        result, failed = error.result, list(error.reasons)
    elapsed = time.perf_counter() - begin
    picture = output / "map.png" if can_draw() else None
    if picture is not None:
        with spinner("drawing", quiet=quiet or as_json):
            failed += failures(picture, lambda path: draw(result, path))
    if report is not None:
        from svgm import view

        names, command = [path.name for path in paths], command_line(ctx)
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
        tell(result, paths, elapsed, written, quiet)
    if failed:
        for line in failed:
            click.echo(f"svgm: error: {line}", err=True)
        ctx.exit(1)


def tell(result: MapResult, paths: Sequence[Path], elapsed: float, files: Sequence[str], quiet: bool) -> None:
    """Say on standard error which scans were left out and what the map is."""
    for number, reason in result.left_out.items():
        name = f"{paths[number]}: "
        # To look around takes a moment: enough for a slip, too long for a thousand.
        ask = len(result.left_out) <= 5 and not paths[number].exists()
        hint = near_file(paths[number]) if ask else ""
        click.echo(f"left out: {name}{reason.removeprefix(name)}{hint}", err=True)
    if not quiet:
        kinds = sorted({edge.kind for edge in result.edges})
        show(
            {
                "scans": Marked(f"{len(paths) - len(result.left_out)} of {len(paths)}", not result.left_out),
                **{f"{kind} edges": sum(edge.kind == kind for edge in result.edges) for kind in kinds},
                "rejected edges": len(result.rejected),
                "components": f"{len(result.mixture)} of {result.components}",
                "sigma": result.sigma,
                "seconds": elapsed,
                "files": " ".join(files),
            }.items()
        )


def scan_files(given: tuple[Path, ...], output: Path) -> list[Path]:
    """Files as they are given; of a folder, its point files in the order of their names, numbers by their value.

    The files of an earlier run, if the output goes there too, are no scans, nor is what a killed one was writing.
    """
    if not any(path.exists() for path in given):
        raise no_such_file(given[0])
    found: list[Path] = []
    for path in given:
        if not path.is_dir():
            found.append(path)
            continue
        made = FILES if path.resolve() == output.resolve() else ()
        # Hidden files are none of the user's: a write that was killed leaves one.
        files = [f for f in path.iterdir() if f.name not in made and not f.name.startswith(".") and f.is_file()]
        inside = [file for file in files if file.suffix.lower() in READABLE]
        if not inside:
            raise FileError(f"{path}: holds no point files, which end in {' '.join(READABLE)}")
        found += sorted(inside, key=natural)
    return found


def natural(file: Path) -> list[str | int]:
    """A file's name as text and numbers, to sort by."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", file.name)]


def can_draw() -> bool:
    """Whether matplotlib is there to draw the picture of the map."""
    from svgm import view

    try:
        view.require_matplotlib()
    except SvgmError:
        return False
    return True


def draw(result: MapResult, path: Path) -> None:
    """The picture of the map."""
    from svgm import view

    view.map_picture(result.poses, result.mixture, result.edges, path, order=result.settings["order"])
