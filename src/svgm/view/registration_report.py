"""The report of a registration: one HTML file that says what was found, and shows it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import items, text
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture
from svgm.registration.result import RegistrationResult
from svgm.rigid import apply, pose_error
from svgm.view import svg
from svgm.view.notebook import rotation_words
from svgm.view.overlap import Overlap
from svgm.view.page import check_page_path, document, write_page
from svgm.view.parts import (
    HANDLING,
    LOW_SCENE,
    SCENE,
    code,
    columns,
    facts,
    figure,
    numbers,
    paragraph,
    repeat,
    section,
    told_of,
)
from svgm.view.registration_scene import registered_sets, registration_scene
from svgm.view.words import NOISE_ONLY, certainty, doubts, finest_sigma, verdict

UNIT = "Lengths are in the unit of the points."

#: Alternatives in the table: of this score at least, and so many.
NEAR, MOST_ALTERNATIVES = 0.05, 8


def registration_report(
    source: Array | Mixture,
    target: Array | Mixture,
    result: RegistrationResult,
    path: str | os.PathLike[str],
    *,
    names: tuple[str, str] = ("source", "target"),
    init: ArrayLike | None = None,
    nu: float = 0.01,
    settings: Mapping[str, Any] | None = None,
    command: str = "",
    seconds: float | None = None,
) -> None:
    """Write what a registration found as one HTML file that opens offline.

    It has the answer with its confidence and covariance in words, a scene from before to after through the stages of
    the annealing, the convergence, a heat map of the overlap, other poses, and what is needed to repeat it.

    Parameters
    ----------
    source, target
        What was registered: points (n, d), d 2 or 3, or mixtures.
    result
        Of :func:`svgm.register`.
    path
        .html or .htm; written whole or not at all.
    names
        Of source and target, such as their files.
    init, nu
        As they were given to the registration.
    settings, command
        What it was asked for, and the line that repeats it; both are only shown.
    seconds
        How long it took.

    Examples
    --------
    >>> import svgm, tempfile, pathlib
    >>> from svgm.datasets import butterfly
    >>> source, target = butterfly(300, seed=1) + [0.1, 0.0], butterfly(300, seed=2)
    >>> result = svgm.register(source, target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     registration_report(source, target, result, pathlib.Path(folder, "report.html"))
    ...     "To be trusted" in pathlib.Path(folder, "report.html").read_text(encoding="utf-8")
    True
    """
    check_page_path(path)
    moving, fixed = registered_sets(source, target, result)
    called = [text(f"names[{k}]", name) for k, name in enumerate(items("names", names, 2))]
    told = told_of(command, settings, seconds)
    overlap = Overlap.of(apply(result.transformation, moving), fixed)
    sigma = finest_sigma(result, moving)
    way = registration_scene(source, target, result, init=init, nu=nu)
    title = f"{called[0]} registered to {called[1]}"
    body = "".join(
        [
            _answer(result, moving, fixed, title),
            figure(SCENE, "From before to after, through the stages of the annealing. " + HANDLING),
            _sets(source, target, moving, fixed, called, seconds),
            _motion(result),
            _convergence(result),
            section(
                "Overlap",
                paragraph(f"{result.overlap:.0%} of the source lies on the target."),
                figure(
                    LOW_SCENE,
                    f"Both sets after the registration, by the distance to the other one: bright where it is well "
                    f"below {sigma:.3g}, the finest sigma, dark from three times that on.",
                ),
                overlap.chart(),
            ),
            _others(result),
            repeat(command, told),
        ]
    )
    write_page(document(title, body, [way, overlap.scene(sigma)], "report.css"), path)


def _answer(result: RegistrationResult, moving: Array, fixed: Array, title: str) -> str:
    mark = "good" if result.trusted and result.converged and not result.ambiguous else "bad"
    words = [*doubts(moving, fixed), f"{result.overlap:.0%} of the source lies on the target."]
    words.append(" ".join(certainty(result, moving)))
    if not result.converged:
        words.insert(0, f"It did not converge: {result.status.value}.")
    return (
        f'<h1>{escape(title)}</h1><div class="verdict {mark}">{paragraph(verdict(result))}'
        f"{''.join(map(paragraph, words))}{paragraph(f'{NOISE_ONLY} {UNIT}', 'faint')}</div>"
    )


def _sets(
    source: Array | Mixture,
    target: Array | Mixture,
    moving: Array,
    fixed: Array,
    names: Sequence[str],
    seconds: float | None,
) -> str:
    rows = []
    for role, name, value, points in (("source", names[0], source, moving), ("target", names[1], target, fixed)):
        kind = f"{len(points):,} {'components' if isinstance(value, Mixture) else 'points'} in {points.shape[1]}D"
        extent = " x ".join(f"{side:.4g}" for side in np.ptp(points, axis=0))
        rows.append((role, name, kind, extent))
    time = [] if seconds is None else [paragraph(f"It took {seconds:.2f} s.", "faint")]
    return section("What was registered", numbers(["", "name", "what", "extent"], rows), *time)


def _motion(result: RegistrationResult) -> str:
    rows = [" ".join(f"{value + 0.0: .12g}".ljust(20) for value in row).rstrip() for row in result.transformation]
    words = {
        "rotation": rotation_words(result.rotation),
        "translation": ", ".join(f"{value:.6g}" for value in result.translation),
        "found by": f"{result.search} search",
    }
    if result.certificate is not None:
        state = "proven" if result.certificate.complete else "not proven to the end"
        words["certificate"] = f"{state}: no pose is better by more than {result.certificate.gap:.2g} of the objective"
    note = "The matrix maps source into target: p_target = R p_source + t."
    return section("The motion", facts(words), code("\n".join(rows)), paragraph(note, "faint"))


def _convergence(result: RegistrationResult) -> str:
    if not result.stages:
        words = "The answer comes from a search over all poses, whose surfaces decided: no annealing led to it."
        return section("Convergence", paragraph(words))
    left = [pose_error(stage.transformation, result.transformation) for stage in result.stages]
    turns = [float(np.degrees(angle)) for angle, _ in left]
    rows = [
        (
            number,
            f"{stage.gamma:.3g}",
            f"{stage.sigma:.3g}",
            f"{stage.components[0]} + {stage.components[1]}",
            stage.candidates,
            stage.iterations,
            f"{stage.objective:.4f}",
            f"{turn:.2g}°",
            f"{shift:.2g}",
        )
        for number, (stage, turn, (_, shift)) in enumerate(zip(result.stages, turns, left, strict=True), start=1)
    ]
    headings = ("stage", "gamma", "sigma", "components", "candidates", "iterations", "objective", "turn", "shift")
    x = [float(row[0]) for row in rows]
    # A logarithm needs something to show where a stage ended at the answer itself.
    least = 1e-6 * max(*turns, 1e-300)
    charts = [
        svg.chart(x, {"objective": [stage.objective for stage in result.stages]}, x_label="stage"),
        svg.chart(x, {"degrees from the answer": [max(turn, least) for turn in turns]}, x_label="stage", log_y=True),
    ]
    words = (
        "Each stage aligns finer mixtures than the one before. The objective is minus the correlation of the two: -1 "
        "for equal densities, 0 for disjoint ones; finer mixtures correlate less. Turn and shift: how far the best "
        "pose of a stage is from the answer."
    )
    return section("Convergence", paragraph(words), numbers(headings, rows), columns(*charts))


def _others(result: RegistrationResult) -> str:
    near = [other for other in result.alternatives if other.score >= NEAR][:MOST_ALTERNATIVES]
    if not near:
        return section("Other poses", paragraph("No other pose came near."))
    rows = []
    for other in near:
        angle, shift = pose_error(other.transformation, result.transformation)
        rows.append((f"{other.score:.2f}", f"{np.degrees(angle):.1f}°", f"{shift:.3g}"))
    words = "Scores are relative to the answer's, by how the surfaces lie on each other: near 1 a pose is as good."
    return section("Other poses", paragraph(words), numbers(("score", "turned by", "shifted by"), rows))
