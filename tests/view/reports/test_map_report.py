"""The report of a map: it says how complete and how reliable the map is, and a browser shows it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import svgm
from svgm.view import map_report
from tests.browser import Browser, drawn_share
from tests.view.page_text import words_of


def test_a_map_says_what_holds_it(mapped: svgm.MapResult, tmp_path: Path) -> None:
    map_report(mapped, tmp_path / "map.html", command="svgm map scans -o map", seconds=2.0)
    words = words_of(tmp_path / "map.html")
    assert "All 12 scans are in the map" in words
    assert f"The map uses {len(mapped.edges)} registrations" in words
    assert "positions relative to the first scan are known to" in words
    assert "svgm map scans -o map" in words
    assert f"{len(mapped.mixture):,}" in words
    lost = replace(mapped, left_out={3: "<no points>"})
    map_report(lost, tmp_path / "map.html", names=[f"{k}.ply" for k in range(12)])
    words = words_of(tmp_path / "map.html")
    assert "11 of 12 scans are in the map" in words
    assert "3.ply <no points>" in words


def test_it_opens_in_the_browser(mapped: svgm.MapResult, browser: Browser, tmp_path: Path) -> None:
    map_report(mapped, tmp_path / "map.html")
    with browser.page((tmp_path / "map.html").as_uri(), 1000, 800) as page:
        page.until(lambda: drawn_share(page.canvas()) > 0.002)
        page.check()
