"""``python -m benchmarks.linear`` for everything, ``python -m benchmarks.linear dragon`` for parts."""

from __future__ import annotations

from pathlib import Path

import click

import svgm
from benchmarks.linear import dragon, parts, shapes
from benchmarks.report import header
from benchmarks.speed.findings import Findings

PARTS = {"dragon": dragon.run, "shapes": shapes.run, "parts": parts.run}


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(PARTS)), metavar="[PART]...")
@click.option("--every", default=1, show_default=True, help="Only every so many of the cases, for a quick look.")
@click.option("--seed", default=0, show_default=True, help="Of the motions, the scales and the samples.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write all figures to this file.")
def main(names: tuple[str, ...], every: int, seed: int, file: Path | None) -> None:
    """Register sets of unknown scale, and sets that are stretched and sheared.

    Parts, by default all of them: `dragon` (similarity, 2,000 points, the source scaled by 0.05 to 20 and moved
    anywhere), `shapes` (affine, the 2D sets stretched and sheared up to 2:1), `parts` (similarity, a part of a 2D set
    against all of it: does the scale collapse?).  One core.
    """
    header("linear: similarity and affine registration")
    findings = Findings(details={"svgm": svgm.__version__})
    for name in names or PARTS:
        PARTS[name](findings, every, seed)
    findings.finish(file)


if __name__ == "__main__":
    main()
