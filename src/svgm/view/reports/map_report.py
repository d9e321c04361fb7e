"""The report of a map: one HTML file with the scans and edges in words, a scene, charts and tables."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from svgm.checks.arguments import instance, listed
from svgm.checks.errors import InputError
from svgm.mapping.result import MapResult
from svgm.registration.confidence import TRUSTED
from svgm.view import svg
from svgm.view.html_page.page import check_page_path, document, write_page
from svgm.view.reports.html_elements import (
    NAVIGATION,
    SCENE,
    checked_settings,
    columns,
    facts,
    figure,
    numbers,
    paragraph,
    repeat,
    section,
)
from svgm.view.scenes.map_scene import map_scene
from svgm.view.scenes.uncertainty import position_deviations
from svgm.view.words import map_assessment

#: Rows of a table of scans, at most; the number of the others is given.
MOST_ROWS = 30


def map_report(
    result: MapResult,
    path: str | os.PathLike[str],
    *,
    names: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    command: str = "",
    seconds: float | None = None,
) -> None:
    """Write the report of a map as one HTML file that opens offline.

    The report says in words how many scans are in the map and how reliable it is.  Below are a scene, charts along the
    trajectory, the edges, the scans that were left out, and what is needed to repeat the map.

    Parameters
    ----------
    result : MapResult
        Returned by :func:`svgm.map`.
    path : str or os.PathLike
        Name of the file, .html or .htm.  It is written whole or not at all.
    names : sequence of str, default ()
        Names of all scans, such as their files.  The default is their numbers.
    settings : mapping of str to object, optional
        Settings of the map, shown in the report.  The default is ``result.settings``.
    command : str, default ""
        Command that repeats the map, shown in the report.
    seconds : float, optional
        Duration of the run, zero or more, shown in the report.

    Raises
    ------
    InputError
        If the number of names is not that of the scans, or an argument is not what is said above.
    FileError
        If `path` has another suffix or cannot be written.

    Examples
    --------
    >>> import svgm, tempfile, pathlib
    >>> from svgm.datasets import laser_scan, round_walk, storey
    >>> walls = storey()
    >>> scans = [laser_scan(walls, pose, seed=k) for k, pose in enumerate(round_walk(90)[:4])]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     map_report(svgm.map(scans), pathlib.Path(folder, "map.html"))
    ...     "All 4 scans are in the map" in pathlib.Path(folder, "map.html").read_text(encoding="utf-8")
    True
    """
    check_page_path(path)
    instance("result", result, MapResult)
    asked = checked_settings(command, result.settings if settings is None else settings, seconds)
    called = listed("names", names, str) or [f"scan {number}" for number in range(len(result.poses))]
    if len(called) != len(result.poses):
        raise InputError(f"names must be {len(result.poses)}, one for each scan, got {len(called)}")
    title = f"A map of {len(result.poses)} scans"
    mark = "bad" if result.left_out or not result.whole else "good"
    words = "".join(map(paragraph, map_assessment(result)))
    body = "".join(
        [
            f'<h1>{escape(title)}</h1><div class="assessment {mark}">{words}</div>',
            figure(SCENE, _caption(result) + NAVIGATION),
            _poses(result),
            _edges(result, called),
            _left_out(result, called),
            _size(result, seconds),
            repeat(command, asked),
        ]
    )
    write_page(document(title, body, [map_scene(result)], "report.css"), path)


def _caption(result: MapResult) -> str:
    if result.mixture.dimension == 2:
        return "The merged mixture and the positions of the scans. "
    return "The merged mixture, coloured by height, and the positions of the scans. "


def _poses(result: MapResult) -> str:
    best = np.full(len(result.poses), np.nan)
    for edge in result.edges:
        if edge.kind != "weak":
            best[edge.source] = np.fmax(best[edge.source], edge.confidence)
    scans = [float(scan) for scan in range(len(result.poses))]
    curves = {
        "standard deviation of the position": position_deviations(result),
        f"confidence of the best edge (trusted if at least {TRUSTED:g})": best,
    }
    charts = [svg.chart(scans, {name: y.tolist()}, width=460, x_label="scan") for name, y in curves.items()]
    return section("Along the trajectory", columns(*charts))


def _edges(result: MapResult, names: Sequence[str]) -> str:
    rows = []
    for kind in sorted({edge.kind for edge in result.edges}):
        chosen = [edge for edge in result.edges if edge.kind == kind]
        low, middle = np.quantile([edge.confidence for edge in chosen], [0.0, 0.5])
        overlap = np.median([edge.overlap for edge in chosen])
        rows.append((kind, len(chosen), f"{low:.2f}", f"{middle:.2f}", f"{overlap:.0%}"))
    table = numbers(("kind", "edges", "least confidence", "median", "median overlap"), rows)
    weakest = sorted(result.edges, key=lambda edge: edge.confidence)[: MOST_ROWS // 3]
    lines = [(names[e.source], names[e.target], e.kind, f"{e.confidence:.2f}", f"{e.overlap:.0%}") for e in weakest]
    refused = Counter(_reason(why) for _, why in result.rejected)
    parts = [
        table,
        paragraph("The edges with the least confidence:"),
        numbers(("source", "target", "kind", "confidence", "overlap"), lines),
    ]
    if refused:
        parts += [
            paragraph("Rejected registrations, by reason:"),
            facts({why: str(number) for why, number in refused.most_common()}),
        ]
    return section("Edges", *parts)


def _reason(why: str) -> str:
    """The reason without its numbers, so that equal reasons are counted together."""
    return re.sub(r", [\d.]+,| by \d+ standard deviations", "", why)


def _left_out(result: MapResult, names: Sequence[str]) -> str:
    if not result.left_out:
        return ""
    rows = [(scan, names[scan], reason) for scan, reason in list(result.left_out.items())[:MOST_ROWS]]
    more = len(result.left_out) - len(rows)
    table = numbers(("scan", "name", "reason"), rows)
    return section("Left out", table, paragraph(f"{more} more scans were left out.") if more else "")


def _size(result: MapResult, seconds: float | None) -> str:
    share = len(result.mixture) / max(result.components, 1)
    size = {
        "components": f"{len(result.mixture):,}, {share:.0%} of the {result.components:,} of all scans",
        "sigma": f"{result.sigma:.4g}",
        "extent": " x ".join(f"{side:.4g}" for side in np.ptp(result.mixture.means, axis=0)),
    }
    if seconds is not None:
        size["seconds in total"] = f"{seconds:.1f}"
    return section("Size and time", columns(facts(size), facts({k: f"{v:.2f} s" for k, v in result.seconds.items()})))
