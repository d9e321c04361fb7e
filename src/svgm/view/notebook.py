"""What a notebook shows of a mixture, a registration and a map: HTML fragments without scripts and style sheets.

The fragments are made from plain values, so that this module does not import the classes that it shows.  They take the
colours of the page, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from textwrap import shorten
from typing import Any

import numpy as np

from svgm.geometry.points import Array
from svgm.rigid import rotation_log
from svgm.view import svg

#: Components, or scans of a map, that a picture shows, at most.
MOST_DOTS = 400

#: Edges between scans that a picture shows, at most, and scans that were left out and are listed, at most.
MOST_LINES, MOST_LISTED = 200, 5

#: Share of a picture that its components cover.
COVERED_SHARE = 0.12

_FONT = "font:13px/1.5 system-ui,sans-serif;color:inherit"
_CELL = "padding:1px 14px 1px 0;text-align:left;vertical-align:top;border:0;background:none"
_NUMBER = "padding:1px 0 1px 14px;text-align:right;border:0;background:none"
_TABLE = "border-collapse:collapse;border:0;margin:4px 0;font:inherit;color:inherit"
_GOOD, _BAD = svg.COLOURS[2], svg.COLOURS[1]


def card(title: str, facts: Mapping[str, object], *parts: str) -> str:
    """A title, facts in two columns, and beside them other parts, given as HTML.

    >>> "<b>1 &lt; 2</b>" in card("1 < 2", {"name": "a & b"}), "a &amp; b" in card("", {"name": "a & b"})
    (True, True)
    """
    rows = "".join(
        f'<tr style="background:none"><td style="{_CELL};opacity:.7">{escape(name)}</td>'
        f'<td style="{_CELL}">{escape(str(value))}</td></tr>'
        for name, value in facts.items()
    )
    table = f'<table style="{_TABLE}">{rows}</table>'
    beside = "".join(f"<div>{part}</div>" for part in parts)
    columns = f'<div style="display:flex;flex-wrap:wrap;gap:8px 28px;align-items:flex-start">{table}{beside}</div>'
    return f'<div style="{_FONT}"><b>{escape(title)}</b>{columns}</div>'


def rows(headings: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """A table of numbers under headings.

    >>> rows(["level"], [[1], [2]]).count("<tr")
    3
    """
    head = "".join(
        f'<th style="{_NUMBER};font-weight:normal;opacity:.7">{escape(heading)}</th>' for heading in headings
    )
    body = "".join(
        '<tr style="background:none">'
        + "".join(f'<td style="{_NUMBER}">{escape(str(value))}</td>' for value in line)
        + "</tr>"
        for line in lines
    )
    style = f"{_TABLE};font-variant-numeric:tabular-nums"
    return f'<table style="{style}"><tr style="background:none">{head}</tr>{body}</table>'


def mixture(means: Array, weights: Array, sigma: float, bias: float | None, covariances: Array | None = None) -> str:
    """A mixture: its facts, and its heaviest components as dots, whose area is their weight.

    >>> mixture(np.array([[0.0, 0.0], [1.0, 0.5]]), np.array([0.25, 0.75]), 0.5, None).count("<circle")
    2
    """
    count, dimension = means.shape
    negative = int((weights < 0).sum())
    facts = {
        "components": f"{count}" + (f", {negative} of them negative (free space)" if negative else ""),
        "dimension": dimension,
        "sigma": f"{sigma:.6g}",
        **({} if covariances is None else {"covariances": _deviations(covariances, sigma)}),
        "bias": "none (not trained as an SVM)" if bias is None else f"{bias:.6g}",
        "signed": "yes" if negative else "no",
        "extent": numbers(np.ptp(means, axis=0)),
    }
    heavy = np.argsort(-np.abs(weights), kind="stable")[:MOST_DOTS]
    if count > MOST_DOTS:
        facts["picture"] = f"the {MOST_DOTS} heaviest components"
    width, height = 300.0, 220.0
    places = svg.within(_flat(means)[heavy].tolist(), width, height, margin=14.0)
    shares = np.abs(weights[heavy])
    radii = np.clip(np.sqrt(COVERED_SHARE * width * height / np.pi * shares / max(shares.sum(), 1e-300)), 0.8, 12.0)
    parts = []
    for chosen, colour in ((weights[heavy] < 0, svg.COLOURS[1]), (weights[heavy] >= 0, svg.COLOURS[0])):
        if chosen.any():
            index = np.flatnonzero(chosen)
            parts.append(svg.dots([places[k] for k in index], [float(radii[k]) for k in index], colour=colour))
    label = f"components of the mixture{', seen from its broad side' if dimension > 2 else ''}"
    return card("Mixture", facts, svg.picture(width, height, *parts, label=label))


def _deviations(covariances: Array, sigma: float) -> str:
    """The medians of the components' standard deviations, from the shortest axis to the longest."""
    deviations = np.sqrt(np.median(np.linalg.eigvalsh(covariances), axis=0)) / sigma
    return f"full, median deviations {numbers(deviations, '.2g')} sigma"


