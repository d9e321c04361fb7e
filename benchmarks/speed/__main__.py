"""One command: ``python -m benchmarks.speed`` for everything, ``python -m benchmarks.speed fit register`` for parts."""

from __future__ import annotations

import os
from pathlib import Path

import click

import svgm
from benchmarks.report import header
from benchmarks.speed import fitting, growth, peers, process, registration, success, transform
from benchmarks.speed.clock import cores
from benchmarks.speed.findings import Findings

PARTS = ("transform", "fit", "register", "scans", "outdoor", "success", "process", "growth")


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(PARTS), metavar="[PART]...")
@click.option("--repeats", default=3, show_default=True, help="Runs behind each median; whole scans run once a pair.")
@click.option("--every", default=1, show_default=True, help="Only every so many of the dragon pairs, for a quick look.")
@click.option("--outdoor-every", default=10, show_default=True, help="Every so many of the 299 outdoor pairs.")
@click.option("--patience", default=30.0, show_default=True, help="Seconds a run of a growth curve may take.")
@click.option("--output", default="build/speed", show_default=True, type=click.Path(path_type=Path))
@click.option("--json", "file", type=click.Path(path_type=Path), help="Write all figures to this file.")
def main(
    parts: tuple[str, ...],
    repeats: int,
    every: int,
    outdoor_every: int,
    patience: float,
    output: Path,
    file: Path | None,
) -> None:
    """Time svgm beside its peers, in turn, in one run, and print ratios and bars.

    Parts, by default all of them: `transform` (the Gauss transform), `fit`, `register` (2,000-point scans), `scans`
    (whole ones), `outdoor`, `success` (time and success of all methods, and success.png in the output folder),
    `process` (the whole process of the command), `growth` (curves, and growth.png).
    """
    header("speed: ratios against peers in one run")
    # Two threads gain little while others use the cores, so say whether they did.
    load = f", load {os.getloadavg()[0]:.1f} before the start" if hasattr(os, "getloadavg") else ""
    print(f"{peers.versions()}; {cores()} cores{load}")
    findings = Findings(details={"svgm": svgm.__version__, "peers": peers.versions()})
    for part in parts or PARTS:
        if part == "transform":
            transform.run(findings, repeats)
        elif part == "fit":
            fitting.run(findings, repeats)
        elif part == "register":
            registration.subsampled(findings, repeats, every)
        elif part == "scans":
            registration.whole(findings, every)
        elif part == "outdoor":
            registration.outdoor(findings, outdoor_every)
        elif part == "success":
            success.run(findings, every, outdoor_every, output, registration.diagonal())
        elif part == "process":
            process.run(findings, repeats)
        else:
            growth.run(findings, repeats, patience, output)
    findings.finish(file)


if __name__ == "__main__":
    main()
