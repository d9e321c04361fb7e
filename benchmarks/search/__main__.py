"""One command: ``python -m benchmarks.search`` for everything, ``python -m benchmarks.search dragon`` for parts."""

from __future__ import annotations

from pathlib import Path

import click

import svgm
from benchmarks.report import header
from benchmarks.search import auto, confidence, dragon, lidar, shapes
from benchmarks.search.dragon import MEASURE
from benchmarks.speed.clock import cores
from benchmarks.speed.findings import Findings

PARTS = ("dragon", "shapes", "lidar", "lasers", "confidence", "auto", "certified")


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(PARTS), metavar="[PART]...")
@click.option("--every", default=1, show_default=True, help="Only every so many of the pairs, for a quick look.")
@click.option(
    "--peers",
    default=MEASURE,
    show_default=True,
    help='Peers beside the dragon, by their names in benchmarks/methods: "RANSAC;FGR;KISS;GOI;S4P;TEASER".',
)
@click.option(
    "--tries", default=12, show_default=True, help="Every how many pairs choose peers' settings; 0: the first."
)
@click.option("--hannover-every", default=5, show_default=True, help="Every so many first scans; the bar is for 1.")
@click.option("--repeats", default=3, show_default=True, help="Runs behind each median of `auto`.")
@click.option(
    "--output",
    default="build/search/confidence.csv",
    show_default=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Rows of `confidence`, appended as they come; its picture stands beside them.",
)
@click.option("--fresh", is_flag=True, help="Discard the rows of an earlier run.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write all figures to this file.")
def main(
    parts: tuple[str, ...],
    every: int,
    peers: str,
    tries: int,
    hannover_every: int,
    repeats: int,
    output: Path,
    fresh: bool,
    file: Path | None,
) -> None:
    """Register without a guess, and print how often that is right, how long it takes, and whether it knows.

    Parts, by default all of them: `dragon` (whole scans, beside peers), `shapes` (2D sets turned all around), `lidar`
    and `lasers` (scans from the ground), `confidence` (does it tell right from wrong; a run that was interrupted goes
    on), `auto` (what the search costs where it is not needed), `certified` (proofs).
    """
    header("search: registration without a guess")
    print(f"{cores()} cores; trusted from a confidence of {svgm.TRUSTED:g} on")
    findings = Findings(details={"svgm": svgm.__version__})
    for part in parts or PARTS:
        if part == "dragon":
            dragon.run(findings, every, [name.strip() for name in peers.split(";") if name.strip()], tries)
        elif part == "shapes":
            shapes.run(findings, every)
        elif part == "lidar":
            lidar.run(findings, every)
        elif part == "lasers":
            lidar.lasers(findings, every)
        elif part == "confidence":
            confidence.run(findings, every, hannover_every, output, fresh)
        elif part == "auto":
            auto.run(findings, every, repeats)
        else:
            from benchmarks.search import certified  # reaches into the search, which nobody else here needs

            certified.main([], standalone_mode=False)
    findings.finish(file)


if __name__ == "__main__":
    main()
