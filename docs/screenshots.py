"""The pictures of docs/viewing.md, taken in a browser: ``python docs/screenshots.py [folder]``.

Writes pages about generated shapes, opens each without a network and saves what it shows into the folder (default
``docs/images/viewing``).  Prints the error that the page quotes.  Needs the extras ``map`` and ``view``, playwright,
and Chromium (or a browser named by ``SVGM_BROWSER``).
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import svgm
from svgm import datasets, rigid, view
from svgm.view.words import certainty

FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"]


def report(path: Path) -> None:
    """Two views of a body 70 degrees apart, registered."""
    target, source = (
        datasets.partial_view(datasets.body(40_000, seed=seed)[0], eye, noise=0.001, seed=seed)
        for seed, eye in ((1, (7.0, 4.0, 3.0)), (2, (-2.0, 7.5, 3.0)))
    )
    away = rigid.exp([0.5, -0.3, 0.8, 0.5, -0.2, 0.1])
    source = rigid.apply(away, source)
    result = svgm.register(source, target)
    off, _ = rigid.pose_error(result.transformation, rigid.invert(away))
    print(f"report: off by {np.degrees(off):.2f} degrees", *certainty(result, source))
    view.registration_report(source, target, result, path, names=("left view", "right view"))


def storey(path: Path) -> None:
    """A laser driven around a storey, mapped without odometry."""
    walls = datasets.storey()
    scans = [datasets.laser_scan(walls, place, seed=number) for number, place in enumerate(datasets.round_walk(90))]
    view.map_report(svgm.map(scans), path)


def merged(path: Path) -> None:
    """Two occluded butterflies, merged: what was kept of each."""
    whole = datasets.butterfly(1500, seed=3)
    scale = svgm.estimate_scale(whole)
    places = (-1.6, -1.3), (2.2, 2.0)
    parts = [svgm.fit(datasets.occlude(whole, 0.25, place=place), gamma=60, scale=scale) for place in places]
    view.write_html(view.merge_scene(*parts, svgm.merge(*parts), title="Two occluded butterflies, merged"), path)


def photograph(browser: Any, page: Path, picture: Path, width: int, height: int) -> None:
    """Open a page, wait until its scene is drawn, and save the top of it."""
    tab = browser.new_page(viewport={"width": width, "height": height})
    tab.goto(page.as_uri())
    tab.wait_for_selector(".svgm-scene canvas")
    tab.wait_for_timeout(1500)
    tab.screenshot(path=picture)
    tab.close()
    print(f"{picture.name}: {picture.stat().st_size / 1e3:.0f} kB")


def main(arguments: list[str]) -> None:
    """Take all pictures."""
    folder = Path(arguments[0]) if arguments else Path(__file__).parent / "images" / "viewing"
    folder.mkdir(parents=True, exist_ok=True)
    program = os.environ.get("SVGM_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=FLAGS, chromium_sandbox=False)
        for write, width, height in ((report, 1000, 860), (storey, 1000, 800), (merged, 800, 520)):
            page = Path(temporary, f"{write.__name__}.html")
            write(page)
            photograph(browser, page, folder / f"{write.__name__}.png", width, height)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
