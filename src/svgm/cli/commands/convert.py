"""`svgm convert`: point files in another format, and the scans of a bag as point files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import click

from svgm.checks.errors import FileError, InputError
from svgm.cli.input_files import point_files, read_input
from svgm.cli.options import INPUT, PATH, drop_nan_option, json_option, quiet_option
from svgm.cli.output_files import check_not_inputs, check_outputs, check_suffix, write_text
from svgm.cli.printing import echo_json
from svgm.cli.progress import spinner
from svgm.cli.suggestions import Choice
from svgm.io import WRITABLE, PointCloud, write_cloud
from svgm.io.bags import BAG_SUFFIXES, holds_bag, read_bag

#: Name of the file with the times of a bag's scans.
TIMES = "times.txt"


@click.command()
@click.argument("files", type=INPUT, nargs=-1, required=True, metavar="FILE...")
@click.option(
    "-o",
    "--output",
    type=PATH,
    required=True,
    metavar="FILE_OR_FOLDER",
    help="Write to this file, whose suffix tells the format, or to this folder, one file for each scan.",
)
@click.option(
    "--format",
    "suffix",
    type=Choice([suffix.removeprefix(".") for suffix in WRITABLE]),
    default="ply",
    show_default=True,
    help="Format of the files in the output folder.",
)
@click.option("--topic", metavar="NAME", help="Topic of a bag to read.  [default: the one that holds points]")
@drop_nan_option
@json_option
@quiet_option
def convert(
    files: tuple[Path, ...],
    output: Path,
    suffix: str,
    topic: str | None,
    drop_nan: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write point files in another format: one FILE to a file, several, a folder or a bag of ROS to a folder.

    Colours, normals, intensities, times and all other columns of numbers are kept; a line on standard error says what
    the format cannot hold. Of a bag every cloud (PointCloud2) or laser scan (LaserScan) becomes a file with a number,
    and times.txt holds their times in seconds, one in each line.

    \b
    svgm convert scan.e57 -o scan.ply
    svgm convert velodyne/*.bin -o scans --format pcd
    svgm convert drive.bag -o scans --topic /velodyne_points
    """
    sources = list(chain.from_iterable(_expanded(file) for file in files))
    many = len(sources) > 1 or _is_bag(sources[0])
    if topic is not None and not any(map(_is_bag, sources)):
        raise click.UsageError("--topic is for bags only.")
    if not many and not output.is_dir():
        check_suffix(output, WRITABLE, "points")
        check_outputs(output)
        check_not_inputs(sources, output)
        with spinner("converting", quiet=quiet or as_json):
            cloud = _cloud(sources[0], drop_nan)
            lost = set(write_cloud(output, cloud))
        _finish([output], lost, output.suffix, as_json, quiet)
        return
    if output.suffix.lower() in WRITABLE and not output.is_dir():
        raise InputError(f"{len(sources)} files are given or a bag, so --output must be a folder, got {output}")
    _make(output)
    written: list[Path] = []
    left_out: set[str] = set()
    times: list[float] = []
    with spinner("converting", quiet=quiet or as_json):
        for name, cloud, time in _scans(sources, topic, drop_nan):
            file = output / f"{name}.{suffix}"
            if file in written:
                raise FileError(f"{file}: two of the inputs have this name")
            check_not_inputs(sources, file)
            left_out |= set(write_cloud(file, cloud))
            written.append(file)
            times += [] if time is None else [time]
        if times and len(times) == len(written):
            write_text(output / TIMES, "".join(f"{time:.9f}\n" for time in times))
    _finish(written, left_out, f".{suffix}", as_json, quiet)


def _expanded(path: Path) -> list[Path]:
    """A file or a bag itself; the point files of a folder."""
    return point_files(path) if path.is_dir() and not holds_bag(path) else [path]


def _is_bag(path: Path) -> bool:
    return path.suffix.lower() in BAG_SUFFIXES or path.is_dir()


def _scans(
    sources: Sequence[Path], topic: str | None, drop_nan: bool
) -> Iterator[tuple[str, PointCloud, float | None]]:
    """Name, points and time of every scan, one after another: a bag need not fit into memory."""
    bags = sum(map(_is_bag, sources))
    for source in sources:
        if not _is_bag(source):
            yield source.stem, _cloud(source, drop_nan), None
            continue
        for number, scan in enumerate(read_bag(source, topic)):
            yield f"{source.stem}-{number:06d}" if bags > 1 else f"{number:06d}", scan.cloud, scan.time


def _cloud(path: Path, drop_nan: bool) -> PointCloud:
    found = read_input(path, drop_nan, columns=True)
    if found.cloud is None:
        raise InputError(f"{path.name} holds a mixture, and svgm convert needs points")
    return found.cloud


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: the folder cannot be made ({error.strerror})") from None


def _finish(written: list[Path], left_out: set[str], suffix: str, as_json: bool, quiet: bool) -> None:
    if not written:
        raise InputError("the bag holds no scan with points")
    if left_out and not quiet:
        click.echo(f"warning: {suffix} files cannot hold {', '.join(sorted(left_out))}", err=True)
    if as_json:
        echo_json({"files": written, "left_out": sorted(left_out)})
    elif not quiet:
        names = written[0] if len(written) == 1 else f"{written[0]} to {written[-1].name} ({len(written)} files)"
        click.echo(f"wrote {names}", err=True)
