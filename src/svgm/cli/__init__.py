"""The command line: `svgm`, one file per command."""

from __future__ import annotations

import click

import svgm
from svgm.cli.group import Group

#: Command, the line that `svgm --help` shows for it, and an example.  They stand here so that showing them imports
#: none of the commands.
COMMANDS = {
    "fit": ("Fit a mixture to a point file.", "svgm fit scan.ply -o scan.npz"),
    "register": ("Find the motion that aligns a source with a target.", "svgm register a.ply b.ply > T.txt"),
    "merge": ("Merge two aligned mixtures.", "svgm merge a.ply b.ply --transform T.txt -o model.npz"),
    "mesh": ("Draw the surface of a mixture or of points.", "svgm mesh model.npz -o model.ply"),
    "map": ("Find the poses of many scans, and merge them into one model.", "svgm map drive/*.ply -o drive-map"),
    "locate": ("Find the pose of a scan in a map.", "svgm locate scan.ply drive-map/"),
    "view": ("Show files in the browser.", "svgm view a.ply b.ply --transform T.txt"),
    "info": ("Say what a file holds.", "svgm info scan.ply model.npz"),
    "demo": ("Register and merge two generated shapes, with pictures.", "svgm demo"),
    "completion": ("Print the script for completion in a shell.", 'eval "$(svgm completion bash)"'),
}


def show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the version and the core's instruction set, and stop."""
    if value and not ctx.resilient_parsing:
        click.echo(f"svgm {svgm.__version__} ({svgm.instruction_set()})")
        ctx.exit()


@click.group(
    "svgm",
    cls=Group,
    commands_help=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version and the instruction set, and exit.",
)
def main() -> None:
    """Register and merge point sets as support-vector Gaussian mixtures.

    A point set, 2D or 3D, becomes a sparse density by a one-class SVM. Two such mixtures are aligned by minimising
    their L2 distance, from a smooth scale to a fine one, so that the sets may overlap in part, start far apart and
    carry outliers. Aligned mixtures are merged without counting twice what both saw. No option has a unit of length
    unless it says so.
    """
