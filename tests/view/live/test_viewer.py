"""The live viewer, in a browser: what is drawn, what moves, and that nothing leaves the machine."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
from urllib.request import urlopen

import numpy as np
import pytest

import svgm
from svgm.datasets import body, butterfly
from svgm.rigid import apply
from svgm.view import Cloud, Ellipsoids, Frame, Gaussians, Lines, Scene, show
from svgm.view.colours import HEAT, SOURCE, TARGET
from svgm.view.live.interpolation import interpolated_pose
from svgm.view.scenes.display_coordinates import DisplayCoordinates
from tests.browser import Page, centroid, colours_in, drawn_share, share_of_colour
from tests.view.example_scene import SURVEY, pair
from tests.waiting import PATIENCE

#: What viser's page says of itself, whatever is shown.
KNOWN = ("THREE.Clock", 'computeBoundingSphere(): Computed radius is NaN. The "position" attribute')


#: Far from zero, in metres.
def settled(page: Page, colour: str) -> np.ndarray:
    """The picture when two in a row are the same and a colour is there."""

    pictures = [page.canvas()]

    def same() -> bool:
        pictures.append(page.canvas())
        return bool(share_of_colour(pictures[-1], colour) > 1e-4 and (pictures[-2] == pictures[-1]).all())

    page.until(same)
    return pictures[-1]


def test_a_registration_moves_hides_and_plays(
    browser, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with show(pair(SURVEY), open_browser=False) as live, browser.page(live.url) as page:
        after = settled(page, SOURCE)
        assert drawn_share(after) > 0.1
        assert colours_in(after) > 200
        assert live.frame == 1

        live.frame = 0
        page.until(lambda: page.tab.get_by_text("before", exact=True).count() == 1)
        page.until(lambda: np.linalg.norm(centroid(after, SOURCE) - centroid(page.canvas(), SOURCE)) > 40)
        before = settled(page, SOURCE)
        moved = np.linalg.norm(centroid(after, SOURCE) - centroid(before, SOURCE))
        assert np.linalg.norm(centroid(after, TARGET) - centroid(before, TARGET)) < moved

        # By the slider of the page: End is the last frame.
        page.tab.get_by_role("slider").first.focus()
        page.tab.keyboard.press("End")
        page.until(lambda: live.frame == 1)
        page.until(lambda: np.linalg.norm(centroid(page.canvas(), SOURCE) - centroid(after, SOURCE)) < 2)

        page.tab.get_by_role("checkbox").nth(1).click()
        page.until(lambda: share_of_colour(page.canvas(), SOURCE) == 0)
        assert share_of_colour(page.canvas(), TARGET) > 0.05
        page.tab.get_by_role("checkbox").nth(1).click()
        page.until(lambda: share_of_colour(page.canvas(), SOURCE) > 0)

        # So slow that nobody can miss it, then at once to its end.
        monkeypatch.setattr("svgm.view.live.viewer.FRAME_SECONDS", PATIENCE)
        page.tab.get_by_role("button", name="play").click()
        page.until(lambda: 0 < live.frame < 1)
        monkeypatch.setattr("svgm.view.live.viewer.FRAME_SECONDS", 0.01)
        page.until(lambda: live.frame == 1)

        # Closing while it plays is no fault either.
        monkeypatch.setattr("svgm.view.live.viewer.FRAME_SECONDS", PATIENCE)
        page.tab.get_by_role("button", name="play").click()
        page.until(lambda: 0 < live.frame < 1)
        page.check(KNOWN)
        assert any(url.startswith("ws://127.0.0.1") for url in page.requests)
        live.close()
    assert capfd.readouterr() == ("", "")


def test_coordinates_of_a_survey_are_drawn_as_those_near_zero() -> None:
    near, far = pair(), pair(SURVEY)
    for frame in (0, 1):
        drawn = [DisplayCoordinates.of(scene).display(scene.places(frame)).astype(np.float32) for scene in (near, far)]
        np.testing.assert_allclose(*drawn, atol=1e-6)
    centre = near.layers[1].places.mean(axis=0)
    half = apply(interpolated_pose(near.frames, 0.5, centre), centre[None])
    np.testing.assert_allclose(
        apply(interpolated_pose(far.frames, 0.5, centre + SURVEY), centre[None] + SURVEY),
        half + SURVEY,
        rtol=0,
        atol=1e-8,
    )


def test_the_plane_is_seen_from_above(browser) -> None:
    """With Gaussians, ellipses and lines: x to the right, y up."""
    corners = np.array([[0.0, 0.0], [8.0, 0.0], [8.0, 6.0], [0.0, 6.0]])
    layers = [
        Lines(name="frame", vertices=corners, pairs=np.array([[0, 1], [1, 2], [2, 3], [3, 0]]), colour="#222222"),
        Cloud(name="points", points=0.5 * butterfly(500, seed=1) + [1.5, 1.5], colour=SOURCE),
        Gaussians(name="mixture", means=np.array([[6.5, 1.5]]), weights=np.ones(1), sigma=0.3, colour="#332277"),
        Ellipsoids(name="ellipse", centres=np.array([[6.5, 4.5]]), axes=np.diag([0.8, 0.4])[None], colour="#119911"),
    ]
    with show(Scene(layers), open_browser=False) as live, browser.page(live.url) as page:
        image = settled(page, SOURCE)
        points, mixture, ellipse = (centroid(image, colour) for colour in (SOURCE, "#332277", "#119911"))
        assert mixture[0] - points[0] > 100
        assert abs(mixture[1] - points[1]) < 40
        assert mixture[1] - ellipse[1] > 100
        assert abs(mixture[0] - ellipse[0]) < 15
        page.tab.get_by_role("button", name="fit view").click()
        assert np.linalg.norm(centroid(settled(page, SOURCE), SOURCE) - points) < 40
        page.check(KNOWN)


def test_values_have_the_colours_of_the_map_and_layers_their_frames(browser) -> None:
    points = body(2000, seed=1)[0]
    frames = [Frame("start", np.eye(4)), Frame("end", np.eye(4))]
    layers = [
        Cloud(name="low", points=points, values=np.zeros(len(points)), frame=0),
        Cloud(name="high", points=points, values=np.ones(len(points)), frame=1),
    ]
    with show(Scene(layers, frames), open_browser=False) as live, browser.page(live.url) as page:
        page.until(lambda: share_of_colour(page.canvas(), HEAT[-1]) > 0.02)
        page.until(lambda: share_of_colour(page.canvas(), HEAT[0]) == 0)
        live.frame = 0
        page.until(lambda: share_of_colour(page.canvas(), HEAT[0]) > 0.02)
        page.until(lambda: share_of_colour(page.canvas(), HEAT[-1]) == 0)
        page.check(KNOWN)


def test_it_serves_until_it_is_closed(capfd: pytest.CaptureFixture[str]) -> None:
    with show(pair(), open_browser=False) as live:
        with urlopen(live.url, timeout=PATIENCE) as answer:
            assert b"<html" in answer.read().lower()
        assert repr(live) == f"Live({live.url!r})"
        assert live.url in live._repr_html_()
        with pytest.raises(svgm.InputError, match=r"frame must be in \[0, 1\], got 2"):
            live.frame = 2
    live.close()
    live.wait()
    assert "closed" in repr(live)
    with pytest.raises(OSError, match="refused"):
        urlopen(live.url, timeout=PATIENCE)
    assert capfd.readouterr() == ("", "")


def handshake(port: int, host: str, *origins: str) -> str:
    """The first line of the answer to a request for a WebSocket."""
    lines = [
        f"GET / HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        *(f"Origin: {origin}" for origin in origins),
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=600) as stream:
        stream.sendall("\r\n".join([*lines, "", ""]).encode())
        return stream.makefile("rb").readline().decode().strip()


def test_pages_of_other_sites_are_refused() -> None:
    with show(pair(), open_browser=False) as live:
        port = int(live.url.rpartition(":")[2])
        here = f"127.0.0.1:{port}"
        for host in (here, f"localhost:{port}", "localhost:9000", "127.0.0.1:9000", f"{socket.gethostname()}:{port}"):
            assert "101" in handshake(port, host, f"http://{host}"), host
        assert "101" in handshake(port, here)
        for origin in ("http://evil.example", "null", "http://127.0.0.1", "http://localhost:1", "file://", "http://["):
            assert "403" in handshake(port, here, origin), origin
        # A name of another site that leads here.
        assert "403" in handshake(port, f"evil.example:{port}", f"http://evil.example:{port}")
        assert "403" in handshake(port, here, f"http://{here}", "http://evil.example")


def test_a_port_that_is_taken_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(svgm.InputError, match=f"cannot listen on 127.0.0.1, port {port}"):
            show(pair(), port=port, open_browser=False)
    with pytest.raises(svgm.InputError, match=r"port must be in \[0, 65535\], got 70000"):
        show(pair(), port=70000, open_browser=False)


def test_a_scene_that_cannot_be_drawn_leaves_no_server(capfd: pytest.CaptureFixture[str]) -> None:
    before = set(threading.enumerate())
    with pytest.raises(svgm.InputError, match="#rrggbb"):
        show(Scene([Cloud(name="one", points=np.eye(3), colour="red")]), open_browser=False)
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=PATIENCE)
        assert not thread.is_alive()
    assert capfd.readouterr() == ("", "")


def test_without_viser_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(svgm.InputError, match=re.escape('pip install "svgm[view]"')):
        show(pair(), open_browser=False)


def test_a_script_that_forgets_to_close_ends_in_silence() -> None:
    code = (
        "import numpy as np; from svgm.view import Cloud, Scene, show;"
        "show(Scene([Cloud(name='a', points=np.eye(3))]), open_browser=False)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_one_point_and_one_frame_are_a_scene() -> None:
    for d in (2, 3):
        layer = Cloud(name="<one>", points=np.ones((1, d)), moves=True)
        with show(Scene([layer], [Frame("{only}", np.eye(d + 1))]), open_browser=False) as live:
            assert live.frame == 0
