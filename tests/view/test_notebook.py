"""What notebooks show: small, well formed, safe, the same every time, and true."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import svgm
from svgm.datasets import body, butterfly
from svgm.mapping.edge import Edge
from svgm.rigid import apply, exp
from svgm.view import notebook
from tests.mapping.scenes import room_loop

EMPTY = {"br"}


class Reader(HTMLParser):
    """Tags that are opened and closed in order, and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text = ""
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data + " "


def read(shown: object) -> Reader:
    """The fragment of an object, held to what all fragments promise."""
    html = shown._repr_html_()  # type: ignore[attr-defined]
    assert html == shown._repr_html_()  # type: ignore[attr-defined]
    assert len(html.encode()) < 60_000
    reader = Reader(html)
    assert not {"script", "style", "link", "img", "iframe", "object"} & set(reader.seen)
    names = {name for name, _ in reader.attributes}
    assert not {"src", "href", "id", "class"} & names
    assert not any(name.startswith("on") for name in names)
    assert "url(" not in html
    assert "http" not in html
    for picture in html.split("<svg")[1:]:
        ElementTree.fromstring("<svg" + picture.split("</svg>")[0] + "</svg>")
    return reader


def test_mixture_in_2d() -> None:
    mixture = svgm.fit(butterfly(300, seed=1), gamma=10)
    reader = read(mixture)
    for fact in (str(len(mixture)), f"{mixture.sigma:.6g}", f"{mixture.bias:.6g}"):
        assert fact in reader.text
    assert reader.seen.count("circle") == len(mixture)


def test_areas_are_by_weight_and_colours_by_sign() -> None:
    means, weights = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0.8, 0.2, -0.2]
    html = svgm.Mixture(means, 0.01, weights)._repr_html_()
    assert "1 of them negative" in html
    picture = ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])
    negative, positive = picture.findall("g")
    assert negative.attrib["fill"] != positive.attrib["fill"]
    radii = [float(circle.attrib["r"]) for circle in positive]
    assert len(negative) == 1
    assert radii == sorted(radii, reverse=True)


def test_a_large_mixture_shows_its_heaviest_only() -> None:
    random = np.random.default_rng(0)
    weights = random.random(5000)
    mixture = svgm.Mixture(random.normal(size=(5000, 3)) * 1e6, 1.0, weights / weights.sum())
    reader = read(mixture)
    assert reader.seen.count("circle") == notebook.MOST_DOTS
    assert "400 heaviest" in reader.text


def test_3d_is_seen_from_the_broad_side() -> None:
    random = np.random.default_rng(1)
    flat = random.uniform(-1, 1, size=(200, 3)) * [1.0, 0.01, 0.7]
    places = notebook._flat(apply(exp([0.3, 0.5, -0.2, 5.0, 1.0, 2.0]), flat))
    assert np.ptp(places, axis=0).min() > 1.2
    one = svgm.Mixture([[1.0, 2.0, 3.0]], 1.0, [1.0])
    assert read(one).seen.count("circle") == 1


def test_registration() -> None:
    target = body(600, seed=2)[0]
    result = svgm.register(apply(exp([0.1, 0.2, 0.3, 0.1, 0.0, 0.2]), body(600, seed=1)[0]), target, search="local")
    reader = read(result)
    for words in ("degrees about", "translation", "converged", f"{result.confidence:.2f}", "overlap", "deviation"):
        assert words in reader.text
    assert ("not trusted" in reader.text) == (not result.trusted)
    assert f"{result.stages[-1].objective:.4f}" in reader.text
    assert reader.seen.count("circle") == len(result.stages)


def test_registration_without_levels_and_with_other_poses() -> None:
    points = butterfly(300, seed=1)
    result = svgm.register(points, points, search="local")
    other = svgm.Alternative(np.eye(3), 0.97)
    worse = svgm.Alternative(np.eye(3), 0.2)
    bare = replace(result, stages=(), alternatives=(other, worse), confidence=0.1)
    reader = read(bare)
    assert "circle" not in reader.seen
    assert "other poses about as good 1" in reader.text
    assert ", not trusted" in reader.text


def test_certificate() -> None:
    points = butterfly(100, seed=1)
    result = svgm.register(points, points, search="certified", gap=0.5, seconds=0.2)
    assert "no pose is better by more than" in read(result).text


@pytest.fixture(scope="module")
def chart() -> svgm.MapResult:
    return svgm.map(room_loop(40)[0][:12])


def test_map(chart: svgm.MapResult) -> None:
    reader = read(chart)
    for words in ("12 of 12", "neighbour", f"{len(chart.mixture)} of {chart.components}", f"{chart.sigma:.6g}"):
        assert words in reader.text
    assert reader.seen.count("circle") == 12 + 1


def test_a_map_escapes_reasons_and_skips_scans_that_are_left_out(chart: svgm.MapResult) -> None:
    poses = np.array(chart.poses)
    poses[3] = np.nan
    reasons = dict.fromkeys(range(3, 11), "<script>alert('&')</script>")
    reader = read(replace(chart, poses=poses, left_out=reasons))
    assert "<script>alert('&')</script>" in reader.text
    assert "3 more" in reader.text
    assert reader.seen.count("circle") == 11 + 1


def test_a_long_map_stays_small(chart: svgm.MapResult) -> None:
    random = np.random.default_rng(0)
    poses = np.tile(np.eye(4), (5000, 1, 1))
    poses[:, :3, 3] = random.normal(size=(5000, 3)).cumsum(axis=0)
    edges = tuple(Edge(k, k + 1000, np.eye(4), np.eye(6), 1.0, 1.0, "loop") for k in range(3000))
    for order in ("sequence", "unordered"):
        long = replace(chart, poses=poses, edges=edges, settings={**chart.settings, "order": order})
        assert read(long).seen.count("path") == notebook.MOST_LINES + (order == "sequence")


def test_a_map_of_nothing_placed(chart: svgm.MapResult) -> None:
    nowhere = replace(chart, poses=np.full((2, 4, 4), np.nan), edges=(), left_out={0: "a", 1: "b"})
    assert "0 of 2" in read(nowhere).text


def test_a_mixture_with_covariances_says_its_deviations() -> None:
    flat = svgm.Mixture(np.zeros((1, 2)), 4.0, [1.0], covariances=[np.diag([4.0, 0.04])])
    assert "full, median deviations (0.1, 1) sigma" in flat._repr_html_()
    assert "covariances" not in svgm.Mixture(np.zeros((1, 2)), 4.0, [1.0])._repr_html_()


def test_a_deformation_says_what_it_is(deformed: svgm.RegistrationResult) -> None:
    shown = deformed._repr_html_()
    assert f"bending energy {deformed.warp.bending:.3g}, folds at 0 source points" in shown
    assert "standard deviation" not in shown
