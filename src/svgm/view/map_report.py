"""The report of a map: one HTML file that says which scans are in it, what holds it together, and shows it."""

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
from svgm.view.map_scene import map_scene
from svgm.view.page import check_page_path, document, write_page
from svgm.view.parts import HANDLING, SCENE, columns, facts, figure, numbers, paragraph, repeat, section, told_of

#: Rows of a table of scans or edges; more are counted.
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
    """Write a map as one HTML file that opens offline: the scans in words, a scene, edges, and what was left out.

    Parameters
    ----------
    result
        Of :func:`svgm.map`.
    path
        .html or .htm; written whole or not at all.
    names
        Of the scans, such as their files; default their numbers.
    settings, command
        What the map was asked for, by default what the result says of it, and the line that repeats it.
    seconds
        How long it took.

    Examples
    --------
    >>> import svgm, tempfile, pathlib
    >>> from svgm.datasets import laser_scan, round_walk, storey
    >>> walls = storey()
    >>> scans = [laser_scan(walls, pose, seed=k) for k, pose in enumerate(round_walk(12)[:4])]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     map_report(svgm.map(scans), pathlib.Path(folder, "map.html"))
    ...     "All 4 scans are in the map" in pathlib.Path(folder, "map.html").read_text(encoding="utf-8")
    True
    """
    check_page_path(path)
    instance("result", result, MapResult)
    told = told_of(command, result.settings if settings is None else settings, seconds)
    called = listed("names", names, str) or [f"scan {number}" for number in range(len(result.poses))]
    if len(called) != len(result.poses):
        raise InputError(f"names must be {len(result.poses)}, one a scan, got {len(called)}")
    title = f"A map of {len(result.poses)} scans"
    mark = "bad" if result.left_out or any(edge.kind == "weak" for edge in result.edges) else "good"
    words = "".join(map(paragraph, map_words(result)))
    body = "".join(
        [
            f'<h1>{escape(title)}</h1><div class="verdict {mark}">{words}</div>',
            figure(SCENE, _caption(result) + HANDLING),
            _poses(result),
            _edges(result, called),
            _left_out(result, called),
            _size(result, seconds),
            repeat(command, told),
        ]
    )
    write_page(document(title, body, [map_scene(result)], "report.css"), path)


def map_words(result: MapResult) -> list[str]:
    """How far to believe a map, a sentence each."""
    count, lost = len(result.poses), len(result.left_out)
    first = f"All {count} scans are in the map." if not lost else f"{count - lost} of {count} scans are in the map."
    kinds = Counter(edge.kind for edge in result.edges)
    measured = len(result.edges) - kinds["weak"]
    sentences = [f"{first} It rests on {_counted(measured, 'registration')}; {len(result.rejected)} were rejected."]
    if kinds["loop"]:
        sentences.append(f"{kinds['loop']} of them close loops, which hold the ends of the way together.")
    elif result.settings["order"] == "sequence" and count - lost > 2:
        sentences.append("No loop was closed: the farther along the way, the less a pose is known.")
    if kinds["weak"]:
        places = sorted(edge.source for edge in result.edges if edge.kind == "weak")
        shown = ", ".join(map(str, places[:8])) + (", ..." if len(places) > 8 else "")
        sentences.append(
            f"No registration was trusted at {_counted(kinds['weak'], 'step')} (to scan {shown}): there the parts of "
            "the map are joined by a guess."
        )
    deviations = position_deviations(result)
    known = np.flatnonzero(deviations > 0)  # the first scan is where it is
    if len(known):
        worst = int(known[np.argmax(deviations[known])])
        sentences.append(
            f"Relative to the first scan, positions are known to {np.median(deviations[known]):.2g} (median), the "
            f"least known, scan {worst}, to {deviations[worst]:.2g}, if all edges are right."
        )
    return sentences


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def position_deviations(result: MapResult) -> np.ndarray:
    """Largest standard deviation of each scan's position, (n,); NaN for those left out."""
    d = result.mixture.dimension
    found = np.full(len(result.poses), np.nan)
    for scan in np.flatnonzero(np.isfinite(result.covariances).all(axis=(1, 2))):
        found[scan] = np.sqrt(max(float(np.linalg.eigvalsh(result.covariances[scan][-d:, -d:])[-1]), 0.0))
    return found


def _caption(result: MapResult) -> str:
    if result.mixture.dimension == 2:
        return "The merged mixture and the places of the scans. "
    return "The merged mixture, coloured by height, and the places of the scans. "


def _poses(result: MapResult) -> str:
    best = np.full(len(result.poses), np.nan)
    for edge in result.edges:
        if edge.kind != "weak":
            best[edge.source] = np.fmax(best[edge.source], edge.confidence)
    scans = [float(scan) for scan in range(len(result.poses))]
    curves = {
        "deviation of the position": position_deviations(result),
        f"confidence of the best edge (trusted from {TRUSTED:g} on)": best,
    }
    charts = [svg.chart(scans, {name: y.tolist()}, width=460, x_label="scan") for name, y in curves.items()]
    return section("Along the way", columns(*charts))


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
        paragraph("The least sure of them:"),
        numbers(("source", "target", "kind", "confidence", "overlap"), lines),
    ]
    if refused:
        parts += [paragraph("Rejected, by reason:"), facts({why: str(number) for why, number in refused.most_common()})]
    return section("Edges", *parts)


def _reason(why: str) -> str:
    """The reason without its figures, so that alike ones are counted together."""
    return re.sub(r", [\d.]+,| by \d+ standard deviations", "", why)


def _left_out(result: MapResult, names: Sequence[str]) -> str:
    if not result.left_out:
        return ""
    rows = [(scan, names[scan], reason) for scan, reason in list(result.left_out.items())[:MOST_ROWS]]
    more = len(result.left_out) - len(rows)
    table = numbers(("scan", "name", "why"), rows)
    return section("Left out", table, paragraph(f"and {more} more") if more else "")


def _size(result: MapResult, seconds: float | None) -> str:
    share = len(result.mixture) / max(result.components, 1)
    size = {
        "components": f"{len(result.mixture):,}, {share:.0%} of the scans' own {result.components:,}",
        "sigma": f"{result.sigma:.4g}",
        "extent": " x ".join(f"{side:.4g}" for side in np.ptp(result.mixture.means, axis=0)),
    }
    if seconds is not None:
        size["seconds in all"] = f"{seconds:.1f}"
    return section("Size and time", columns(facts(size), facts({k: f"{v:.2f} s" for k, v in result.seconds.items()})))
