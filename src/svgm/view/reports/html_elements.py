"""The HTML elements of reports as text: sections, tables, paragraphs.  All values are escaped."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from svgm.checks.arguments import kind, positive, text
from svgm.checks.errors import InputError

#: Place of a scene, and of a lower one.
SCENE, LOW_SCENE = (f'<div class="{kind}"></div>' for kind in ("svgm-scene", "svgm-scene small"))

#: How to move the view of a scene.
NAVIGATION = "Drag to turn. Hold shift and drag to move. Use the wheel to zoom. Double click to see all."


def section(title: str, *parts: str) -> str:
    """A heading, and the parts under it.

    >>> section("a < b", paragraph("text"))
    '<section><h2>a &lt; b</h2><p>text</p></section>'
    """
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def paragraph(text: str, style: str = "") -> str:
    """A paragraph of text."""
    return f'<p class="{style}">{escape(text)}</p>' if style else f"<p>{escape(text)}</p>"


def figure(content: str, caption: str) -> str:
    """A picture or a scene, given as HTML, with a caption."""
    return f"<figure>{content}<figcaption>{escape(caption)}</figcaption></figure>"


def facts(values: Mapping[str, object]) -> str:
    """Names and values in two columns."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(shown(value))}</td></tr>" for name, value in values.items())
    return f'<div class="wide"><table>{rows}</table></div>'


def numbers(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of numbers under headings."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(f'<td>{escape(shown(value))}</td>' for value in row)}</tr>" for row in rows)
    return f'<div class="wide"><table class="numbers"><tr>{head}</tr>{body}</table></div>'


def code(text: str) -> str:
    """Text in a fixed-width font, to be copied."""
    return f"<pre>{escape(text)}</pre>"


def columns(*parts: str) -> str:
    """Parts side by side where there is room."""
    return f'<div class="columns">{"".join(f"<div>{part}</div>" for part in parts)}</div>'


def shown(value: object) -> str:
    """A value as text: numbers with six digits.

    >>> shown(0.123456789), shown(None), shown([1, 2.5])
    ('0.123457', 'none', '1, 2.5')
    """
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value))
    return "none" if value is None else str(value)


def checked_settings(command: Any, settings: Any, seconds: Any) -> dict[str, Any]:
    """The settings of a run as a dict of names, after a check of command, settings and seconds.

    >>> checked_settings("svgm register a.ply b.ply", {"nu": 0.01}, 1.5)
    {'nu': 0.01}
    """
    text("command", command)
    if seconds is not None:
        positive("seconds", seconds, zero=True)
    if not isinstance(settings, Mapping | None):
        raise InputError(f"settings must be a mapping of names to values, got {kind(settings)}")
    return {text("settings", name): value for name, value in (settings or {}).items()}


def repeat(command: str, settings: Mapping[str, Any]) -> str:
    """The section on how to repeat a run: the command, the settings and the versions."""
    versions = {"Python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    for package in ("svgm", "numpy", "scipy"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:  # a checkout that is on the path but not installed
            versions[package] = "unknown"
    parts = [code(command)] if command else []
    return section("How to repeat this", *parts, columns(facts(settings), facts(versions)))
