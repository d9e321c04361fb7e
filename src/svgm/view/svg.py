"""Small pictures as SVG text inside HTML: dots, lines, text, and a chart with axes.

The SVG has no identifiers that could clash on a page, and loads nothing.  Axes and text take the colour of the text
around them, so a picture is readable on light and on dark pages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape

#: Colours of the data, used in turn; all are visible on white and on black.
COLOURS = ("#3f83d6", "#dd7230", "#3a9a6a", "#9a6bc9", "#b8860b")

Place = Sequence[float]


def picture(width: float, height: float, *parts: str, label: str = "") -> str:
    """The parts as one picture, in pixels, y downwards; screen readers read the label.

    >>> picture(10, 10, line([(0, 0), (9, 9)]), label="a line")[:54]
    '<svg width="10" height="10" viewBox="0 0 10 10" role="'
    """
    size = f'width="{_short(width)}" height="{_short(height)}" viewBox="0 0 {_short(width)} {_short(height)}"'
    style = "max-width:100%;height:auto;overflow:visible"
    return f'<svg {size} role="img" aria-label="{escape(label)}" style="{style}">{"".join(parts)}</svg>'


def dots(places: Iterable[Place], radii: Iterable[float], *, colour: str = COLOURS[0], opacity: float = 0.6) -> str:
    """Filled circles; those with a coordinate that is not finite are left out.

    >>> dots([(1.0, 2.0), (float("nan"), 0.0)], [3.0, 3.0])
    '<g fill="#3f83d6" fill-opacity="0.6"><circle cx="1" cy="2" r="3"/></g>'
    """
    circles = (
        f'<circle cx="{_short(x)}" cy="{_short(y)}" r="{_short(radius)}"/>'
        for (x, y), radius in zip(places, radii, strict=True)
        if _finite(x, y, radius)
    )
    return f'<g fill="{escape(colour)}" fill-opacity="{_short(opacity)}">{"".join(circles)}</g>'


def line(places: Iterable[Place], *, colour: str = COLOURS[0], width: float = 1.5, opacity: float = 1.0) -> str:
    """A line through the places, interrupted at places that are not finite.

    >>> line([(0, 0), (1, 2), (float("nan"), 0), (3, 3), (4, 4)], width=1)
    '<path d="M0 0L1 2M3 3L4 4" fill="none" stroke="#3f83d6" stroke-width="1"/>'
    """
    path, pen = [], "M"
    for x, y in places:
        if _finite(x, y):
            path.append(f"{pen}{_short(x)} {_short(y)}")
        pen = "L" if _finite(x, y) else "M"
    faint = "" if opacity == 1.0 else f' stroke-opacity="{_short(opacity)}"'
    return f'<path d="{"".join(path)}" fill="none" stroke="{escape(colour)}" stroke-width="{_short(width)}"{faint}/>'


def words(x: float, y: float, text: str, *, anchor: str = "start", colour: str = "currentColor", size: int = 11) -> str:
    """Text that starts ("start"), ends ("end") or is centred ("middle") at a place.

    >>> words(1, 2, "a < b")
    '<text x="1" y="2" text-anchor="start" font-size="11" fill="currentColor">a &lt; b</text>'
    """
    where = f'x="{_short(x)}" y="{_short(y)}" text-anchor="{escape(anchor)}"'
    return f'<text {where} font-size="{size}" fill="{escape(colour)}">{escape(text)}</text>'


def within(places: Sequence[Place], width: float, height: float, *, margin: float = 8.0) -> list[tuple[float, float]]:
    """Places moved and scaled into a picture, by the same factor in x and y; y points up before and down after.

    >>> within([(0, 0), (2, 1)], 120, 80, margin=10)
    [(10.0, 65.0), (110.0, 15.0)]
    """
    known = [(x, y) for x, y in places if _finite(x, y)]
    if not known:
        return [(math.nan, math.nan)] * len(places)
    low = [min(place[axis] for place in known) for axis in (0, 1)]
    high = [max(place[axis] for place in known) for axis in (0, 1)]
    room = width - 2.0 * margin, height - 2.0 * margin
    scale = min((room[axis] / (high[axis] - low[axis]) for axis in (0, 1) if high[axis] > low[axis]), default=1.0)
    middle = [0.5 * (low[axis] + high[axis]) for axis in (0, 1)]
    return [(0.5 * width + scale * (x - middle[0]), 0.5 * height - scale * (y - middle[1])) for x, y in places]


def ticks(low: float, high: float, count: int = 4) -> list[float]:
    """About `count` round numbers between two numbers.

    >>> ticks(-0.93, -0.31)
    [-0.8, -0.6, -0.4]
    """
    if not high > low:
        return [low]
    power = 10.0 ** math.floor(math.log10((high - low) / count))
    step = min((power * k for k in (1, 2, 5, 10)), key=lambda step: abs((high - low) / step - count))
    first = math.ceil(low / step - 1e-9)
    return [float(f"{k * step:.12g}") + 0.0 for k in range(first, math.floor(high / step + 1e-9) + 1)]


def chart(
    x: Sequence[float],
    series: Mapping[str, Sequence[float]],
    *,
    width: float = 340.0,
    height: float = 170.0,
    x_label: str = "",
    y_label: str = "",
    log_x: bool = False,
    log_y: bool = False,
) -> str:
    """A chart of lines over common x, with axes; several lines have their names below.

    Values that are not finite, or not positive on a logarithmic axis, are left out.

    >>> text = chart([1, 10, 100], {"objective": [-0.9, -0.7, -0.6]}, x_label="gamma", log_x=True)
    >>> text.count("<circle"), "gamma" in text, "objective" in text
    (3, True, True)
    """
    across = [_scaled(value, log_x) for value in x]
    lines = {name: [_scaled(value, log_y) for value in values] for name, values in series.items()}
    shown = [(a, b) for values in lines.values() for a, b in zip(across, values, strict=True) if _finite(a, b)]
    label = f"{y_label or ', '.join(series)} over {x_label or 'x'}"
    if not shown:
        return picture(width, height, words(width / 2, height / 2, "nothing to show", anchor="middle"), label=label)
    (left, right), (low, high) = (_range([place[axis] for place in shown]) for axis in (0, 1))
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
    named = len(lines) > 1
    x0, x1, y0, y1 = 48.0, width - 12.0, height - 34.0 - 16.0 * named, 18.0

    def place(a: float, b: float) -> tuple[float, float]:
        return x0 + (a - left) / (right - left) * (x1 - x0), y0 + (b - low) / (high - low) * (y1 - y0)

    parts = [words(4, 10, y_label or (next(iter(lines)) if len(lines) == 1 else ""))]
    for value in _ticks(low, high, 4, log_y):
        y = place(left, value)[1]
        parts.append(line([(x0, y), (x1, y)], colour="currentColor", width=1, opacity=0.15))
        parts.append(words(x0 - 5, y + 4, _tick(value, log_y), anchor="end"))
    counted = not log_x and all(value == round(value) for value in across if _finite(value))
    for value in _ticks(left, right, 5, log_x):
        if counted and value != round(value):  # whole numbers, such as scans, have no ticks between
            continue
        spot = place(value, low)[0]
        parts.append(line([(spot, y0), (spot, y0 + 4)], colour="currentColor", width=1, opacity=0.5))
        parts.append(words(spot, y0 + 16, _tick(value, log_x), anchor="middle"))
    parts.append(line([(x0, y0), (x1, y0)], colour="currentColor", width=1, opacity=0.5))
    parts.append(words(x1, y0 + 29, x_label, anchor="end"))
    at = x0
    for number, (name, values) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [place(a, b) for a, b in zip(across, values, strict=True)]
        parts += [line(places, colour=colour), dots(places, [2.5] * len(places), colour=colour, opacity=1.0)]
        if named:
            parts.append(words(at, height - 4, name, colour=colour))
            at += 6.5 * len(name) + 16.0
    return picture(width, height, *parts, label=label)


def _finite(*values: float) -> bool:
    return all(map(math.isfinite, values))


def _scaled(value: float, log: bool) -> float:
    if not log:
        return float(value)
    return math.log10(value) if value > 0 else math.nan


def _range(values: list[float]) -> tuple[float, float]:
    """The least and the largest value, and some width if they are equal."""
    low, high = min(values), max(values)
    if high - low > 1e-9 * max(abs(low), abs(high)):
        return low, high
    half = 0.5 * abs(low) or 0.5
    return low - half, high + half


def _ticks(low: float, high: float, count: int, log: bool) -> list[float]:
    """Round numbers; on a logarithmic axis, powers of ten if there are at least two."""
    found = ticks(low, high, count)
    whole = [value for value in found if value == round(value)]
    return whole if log and len(whole) > 1 else found


def _tick(value: float, log: bool) -> str:
    return f"{float(f'{10.0**value:.2g}'):g}" if log else f"{value:.6g}"


def _short(value: float) -> str:
    """A number of pixels with at most two decimals."""
    return f"{round(float(value), 2) + 0.0:g}"
