"""One command: ``python -m benchmarks.nonrigid fish --samples 3``."""

from __future__ import annotations

import click

from benchmarks.nonrigid.dragon import dragon
from benchmarks.nonrigid.face import face
from benchmarks.nonrigid.fish import LEVELS, fish
from benchmarks.nonrigid.shapes import shapes
from benchmarks.report import header

PARTS = ("fish", "shapes", "face", "dragon", "whole")


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(PARTS), metavar="[PART]...")
@click.option("--samples", default=10, show_default=True, help="Samples of each level of the fish.")
@click.option("--first", default=50, show_default=True, help="The first sample; constants were chosen on 0 to 19.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(tuple(LEVELS)), help="Only this kind of fish.")
@click.option("--level", default=0, help="Only this level of the fish.")
@click.option("--peers/--no-peers", default=True, help="Also run the peers that are installed.")
def main(parts: tuple[str, ...], samples: int, first: int, kinds: tuple[str, ...], level: int, peers: bool) -> None:
    """Deform sets whose truth is known.

    Parts, by default all: `fish` (deformation, noise, outliers, rotation, occlusion), `shapes` and `face` (point i
    lies on point i), `dragon` (scans bent by smooth maps, 2,000 points, 20 % cut out), `whole` (the same, all points).
    """
    header("nonrigid: sets that are deformed")
    for part in parts or PARTS:
        if part == "fish":
            fish(samples, first, kinds, peers, level)
        elif part == "shapes":
            shapes(peers)
        elif part == "face":
            face(peers)
        else:
            dragon(peers, whole=part == "whole")


if __name__ == "__main__":
    main()
