"""The browser that tests look through: it measures what is drawn, and nothing that a page asks for escapes it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.browser import background, centroid, colours_in, drawn_share, is_local, share_of_colour

PAGE = """<!doctype html><body style="margin: 0"><canvas width="200" height="100" style="display: block"></canvas>
<div style="position: absolute; left: 0; top: 0; width: 50px; height: 50px; background: #00ff00"></div><script>
const pen = document.querySelector("canvas").getContext("2d");
pen.fillStyle = "#eeeeee"; pen.fillRect(0, 0, 200, 100);
pen.fillStyle = "#d95f02"; pen.fillRect(100, 20, 50, 20);
WORK
</script></body>"""


def write(folder: Path, work: str = "") -> str:
    path = folder / "page.html"
    path.write_text(PAGE.replace("WORK", work), encoding="utf-8")
    return path.as_uri()


def test_it_measures_what_is_drawn(browser, tmp_path: Path) -> None:
    with browser.page(write(tmp_path)) as page:
        image = page.canvas()
        page.check()
    assert image.shape == (100, 200, 3)
    assert background(image).tolist() == [238, 238, 238]
    assert colours_in(image) == 2
    assert drawn_share(image) == share_of_colour(image, "#d95f02") == 0.05
    np.testing.assert_allclose(centroid(image, "#d95f02"), [124.5, 29.5])
    with pytest.raises(AssertionError, match="nothing of colour"):
        centroid(image, "#1b6ca8")


@pytest.mark.parametrize(
    "work",
    [
        'new Image().src = "https://example.org/pixel.png";',
        'fetch("http://10.1.2.3/").catch(() => 0);',
        'new WebSocket("wss://example.org/");',
        'console.warn("a warning");',
        'console.error("an error");',
        "nothing.there();",
    ],
)
def test_it_finds_out(browser, tmp_path: Path, work: str) -> None:
    with browser.page(write(tmp_path, work)) as page:
        page.until(lambda: page.complaints or page.blocked)
        with pytest.raises(AssertionError):
            page.check()


def test_what_is_local() -> None:
    assert all(map(is_local, ("http://127.0.0.1:1/a", "ws://localhost:2", "file:///a", "data:,a", "blob:null/a")))
    assert not any(map(is_local, ("http://127.0.0.1.example.org/", "https://example.org", "ws://10.0.0.1")))
