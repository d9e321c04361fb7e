"""Reports: what they say is what was found, and a browser shows it without asking anybody."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.datasets import body, butterfly, laser_scan, round_walk, storey
from svgm.rigid import apply, exp
from svgm.view import map_report, map_scene, merge_scene, registration_report, registration_scene
from svgm.view.canvas import SOURCE
from tests.browser import Browser, centroid, colours_in, drawn_share


class Checker(HTMLParser):
    """Every element that is opened is closed, in order; gathers the words."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br", "circle", "path"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("circle", "path"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.words.append(data)


def words_of(path: Path) -> str:
    checker = Checker()
    checker.feed(path.read_text(encoding="utf-8"))
    assert checker.open == []
    return re.sub(r"\s+", " ", " ".join(checker.words))


@pytest.fixture(scope="module")
def sets() -> tuple[np.ndarray, np.ndarray]:
    return apply(exp([0.3, 0.1, 0.4, 1.0, 0.0, 0.2]), body(3000, seed=1)[0]), body(3000, seed=2)[0]


@pytest.fixture(scope="module")
def result(sets: tuple[np.ndarray, np.ndarray]) -> svgm.RegistrationResult:
    return svgm.register(*sets)


def test_a_registration_says_what_was_found(sets, result: svgm.RegistrationResult, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    registration_report(
        *sets,
        result,
        path,
        names=("<one>.ply", "two & three.ply"),
        settings={"search": "auto", "gamma": None},
        command="svgm register '<one>.ply' 'two & three.ply'",
        seconds=1.25,
    )
    words = words_of(path)
    assert "<one>.ply registered to two & three.ply" in words
    assert f"To be trusted: confidence {result.confidence:.2f}" in words
    assert f"{result.overlap:.0%} of the source lies on the target" in words
    assert "Rotation known to" in words
    assert "3,000 points in 3D" in words
    assert "It took 1.25 s." in words
    assert "svgm register '<one>.ply' 'two & three.ply'" in words
    assert f"svgm {svgm.__version__}" in words
    for value in result.transformation.ravel():
        assert f"{value + 0.0: .12g}".strip() in words
    for stage in result.stages:
        assert f"{stage.components[0]} + {stage.components[1]}" in words


def test_what_is_wrong_is_said_first(sets, result: svgm.RegistrationResult, tmp_path: Path) -> None:
    doubtful = replace(
        result, confidence=0.3, status=svgm.Status.MAX_ITERATIONS, alternatives=(svgm.Alternative(np.eye(4), 0.97),)
    )
    registration_report(*sets, doubtful, tmp_path / "report.html")
    words = words_of(tmp_path / "report.html")
    assert "It did not converge: the iterations were used up" in words
    assert "Another pose is about as good" in words
    assert 'class="verdict bad"' in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["plane", "mixtures", "no stages", "certified"])
def test_any_registration_has_a_report(kind: str, sets, result: svgm.RegistrationResult, tmp_path: Path) -> None:
    if kind == "mixtures":
        mixtures = [svgm.fit(points, gamma=8) for points in sets]
        registration_report(*mixtures, svgm.register(*mixtures), tmp_path / "report.html")
        assert "components in 3D" in words_of(tmp_path / "report.html")
        return
    if kind == "no stages":
        registration_report(*sets, replace(result, stages=()), tmp_path / "report.html")
        assert "no annealing led to it" in words_of(tmp_path / "report.html")
        return
    plane = butterfly(200, seed=1) + 0.2, butterfly(200, seed=2)
    search = "certified" if kind == "certified" else "auto"
    registration_report(*plane, svgm.register(*plane, search=search, seconds=0.3), tmp_path / "report.html")
    words = words_of(tmp_path / "report.html")
    assert "200 points in 2D" in words
    assert ("proven" in words) == (kind == "certified")


def test_frames_and_mixtures_are_those_of_the_stages(sets, result: svgm.RegistrationResult) -> None:
    scene = registration_scene(*sets, result, init=np.eye(4))
    assert len(scene.frames) == len(result.stages) + 2
    for frame, stage in zip(scene.frames[1:], result.stages, strict=False):
        np.testing.assert_array_equal(frame.transformation, stage.transformation)
    for number, stage in enumerate(result.stages, start=1):
        sizes = [len(layer.places) for layer in scene.layers if layer.frame == number]
        assert sizes[::-1] == list(stage.components)


def test_ellipsoids_are_as_large_as_their_name_says(sets, result: svgm.RegistrationResult) -> None:
    layer = registration_scene(*sets, result).layers[-1]
    factor = float(layer.name.split()[1])
    places = apply(np.linalg.inv(result.transformation), layer.places)
    for axes, covariance in zip(layer.axes, result.covariance_at(places), strict=True):  # type: ignore[attr-defined]
        np.testing.assert_allclose(axes @ axes.T, factor**2 * covariance, rtol=1e-6, atol=1e-12)


def test_what_merging_kept_and_left_out() -> None:
    scale = 0.1
    left, right = (svgm.fit(butterfly(400, seed=seed), scale=scale) for seed in (1, 2))
    merged = svgm.merge(left, right)
    layers = {layer.name: layer for layer in merge_scene(left, right, merged).layers}
    kept = len(layers["from the target"].places) + len(layers["from the source"].places)
    assert kept == len(merged)
    assert len(layers["from the target"].places) == len(right)
    assert len(layers["left out of the source"].places) == len(left) + len(right) - len(merged)


@pytest.fixture(scope="module")
def mapped() -> svgm.MapResult:
    pytest.importorskip("gtsam")
    walls = storey()
    return svgm.map([laser_scan(walls, pose, seed=k) for k, pose in enumerate(round_walk(60)[:12])])


def test_a_map_says_what_holds_it(mapped: svgm.MapResult, tmp_path: Path) -> None:
    map_report(mapped, tmp_path / "map.html", command="svgm map scans -o map", seconds=2.0)
    words = words_of(tmp_path / "map.html")
    assert "All 12 scans are in the map" in words
    assert f"It rests on {len(mapped.edges)} registrations" in words
    assert "positions are known to" in words
    assert "svgm map scans -o map" in words
    assert f"{len(mapped.mixture):,}" in words
    lost = replace(mapped, left_out={3: "<no points>"})
    map_report(lost, tmp_path / "map.html", names=[f"{k}.ply" for k in range(12)])
    words = words_of(tmp_path / "map.html")
    assert "11 of 12 scans are in the map" in words
    assert "3.ply <no points>" in words


def test_the_scene_of_a_map(mapped: svgm.MapResult) -> None:
    layers = {layer.name: layer for layer in map_scene(mapped).layers}
    np.testing.assert_array_equal(layers["trajectory"].places, mapped.poses[:, :2, 2])
    assert {"map", "mixture", "start", "end", "other edges"} <= set(layers)
    assert np.isfinite(mapped.covariances).all()


def test_reports_in_the_browser(sets, result, mapped: svgm.MapResult, browser: Browser, tmp_path: Path) -> None:
    registration_report(*sets, result, tmp_path / "pair.html")
    map_report(mapped, tmp_path / "map.html")
    with browser.page((tmp_path / "pair.html").as_uri(), 1000, 800) as page:
        last = len(result.stages) + 1
        page.tab.wait_for_selector(f'.svgm-scene[data-frame="{last}"]')
        after = page.canvas()
        page.tab.locator(".timeline input").fill("0")
        page.tab.wait_for_selector('.svgm-scene[data-frame="0"]')
        assert np.linalg.norm(centroid(page.canvas(), SOURCE) - centroid(after, SOURCE)) > 30
        page.until(lambda: drawn_share(page.canvas(".small canvas")) > 0.05)  # drawn when it comes into view
        assert colours_in(page.canvas(".small canvas")) > 100
        page.check()
        assert page.requests == [(tmp_path / "pair.html").as_uri()]
    with browser.page((tmp_path / "map.html").as_uri(), 1000, 800) as page:
        page.until(lambda: drawn_share(page.canvas()) > 0.002)
        page.check()


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


def test_what_is_printed_is_light_and_whole(sets, result, browser: Browser, tmp_path: Path) -> None:
    """Also from a dark screen, and the scenes that were never scrolled to."""
    registration_report(*sets, result, tmp_path / "pair.html")
    with browser.page((tmp_path / "pair.html").as_uri(), 1000, 700) as page:
        page.tab.emulate_media(color_scheme="dark")
        page.until(lambda: np.median(page.canvas()) < 60)
        page.tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.until(lambda: np.median(page.canvas()) > 230)
        assert page.tab.evaluate("[...document.querySelectorAll('canvas')].every((canvas) => canvas.width > 300)")
        page.tab.evaluate("dispatchEvent(new Event('afterprint'))")
        page.until(lambda: np.median(page.canvas()) < 60)
        page.check()
