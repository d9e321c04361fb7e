"""The HTML file of scenes: it needs no server, no network and no installation."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Sequence
from importlib.resources import files

from svgm.checks.arguments import instance
from svgm.io import atomic_write
from svgm.io.errors import file_error
from svgm.io.paths import as_path
from svgm.view.html_page.scene_data import encode
from svgm.view.scenes.scene import Scene

SCRIPTS = ("space.js", "camera.js", "layers.js", "viewer.js")

#: Content security policy: it forbids the browser to load anything from elsewhere.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def write_html(scene: Scene, path: str | os.PathLike[str]) -> None:
    """Write a scene as one HTML file that opens offline in any current browser.

    Parameters
    ----------
    scene : Scene
        What to draw.  If a cloud has more than 100,000 points, every k-th point is written.
    path : str or os.PathLike
        Name of the file, .html or .htm.  It is written whole or not at all.

    Raises
    ------
    InputError
        If `scene` is not a Scene.
    FileError
        If `path` has another suffix or cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from svgm.datasets import butterfly
    >>> from svgm.view import Cloud
    >>> scene = Scene([Cloud(name="butterfly", points=butterfly(500, seed=1))])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_html(scene, pathlib.Path(folder, "butterfly.html"))
    ...     pathlib.Path(folder, "butterfly.html").read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    title = instance("scene", scene, Scene).title or "svgm"
    check_page_path(path)
    body = f'<h1>{html.escape(title)}</h1>\n<div class="svgm-scene"></div>'
    write_page(document(title, body, [scene], "page.css"), path)


def check_page_path(path: str | os.PathLike[str]) -> None:
    """Raise an error if an HTML page cannot be written to a file of this name.

    Parameters
    ----------
    path : str or os.PathLike
        Name of the file.

    Raises
    ------
    FileError
        If the name does not end in .html or .htm.

    Examples
    --------
    >>> check_page_path("report.html")
    """
    if as_path(path).suffix.lower() not in (".html", ".htm"):
        raise file_error(as_path(path), "a page must end in .html .htm")


def write_page(text: str, path: str | os.PathLike[str]) -> None:
    """Write a document, whole or not at all."""
    check_page_path(path)
    with atomic_write(path) as temporary:
        # Names of files need not be UTF-8.
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")


def document(title: str, body: str, scenes: Sequence[Scene], style: str) -> str:
    """An HTML document whose elements of the class "svgm-scene" show the scenes, in that order."""
    web = files("svgm.view.html_page").joinpath("web")
    styles = "".join(web.joinpath(name).read_text(encoding="utf-8") for name in ("scene.css", style))
    script = "".join(web.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS)
    data = json.dumps(encode(scenes), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{html.escape(title)}</title>
<style>
{styles}</style>
</head>
<body>
{body}
<script id="svgm-scenes" type="application/json">{data}</script>
<script>
(() => {{
"use strict";
{script}}})();
</script>
</body>
</html>
"""
