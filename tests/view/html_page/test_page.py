"""The page of a scene: what stands in the file, and what a browser makes of it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import svgm
from svgm.datasets import body, butterfly
from svgm.rigid import apply, quaternion_rotation
from svgm.view import Cloud, Ellipsoids, Frame, Gaussians, Lines, Scene, write_html
from svgm.view.colours import SOURCE, TARGET
from svgm.view.html_page.page import document
from svgm.view.html_page.scene_data import MOST_WRITTEN_POINTS, encode
from tests.browser import Browser, Page, centroid, colours_in, drawn_share, share_of_colour
from tests.view.example_scene import SURVEY, pair


def placed(page: dict, layer: dict) -> np.ndarray:
    """The places of a layer, as the browser decodes them, before any motion."""
    data = base64.b64decode(page["arrays"][layer["places"]])
    steps = np.frombuffer(data, dtype="<u2").reshape(-1, 3) / 65535.0
    return layer["corner"] + steps * layer["size"]


@pytest.mark.parametrize("far", [0.0, SURVEY])
def test_places_and_frames_are_those_of_the_scene(far: np.ndarray | float) -> None:
    scene = pair(far)
    page = encode([scene])
    shown = page["scenes"][0]
    moving, pivot = placed(page, shown["layers"][1]), np.array(shown["pivot"])
    frame = shown["frames"][1]
    here = (moving - pivot) @ quaternion_rotation(np.array(frame["turn"])).T + frame["pivot"]
    centre = np.median(scene.places(), axis=0)
    there = apply(scene.frames[1].transformation, scene.layers[1].places) - centre
    assert np.abs(here - there).max() < 1e-4 * np.ptp(there)
    assert np.abs(placed(page, shown["layers"][0]) + centre - scene.layers[0].places).max() < 1e-4 * np.ptp(there)


def test_an_array_stands_in_the_file_once() -> None:
    points = body(500, seed=1)[0]
    layers = [Cloud(name=name, points=points) for name in "ab"]
    assert len(encode([Scene(layers), Scene(layers)])["arrays"]) == 2  # places and normals


def test_of_too_many_points_every_other_is_written() -> None:
    points = np.random.default_rng(0).normal(size=(MOST_WRITTEN_POINTS + 1, 2))
    assert (
        encode([Scene([Cloud(name="many", points=points)])])["scenes"][0]["layers"][0]["count"]
        == MOST_WRITTEN_POINTS // 2 + 1
    )


def test_normals_survive_their_two_bytes() -> None:
    points = body(300, seed=1)[0]
    page = encode([Scene([Cloud(name="body", points=points)])])
    data = base64.b64decode(page["arrays"][page["scenes"][0]["layers"][0]["normals"]])
    x, y = np.frombuffer(data, dtype=np.int8).reshape(-1, 2).T / 127.0
    z = 1.0 - np.abs(x) - np.abs(y)
    sign = np.where(np.stack([x, y]) < 0, -1.0, 1.0)
    folded = np.where(z < 0, (1.0 - np.abs([y, x])) * sign, [x, y])
    normals = np.stack([*folded, z], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    from svgm.geometry.normals import estimate_normals

    assert np.abs((normals * estimate_normals(points, neighbours=12)).sum(axis=1)).min() > 0.999


def test_text_from_outside_stays_text() -> None:
    scene = Scene([Cloud(name="</script><script>alert(1)</script>", points=butterfly(50, seed=1))], title="<b>bold</b>")
    text = document("<i>title</i>", "", [scene], "page.css")
    assert "<script>alert" not in text
    assert "<i>" not in text
    data = re.search(r'<script id="svgm-scenes" type="application/json">(.*?)</script>', text, flags=re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["scenes"][0]["layers"][0]["name"] == scene.layers[0].name


def test_the_file_names_no_address_and_allows_none(tmp_path: Path) -> None:
    write_html(pair(), tmp_path / "pair.html")
    text = (tmp_path / "pair.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|//cdn|@import|url\(", text)
    assert "default-src 'none'" in text
    with pytest.raises(svgm.FileError, match=r"a page must end in \.html"):
        write_html(pair(), tmp_path / "pair.png")
    assert [path.name for path in tmp_path.iterdir()] == ["pair.html"]


def settled(page: Page, frame: int) -> np.ndarray:
    """The picture when the scene has come to rest at a frame."""
    page.tab.wait_for_selector(f'.svgm-scene[data-frame="{frame}"]')
    return page.canvas()


def seen(page: Page, wanted: Callable[[np.ndarray], bool]) -> np.ndarray:
    """The first picture that is as wanted."""
    pictures: list[np.ndarray] = []

    def look() -> bool:
        pictures.append(page.canvas())
        return bool(wanted(pictures[-1]))

    page.until(look)
    return pictures[-1]


def slide(page: Page, frame: int) -> np.ndarray:
    page.tab.locator(".timeline input").fill(str(frame))
    return settled(page, frame)


def test_the_slider_moves_the_source(browser: Browser, tmp_path: Path) -> None:
    write_html(pair(), tmp_path / "pair.html")
    with browser.page((tmp_path / "pair.html").as_uri()) as page:
        after = settled(page, 1)
        assert drawn_share(after) > 0.05
        assert colours_in(after) > 200
        before = slide(page, 0)
        assert np.linalg.norm(centroid(after, SOURCE) - centroid(before, SOURCE)) > 40
        assert np.linalg.norm(centroid(after, TARGET) - centroid(before, TARGET)) < 20
        assert page.tab.locator(".timeline output").inner_text() == "before"

        # The scene loses its frame while it glides: the page notes it, as a look from outside may come too late.
        page.tab.evaluate(
            "new MutationObserver(() => { window.glided = true; })"
            ".observe(document.querySelector('.svgm-scene'), { attributeFilter: ['data-frame'] })"
        )
        page.tab.locator(".timeline button").click()
        page.until(lambda: page.tab.evaluate("window.glided === true"))
        assert np.linalg.norm(centroid(settled(page, 1), SOURCE) - centroid(after, SOURCE)) < 2

        page.tab.get_by_label("source").uncheck()
        page.until(lambda: share_of_colour(page.canvas(), SOURCE) == 0)
        assert share_of_colour(page.canvas(), TARGET) > 0.02
        page.check()
        assert page.requests == [(tmp_path / "pair.html").as_uri()]


def test_the_mouse_turns_moves_and_zooms(browser: Browser, tmp_path: Path) -> None:
    write_html(pair(), tmp_path / "pair.html")
    with browser.page((tmp_path / "pair.html").as_uri()) as page:
        first = settled(page, 1)

        def like_first(image: np.ndarray) -> bool:
            """But for the frame around a canvas that has the focus."""
            return bool((image == first)[8:-8, 8:-8].all())

        mouse = page.tab.mouse
        mouse.move(400, 300)
        mouse.wheel(0, -600)
        page.until(lambda: drawn_share(page.canvas()) > 1.3 * drawn_share(first))
        page.tab.get_by_role("button", name="fit").click()
        seen(page, like_first)
        for key in ((), ("Shift",)):
            for name in key:
                page.tab.keyboard.down(name)
            mouse.move(400, 300)
            mouse.down()
            mouse.move(520, 320, steps=4)
            mouse.up()
            for name in key:
                page.tab.keyboard.up(name)
            seen(page, lambda image: not like_first(image))
            if key:
                seen(page, lambda image: centroid(image, TARGET)[0] - centroid(first, TARGET)[0] > 80)
            mouse.dblclick(400, 300)
            seen(page, like_first)
        page.check()


def test_the_keyboard_turns_and_slides(browser: Browser, tmp_path: Path) -> None:
    scene = pair()
    frames = [Frame(f"{k}", scene.frames[0].transformation) for k in range(8)]
    write_html(Scene(scene.layers, [*frames, scene.frames[1]]), tmp_path / "pair.html")
    with browser.page((tmp_path / "pair.html").as_uri(), 500, 400) as page:
        settled(page, 8)
        page.tab.locator(".timeline input").focus()
        for _ in range(3):
            page.tab.keyboard.press("ArrowLeft", delay=10)
        first = settled(page, 5)
        page.tab.locator("canvas").focus()
        page.tab.keyboard.press("ArrowRight")
        seen(page, lambda image: (image != first)[8:-8, 8:-8].any())
        page.check()


def test_a_stray_point_does_not_coarsen_the_rest() -> None:
    points = np.vstack([body(1000, seed=1)[0], [[1e5, 0.0, 0.0]]])
    page = encode([Scene([Cloud(name="stray", points=points)])])
    layer = page["scenes"][0]["layers"][0]
    numbers = np.frombuffer(base64.b64decode(page["arrays"][layer["places"]]), dtype="<f4").reshape(-1, 3)
    found = numbers + layer["corner"] + np.median(points, axis=0)
    assert np.abs(found[:-1] - points[:-1]).max() < 1e-5


@pytest.mark.parametrize("d", [2, 3])
def test_points_at_one_place_are_drawn(d: int) -> None:
    assert encode([Scene([Cloud(name="one", points=np.ones((50, d)))])])["scenes"][0]["layers"][0]["spacing"] == 0.0


def test_coordinates_of_a_survey_are_drawn_as_those_near_zero(browser: Browser, tmp_path: Path) -> None:
    pictures = []
    for number, far in enumerate((0.0, SURVEY)):
        write_html(pair(far), tmp_path / f"{number}.html")
        with browser.page((tmp_path / f"{number}.html").as_uri(), 500, 400) as page:
            pictures.append(settled(page, 1))
    near, far = (image.astype(int) for image in pictures)
    assert (np.abs(near - far).max(axis=-1) > 40).mean() < 0.02


def test_the_plane_is_seen_from_above_with_all_kinds_of_layers(browser: Browser, tmp_path: Path) -> None:
    """x to the right, y up."""
    corners = np.array([[0.0, 0.0], [8.0, 0.0], [8.0, 6.0], [0.0, 6.0], [0.0, 0.0]])
    layers = [
        Lines(name="frame", vertices=corners, colour="#aa2222"),
        Cloud(name="points", points=0.5 * butterfly(500, seed=1) + [1.5, 1.5], colour=SOURCE),
        Gaussians(name="mixture", means=np.array([[6.5, 1.5]]), weights=np.ones(1), sigma=0.3, colour="#332277"),
        Ellipsoids(name="ellipse", centres=np.array([[6.5, 4.5]]), axes=np.diag([0.8, 0.4])[None], colour="#119911"),
    ]
    write_html(Scene(layers), tmp_path / "plane.html")
    with browser.page((tmp_path / "plane.html").as_uri()) as page:
        image = seen(page, lambda image: drawn_share(image) > 0.02)
        points, mixture, ellipse = (centroid(image, colour) for colour in (SOURCE, "#332277", "#119911"))
        assert mixture[0] - points[0] > 100
        assert mixture[1] - ellipse[1] > 100
        assert abs(mixture[0] - ellipse[0]) < 20
        assert share_of_colour(image, "#aa2222") > 0.001
        page.check()


def test_on_dark_paper_mixtures_are_light(browser: Browser, tmp_path: Path) -> None:
    points = body(1500, seed=1)[0]
    mixture = svgm.fit(points, gamma=4)
    layer = Gaussians(name="mixture", means=mixture.means, weights=mixture.weights, sigma=mixture.sigma)
    write_html(Scene([layer]), tmp_path / "mixture.html")
    with browser.page((tmp_path / "mixture.html").as_uri()) as page:
        light = seen(page, lambda image: drawn_share(image) > 0.05)
        page.tab.emulate_media(color_scheme="dark")
        dark = seen(page, lambda image: np.median(image) < 60)
        assert light.max(axis=(0, 1)).min() > 230
        assert light.min() < 150
        assert dark.max() > 120
        page.check()


def test_components_with_covariances_have_their_shape(browser: Browser, tmp_path: Path) -> None:
    """A plate along x of a 2D scene, and in 3D the same plate seen along z, which is turned about x by its frame."""
    colour, shape = "#cc2222", np.diag([1.0, 0.04])
    plane = Gaussians(name="p", means=[[0.0, 0.0]], weights=[1.0], sigma=1.0, covariances=[shape], colour=colour)
    corners = Lines(name="frame", vertices=4.0 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]))
    solid = np.diag([1.0, 0.04, 1.0])
    turned = Gaussians(
        name="p", means=[[0.0] * 3], weights=[1.0], sigma=1.0, covariances=[solid], colour=colour, moves=True
    )
    box = Lines(name="frame", vertices=4.0 * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]))
    quarter = np.eye(4)
    quarter[1:3, 1:3] = [[0.0, -1.0], [1.0, 0.0]]  # about x: the plate faces the viewer
    scenes = {
        "plane": Scene([corners, plane]),
        "still": Scene([box, turned], [Frame("start", np.eye(4))], towards=[0.0, 0.0, 1.0], up=[0.0, 1.0, 0.0]),
        "turned": Scene([box, turned], [Frame("end", quarter)], towards=[0.0, 0.0, 1.0], up=[0.0, 1.0, 0.0]),
    }
    ratios = {}
    for name, scene in scenes.items():
        write_html(scene, tmp_path / f"{name}.html")
        with browser.page((tmp_path / f"{name}.html").as_uri()) as page:
            image = seen(page, lambda image: share_of_colour(image, colour) > 0.0005).astype(float)
            rows, columns = np.nonzero(image[..., 0] - image[..., 1] > 40)
            ratios[name] = columns.std() / rows.std()
            page.check()
    assert ratios["plane"] > 2.0
    assert ratios["still"] > 2.0
    assert ratios["turned"] < 1.5