def registration(record: Mapping[str, Any], as_good: int) -> str:
    """A registration, from ``RegistrationResult.as_dict()`` and the number of other poses that are about as good.

    >>> from svgm.registration.register import register
    >>> points = np.random.default_rng(0).normal(size=(50, 2))
    >>> "converged" in registration(register(points, points).as_dict(), as_good=0)
    True
    """
    T = np.array(record["transformation"])
    d = len(T) - 1
    covariance = np.array(record["central_covariance"])
    # A singular Hessian can leave a variance a rounding below zero.
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    turns, shifts = deviations[:-d], deviations[-d:]
    facts = {
        "rotation": rotation_words(T[:d, :d]),
        "translation": numbers(T[:d, d]),
        "status": f"{record['status']}: {record['message']}",
        "overlap": f"{record['overlap']:.0%} of the source lies on the target",
        "standard deviation": f"rotation {numbers(np.degrees(turns), '.2g')} degrees, "
        f"position of the source's centre {numbers(shifts, '.2g')}",
        "objective": f"{record['objective']:.4f}",
        "iterations": record["iterations"],
        "other poses about as good": as_good or "none",
        "undetermined": ", ".join(each["kind"] for each in record["undetermined"]) or "nothing",
    }
    warp = record.get("warp")
    if warp is not None:
        del facts["standard deviation"]
        facts["deformation"] = f"bending energy {warp['bending']:.3g}, folds at {warp['folds']} source points"
        facts["target"] = f"noise {warp['noise']:.2g}, {warp['outliers']:.0%} without a partner in the source"
    certificate = record["certificate"]
    if certificate is not None:
        state = "proven" if certificate["complete"] else "proven so far (the time ran out)"
        facts["certificate"] = f"{state}: no pose is better by more than {certificate['gap']:.2g} of the objective"
    stages = record["stages"]
    if not stages:
        return card(f"Registration in {d}D", facts, _confidence(record))
    chart = svg.chart(
        [stage["gamma"] for stage in stages],
        {"objective": [stage["objective"] for stage in stages]},
        width=300.0,
        height=140.0,
        x_label="gamma",
        log_x=True,
    )
    return card(f"Registration in {d}D", facts, _confidence(record) + _levels(stages), chart)


def _confidence(record: Mapping[str, Any]) -> str:
    """The confidence as a number and as a bar, and whether the result is trusted."""
    word, colour = ("trusted", _GOOD) if record["trusted"] else ("not trusted", _BAD)
    share = float(np.clip(record["confidence"], 0.0, 1.0))
    bar = svg.picture(
        200,
        8,
        svg.line([(0, 4), (200, 4)], colour="currentColor", width=4, opacity=0.15),
        svg.line([(0, 4), (200 * share, 4)], colour=colour, width=4),
        label=f"confidence {share:.2f}",
    )
    said = f'<b style="color:{colour}">{record["confidence"]:.2f}, {word}</b>'
    return f"confidence {said}; {escape(record['search'])} search<br>{bar}"


def _levels(stages: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        (
            f"{stage['gamma']:.3g}",
            f"{stage['sigma']:.3g}",
            f"{stage['components'][0]}+{stage['components'][1]}",
            stage["candidates"],
            f"{stage['objective']:.4f}",
        )
        for stage in stages
    ]
    return rows(["gamma", "sigma", "components", "candidates", "objective"], lines)


