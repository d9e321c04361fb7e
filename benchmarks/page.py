"""The report of two whole scans: its size, and how long a browser takes to open it without a network.

``python -m benchmarks.page`` needs the data behind ``SVGM_DATA``, playwright (of the extra ``test``) and Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

import svgm
import svgm.view
from benchmarks.datasets import folder
from benchmarks.report import bar, header

POINTS = 40_000
REPEATS = 7


def opened(browser: object, url: str) -> tuple[float, int]:
    """Seconds from asking for a page to its first picture being drawn, and how many requests it made."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})  # type: ignore[attr-defined]
    context.set_offline(True)
    page = context.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    begin = time.perf_counter()
    page.goto(url)
    page.wait_for_selector(".svgm-scene[data-frame]")
    seconds = time.perf_counter() - begin
    context.close()
    return seconds, len(requests)


def main() -> None:
    """Print the figures; with ``--picture FILE`` also draw the top of the report, as the documents show it."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(prog="python -m benchmarks.page")
    parser.add_argument("--picture", type=Path, help="write the top of the report here, .png")
    arguments = parser.parse_args()

    header(f"report of two scans of {POINTS:,} points (DRAGON-STAND, 24 and 0 degrees), opened {REPEATS} times offline")
    dragon = folder() / "dragon_stand"
    scans = [svgm.read_points(dragon / f"dragonStandRight_{angle}.ply") for angle in (24, 0)]
    # As many points as the bar says, evenly chosen: of the smaller scan some come twice.
    source, target = (points[np.linspace(0, len(points) - 1, POINTS).astype(int)] for points in scans)
    begin = time.perf_counter()
    result = svgm.register(source, target)
    between = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as play:
        path = Path(temporary, "report.html")
        names = "dragonStandRight_24.ply", "dragonStandRight_0.ply"
        svgm.view.registration_report(source, target, result, path, names=names)
        print(f"registered in {between - begin:.2f} s, report written in {time.perf_counter() - between:.2f} s")
        program = os.environ.get("SVGM_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
        flags = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"]
        browser = play.chromium.launch(executable_path=program, args=flags, chromium_sandbox=False)
        print(f"Chromium {browser.version}, no graphics card")
        times, requests = zip(*(opened(browser, path.as_uri()) for _ in range(REPEATS)), strict=True)
        if arguments.picture is not None:
            page = browser.new_page(viewport={"width": 1080, "height": 840})
            page.goto(path.as_uri())
            page.wait_for_selector(".svgm-scene[data-frame]")
            page.wait_for_timeout(500)
            page.screenshot(path=arguments.picture)
        browser.close()
        bar("size of the report (MB)", path.stat().st_size / 1e6, 5.0)
    bar("seconds until the scene is drawn, median", float(np.median(times)), 3.0)
    bar("seconds until the scene is drawn, worst", max(times), 3.0)
    bar("requests but for the file itself", max(requests) - 1, 0)


if __name__ == "__main__":
    main()
