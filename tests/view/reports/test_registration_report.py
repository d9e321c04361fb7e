"""The report of a registration: it says what was found, and a browser shows it without loading anything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.datasets import butterfly
from svgm.view import registration_report
from svgm.view.colours import SOURCE
from svgm.view.words import deformation_words
from tests.browser import Browser, centroid, colours_in, drawn_share
from tests.view.page_text import words_of


def test_a_registration_says_what_was_found(sets, registered: svgm.RegistrationResult, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    registration_report(
        *sets,
        registered,
        path,
        names=("<one>.ply", "two & three.ply"),
        settings={"search": "auto", "gamma": None},
        command="svgm register '<one>.ply' 'two & three.ply'",
        seconds=1.25,
    )
    words = words_of(path)
    assert "<one>.ply registered to two & three.ply" in words
    assert f"Trusted: the confidence is {registered.confidence:.2f}" in words
    assert f"{registered.overlap:.0%} of the source lies on the target" in words
    assert "The rotation is known to" in words
    assert "3,000 points in 3D" in words
    assert "The registration took 1.25 s." in words
    assert "svgm register '<one>.ply' 'two & three.ply'" in words
    assert f"svgm {svgm.__version__}" in words
    for value in registered.transformation.ravel():
        assert f"{value + 0.0: .12g}".strip() in words
    for stage in registered.stages:
        assert f"{stage.components[0]} + {stage.components[1]}" in words


def test_what_is_wrong_is_said_first(sets, registered: svgm.RegistrationResult, tmp_path: Path) -> None:
    doubtful = replace(
        registered, confidence=0.3, status=svgm.Status.MAX_ITERATIONS, alternatives=(svgm.Alternative(np.eye(4), 0.97),)
    )
    registration_report(*sets, doubtful, tmp_path / "report.html")
    words = words_of(tmp_path / "report.html")
    assert "The registration did not converge: the iterations were used up" in words
    assert "Not trusted: another pose is about as good" in words
    assert 'class="assessment bad"' in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["plane", "mixtures", "no stages", "certified"])
def test_any_registration_has_a_report(kind: str, sets, registered: svgm.RegistrationResult, tmp_path: Path) -> None:
    if kind == "mixtures":
        mixtures = [svgm.fit(points, gamma=8) for points in sets]
        registration_report(*mixtures, svgm.register(*mixtures), tmp_path / "report.html")
        assert "components in 3D" in words_of(tmp_path / "report.html")
        return
    if kind == "no stages":
        registration_report(*sets, replace(registered, stages=()), tmp_path / "report.html")
        assert "There was no annealing." in words_of(tmp_path / "report.html")
        return
    plane = butterfly(200, seed=1) + 0.2, butterfly(200, seed=2)
    search = "certified" if kind == "certified" else "auto"
    registration_report(*plane, svgm.register(*plane, search=search, seconds=0.3), tmp_path / "report.html")
    words = words_of(tmp_path / "report.html")
    assert "200 points in 2D" in words
    assert ("proven" in words) == (kind == "certified")


def test_two_whole_scans_in_five_megabytes(data: Path, browser: Browser, tmp_path: Path) -> None:
    scans = [svgm.read_points(data / "dragon_stand" / f"dragonStandRight_{angle}.ply") for angle in (24, 0)]
    source, target = (points[np.linspace(0, len(points) - 1, 40_000).astype(int)] for points in scans)
    path = tmp_path / "dragon.html"
    registration_report(source, target, svgm.register(source, target), path)
    assert path.stat().st_size <= 5_000_000
    with browser.page(path.as_uri(), 1000, 800) as page:
        page.until(lambda: drawn_share(page.canvas()) > 0.05)
        page.check()
        assert page.requests == [path.as_uri()]


def test_what_is_printed_is_light_and_whole(sets, registered, browser: Browser, tmp_path: Path) -> None:
    """Also from a dark screen, and the scenes that were never scrolled to."""
    registration_report(*sets, registered, tmp_path / "pair.html")
    with browser.page((tmp_path / "pair.html").as_uri(), 1000, 700) as page:
        page.tab.emulate_media(color_scheme="dark")
        page.until(lambda: np.median(page.canvas()) < 60)
        page.tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.until(lambda: np.median(page.canvas()) > 230)
        assert page.tab.evaluate("[...document.querySelectorAll('canvas')].every((canvas) => canvas.width > 300)")
        page.tab.evaluate("dispatchEvent(new Event('afterprint'))")
        page.until(lambda: np.median(page.canvas()) < 60)
        page.check()


def test_it_opens_in_the_browser(sets, registered, browser: Browser, tmp_path: Path) -> None:
    registration_report(*sets, registered, tmp_path / "pair.html")
    with browser.page((tmp_path / "pair.html").as_uri(), 1000, 800) as page:
        last = len(registered.stages) + 1
        page.tab.wait_for_selector(f'.svgm-scene[data-frame="{last}"]')
        after = page.canvas()
        page.tab.locator(".timeline input").fill("0")
        page.tab.wait_for_selector('.svgm-scene[data-frame="0"]')
        assert np.linalg.norm(centroid(page.canvas(), SOURCE) - centroid(after, SOURCE)) > 30
        page.until(lambda: drawn_share(page.canvas(".small canvas")) > 0.05)  # drawn when it comes into view
        assert colours_in(page.canvas(".small canvas")) > 100
        page.check()
        assert page.requests == [(tmp_path / "pair.html").as_uri()]


def test_a_deformation_is_shown_as_one(bent_sets, deformed: svgm.RegistrationResult, tmp_path: Path) -> None:
    registration_report(*bent_sets, deformed, tmp_path / "report.html", init=deformed.transformation)
    words = words_of(tmp_path / "report.html")
    for sentence in deformation_words(deformed):
        assert sentence in words
    assert "Nearest rigid motion" in words
    # What is measured on rigid registrations is not said of a deformation.
    for other in ("The rotation is known to", "Convergence", "trusted answers were wrong", "level of the annealing"):
        assert other not in words
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "warped source" in text
    assert "nearest rigid motion" in text


def test_a_deformation_of_one_point_has_a_report(bent_sets, deformed: svgm.RegistrationResult, tmp_path: Path) -> None:
    source, target = bent_sets
    registration_report(source[:1], target[:1], deformed, tmp_path / "report.html")
    registration_report(source[:1], target, replace(deformed, mixtures=None), tmp_path / "report.html")
    assert "1 points in 3D" in words_of(tmp_path / "report.html")


def test_a_browser_shows_the_deformed_source(
    bent_sets, deformed: svgm.RegistrationResult, browser: Browser, tmp_path: Path
) -> None:
    registration_report(*bent_sets, deformed, tmp_path / "bent.html")
    with browser.page((tmp_path / "bent.html").as_uri(), 1000, 800) as page:
        page.tab.wait_for_selector('.svgm-scene[data-frame="2"]')
        after = page.canvas()
        page.tab.locator(".timeline input").fill("0")
        page.tab.wait_for_selector('.svgm-scene[data-frame="0"]')
        assert np.linalg.norm(centroid(page.canvas(), SOURCE) - centroid(after, SOURCE)) > 30
        page.check()
