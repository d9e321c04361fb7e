"""``python -m benchmarks.covariances`` for everything, ``python -m benchmarks.covariances body`` for parts."""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks.covariances import checkouts, consistency, race, strips
from benchmarks.covariances.contestants import ALL
from benchmarks.covariances.parts import PARTS
from benchmarks.paper.store import Store
from benchmarks.report import Bar, header

NAMES = (*PARTS, "strips", "consistency", "time", "lines")


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(NAMES), metavar="[PART]...")
@click.option(
    "--pairs",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Of each group only so many, evenly spaced; 0: all.",
)
@click.option("--against", type=click.Path(path_type=Path, exists=True), help="Another checkout, its core built.")
@click.option("--output", default="build/covariances", show_default=True, type=click.Path(path_type=Path))
@click.option("--limit", default=120.0, show_default=True, help="Seconds a registration may take.")
@click.option("--fresh", is_flag=True, help="Discard the results in the output folder instead of going on with them.")
def main(names: tuple[str, ...], pairs: int, against: Path | None, output: Path, limit: float, fresh: bool) -> None:
    """Print what full covariances are held to, beside round components and beside other methods.

    Parts, by default all of them: `dragon` (2,000 points, local), `whole` (moved anywhere, global), `accuracy` and
    `body` (median errors, beside GICP from our answer), `streets` (hannover1), `ransac` (the same beside Open3D's
    RANSAC), `shapes` (2D sets cut by 40 %), `strips`, `consistency` (errors over
    the predicted covariance), `time` (over that of another checkout) and `lines` (of code).

    Every registration is kept as it comes in OUTPUT/runs.jsonl with the code it was made with; a run that was
    interrupted goes on.  One core; all times of a group are of one run unless it was interrupted.
    """
    if against is not None and not (against / "src" / "svgm").is_dir():
        raise click.ClickException(f"--against must be a checkout of this project, got {against}")
    header("covariances: full against isotropic")
    store = Store(output, ALL, fresh=fresh)
    bars: list[Bar] = []
    for name in names or NAMES:
        if name in PARTS:
            bars += race.run(PARTS[name], store, pairs, limit)
        elif name == "strips":
            bars += strips.run()
        elif name == "consistency":
            bars += consistency.run()
        elif name == "lines":
            bars += checkouts.lines(against)
        elif against is not None:
            bars += checkouts.times(against, pairs)
        else:
            print("\ntime: left out: --against names no other checkout")
    print(f"\n{sum(bar.met for bar in bars)} of {len(bars)} bars met")


if __name__ == "__main__":
    main()
