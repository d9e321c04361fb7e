"""The command line `svgm`. Each command is one file in `svgm.cli.commands`."""

from __future__ import annotations

import click

import svgm
from svgm.cli.command_group import CommandGroup

#: Command, the line that `svgm --help` shows for it, and an example. They are listed here so that `svgm --help` need
#: not import the commands.
COMMANDS = {
    "fit": ("Fit a mixture to a point file.", "svgm fit scan.ply -o scan.npz"),
    "register": ("Find the pose that moves a source onto a target.", "svgm register a.ply b.ply > T.txt"),
    "apply": ("Move a file by a transform that was written before.", "svgm apply warp.npz a.ply -o moved.ply"),
    "merge": ("Merge two mixtures into one.", "svgm merge a.ply b.ply --pose T.txt -o model.npz"),
    "mesh": ("Compute the surface of a mixture or of points.", "svgm mesh model.npz -o model.ply"),
    "map": ("Find the poses of many scans and merge the scans.", "svgm map drive/*.ply -o drive-map"),
    "locate": ("Find the pose of a scan in a map.", "svgm locate scan.ply drive-map/"),
    "view": ("Show files in the browser.", "svgm view a.ply b.ply --pose T.txt"),
    "convert": ("Write point files in another format, and the scans of a bag.", "svgm convert drive.bag -o scans/"),
    "info": ("Print what a file holds.", "svgm info scan.ply model.npz"),
    "demo": ("Register and merge generated shapes, with pictures.", "svgm demo"),
    "doctor": ("Check the installation.", "svgm doctor"),
    "completion": ("Print the completion script for a shell.", 'eval "$(svgm completion bash)"'),
}


def print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the version and the instruction set of the C++ core, and exit."""
    if value and not ctx.resilient_parsing:
        click.echo(f"svgm {svgm.__version__} ({svgm.instruction_set()})")
        ctx.exit()


@click.group(
    "svgm",
    cls=CommandGroup,
    commands_help=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=print_version,
    help="Print the version and the CPU instruction set in use, and exit.",
)
def main() -> None:
    """Register and merge point sets as support-vector Gaussian mixtures.

    A one-class SVM turns a point set, 2D or 3D, into a sparse mixture of Gaussians. Two mixtures are registered by
    minimising their L2 distance, first at a coarse scale, then at finer ones. The sets may overlap in part only, start
    far apart and contain outliers. When two aligned mixtures are merged, a surface that both contain is counted once.
    An option is a length, in the unit of the points, only if its help says so.

    Exit codes: 0 for success, 1 for an error (one line on stderr), 2 for wrong usage, 3 for a registration that is not
    trusted where --require-trust asks for it, 130 for an interrupt (Ctrl-C).
    """
