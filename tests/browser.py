"""A headless browser for tests of what is drawn in one: it records every complaint and every request of a page.

A conftest.py imports the fixture `browser`, and a test opens pages in it:

    def test_page(browser):
        with browser.page(file.as_uri()) as page:
            page.until(lambda: drawn_share(page.canvas()) > 0.01)
            page.check()
"""

from __future__ import annotations

import io
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from tests.waiting import PATIENCE

#: WebGL without a graphics card, and nothing that a browser asks the world by itself.
ARGUMENTS = [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    # Names of other machines are not even looked up.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]

#: What a page may ask for: itself, and this machine.
LOCAL_SCHEMES, LOCAL_HOSTS = ("file", "data", "blob", "about"), ("127.0.0.1", "localhost")

#: Chromium's own words on how slowly it draws without a graphics card.
HARMLESS = ("GPU stall due to ReadPixels", "GL Driver Message", "Automatic fallback to software WebGL")


class Page:
    """A page that is open, what it complained of, and what it asked for."""

    def __init__(self, tab: Any) -> None:
        self.tab = tab
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.blocked: list[str] = []

    def check(self, known: tuple[str, ...] = ()) -> None:
        """Fail if the page complained, but for what holds known words, or asked for anything outside this machine."""
        assert not [text for text in self.complaints if not any(words in text for words in known)]
        assert not [url for url in self.requests if not is_local(url)]
        assert not self.blocked

    def canvas(self, selector: str = "canvas") -> np.ndarray:
        """The pixels (height, width, 3) of the first canvas as the screen shows it, without what lies over it."""
        from PIL import Image

        alone = f"body * {{ visibility: hidden !important; }} {selector} {{ visibility: visible !important; }}"
        picture = self.tab.locator(selector).first.screenshot(style=alone)
        return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"))

    def until(self, what: Callable[[], Any], seconds: float = PATIENCE) -> Any:
        """Ask again until the answer is true: what a page draws comes some time after it is told to."""
        limit = time.monotonic() + seconds
        while not (answer := what()):
            assert time.monotonic() < limit, f"not within {seconds} s; complaints of the page: {self.complaints}"
            self.tab.wait_for_timeout(100)
        return answer


class Browser:
    """A browser that is running."""

    def __init__(self, chromium: Any) -> None:
        self._chromium = chromium

    @contextmanager
    def page(self, url: str, width: int = 640, height: int = 480) -> Iterator[Page]:
        """Open a page in a window of its own."""
        context = self._chromium.new_context(viewport={"width": width, "height": height})
        try:
            context.set_default_timeout(1000 * PATIENCE)
            tab = context.new_page()
            page = Page(tab)

            def ask(route: Any) -> None:
                if is_local(route.request.url):
                    route.continue_()
                else:
                    page.blocked.append(route.request.url)
                    route.abort()

            def refuse(socket: Any) -> None:
                page.blocked.append(socket.url)
                socket.close()

            context.route("**/*", ask)
            context.route_web_socket(lambda url: not is_local(url), refuse)
            tab.on("request", lambda request: page.requests.append(request.url))
            tab.on("websocket", lambda socket: page.requests.append(socket.url))
            tab.on("pageerror", lambda error: page.complaints.append(f"error: {error}"))
            tab.on("console", lambda message: complain(page, message))
            tab.goto(url)
            yield page
        finally:
            context.close()


def complain(page: Page, message: Any) -> None:
    """Keep a warning or an error of the page's console."""
    if message.type in ("warning", "error") and not any(words in message.text for words in HARMLESS):
        page.complaints.append(f"{message.type}: {message.text}")


def is_local(url: str) -> bool:
    """Whether a request stays on this machine."""
    parts = urlsplit(url)
    return parts.scheme in LOCAL_SCHEMES or parts.hostname in LOCAL_HOSTS


def background(image: np.ndarray) -> np.ndarray:
    """The colour (3,) that most of the pixels have."""
    colours, counts = np.unique(image.reshape(-1, 3), axis=0, return_counts=True)
    return colours[counts.argmax()]


def drawn_share(image: np.ndarray, tolerance: int = 12) -> float:
    """The share of pixels that are not background."""
    return float((np.abs(image.astype(int) - background(image)).max(axis=-1) > tolerance).mean())


def colours_in(image: np.ndarray) -> int:
    """How many colours there are."""
    return len(np.unique(image.reshape(-1, 3), axis=0))


def of_colour(image: np.ndarray, colour: str, angle: float = 12.0) -> np.ndarray:
    """Where pixels (height, width) have the hue of "#rrggbb", lit or not: within an angle in degrees of its direction
    from grey."""
    wanted = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=float)
    pixels = image.astype(float)
    away, direction = pixels - pixels.mean(axis=-1, keepdims=True), wanted - wanted.mean()
    length = np.linalg.norm(away, axis=-1)
    cosine = away @ direction / np.maximum(length * np.linalg.norm(direction), 1e-9)
    return (length > 25.0) & (cosine > np.cos(np.radians(angle)))


def share_of_colour(image: np.ndarray, colour: str) -> float:
    """The share of pixels of a hue."""
    return float(of_colour(image, colour).mean())


def centroid(image: np.ndarray, colour: str) -> np.ndarray:
    """The middle (x, y) of the pixels of a hue, in pixels from the upper left."""
    rows, columns = np.nonzero(of_colour(image, colour))
    assert len(rows), f"nothing of colour {colour} is drawn"
    return np.array([columns.mean(), rows.mean()])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, that of the system or of SVGM_BROWSER; a test that needs it is skipped without, and fails on CI."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = os.environ.get("SVGM_BROWSER") or next(filter(None, map(shutil.which, names)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("playwright is not installed")
    if program is None:
        absent("there is no browser: install chromium, or name one by SVGM_BROWSER")
    with sync_playwright() as play:
        chromium = play.chromium.launch(
            executable_path=program, args=ARGUMENTS, chromium_sandbox=False, timeout=1000 * PATIENCE
        )
        try:
            yield Browser(chromium)
        finally:
            chromium.close()


def absent(reason: str) -> None:
    """Skip, or on CI fail."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