def mapped(poses: Array, record: Mapping[str, Any]) -> str:
    """A map, from its poses and ``MapResult.as_dict()``.

    >>> record = {"edges": [], "rejected": [], "left_out": {}, "components": 5, "components_of_scans": 9, "sigma": 0.5}
    >>> "2 of 2" in mapped(np.stack([np.eye(3), np.eye(3)]), {**record, "settings": {}})
    True
    """
    edges, left_out = record["edges"], record["left_out"]
    kinds = sorted({edge["kind"] for edge in edges})
    facts = {
        "scans": f"{len(poses) - len(left_out)} of {len(poses)}",
        "edges": ", ".join(f"{sum(e['kind'] == kind for e in edges)} {kind}" for kind in kinds) or "none",
        "rejected edges": len(record["rejected"]),
        "components": f"{record['components']} of {record['components_of_scans']}",
        "sigma": f"{record['sigma']:.6g}",
    }
    for number, reason in list(left_out.items())[:MOST_LISTED]:
        facts[f"left out: {number}"] = shorten(reason, 300, placeholder=" ...")
    if len(left_out) > MOST_LISTED:
        facts["left out"] = f"{len(left_out) - MOST_LISTED} more"
    return card("Map", facts, _trajectory(poses, record))


def _trajectory(poses: Array, record: Mapping[str, Any]) -> str:
    """The trajectory and the loops; of scans in no order, the scans and all edges."""
    width, height = 320.0, 240.0
    d = poses.shape[-1] - 1
    places = svg.within(_flat(poses[:, :d, d]).tolist(), width, height)
    ordered = record["settings"].get("order") != "unordered"
    shown = [edge for edge in record["edges"] if edge["kind"] == "loop" or not ordered]
    parts = [
        svg.line([places[edge["source"]], places[edge["target"]]], colour=svg.COLOURS[1], width=1, opacity=0.5)
        for edge in _evenly(shown, MOST_LINES)
    ]
    kept = _evenly(places, MOST_DOTS)
    if ordered:
        parts.append(svg.line(kept))
    parts.append(svg.dots(kept, [2.5 if len(kept) < 100 else 1.5] * len(kept), opacity=1.0))
    if np.isfinite(places[:1]).all():
        parts.append(svg.dots(places[:1], [5.0], colour=svg.COLOURS[2], opacity=1.0))
    label = f"positions of the scans{', seen from their broad side' if d == 3 else ''}; the first is green"
    return svg.picture(width, height, *parts, label=label)


def numbers(values: Array, form: str = ".6g") -> str:
    """Coordinates in brackets.

    >>> numbers(np.array([1.0, -0.25]))
    '(1, -0.25)'
    """
    return "(" + ", ".join(f"{value + 0.0:{form}}" for value in values) + ")"


def rotation_words(rotation: Array) -> str:
    """A rotation as an angle in degrees and, in 3D, its axis.

    >>> rotation_words(np.array([[0.0, -1.0], [1.0, 0.0]]))
    '90.0000 degrees'
    >>> rotation_words(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    '90.0000 degrees about (0.0000, 0.0000, 1.0000)'
    """
    omega = rotation_log(rotation)
    if len(rotation) == 2:
        return f"{round(float(np.degrees(omega[0])), 4) + 0.0:.4f} degrees"
    angle = float(np.linalg.norm(omega))
    axis = f" about {numbers(omega / angle, '.4f')}" if angle > 0 else ""
    return f"{np.degrees(angle):.4f} degrees{axis}"


def _flat(places: Array) -> Array:
    """(n, d) to (n, 2): as they are in 2D, otherwise along the two axes in which they spread most."""
    d = places.shape[1]
    if d <= 2:
        return np.pad(places, ((0, 0), (0, 2 - d)))
    known = places[np.isfinite(places).all(axis=1)]
    if not len(known):
        return np.full((len(places), 2), np.nan)
    centred = known - known.mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :2]
    # The sign of an eigenvector is arbitrary: fix it, so that the picture is the same on every machine.
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    return np.asarray((places - known.mean(axis=0)) @ axes, dtype=np.float64)


def _evenly(values: Sequence[Any], most: int) -> list[Any]:
    """All values, or at most so many, evenly chosen, with the first and the last."""
    if len(values) <= most:
        return list(values)
    return [values[k] for k in np.linspace(0, len(values) - 1, most).round().astype(int)]
