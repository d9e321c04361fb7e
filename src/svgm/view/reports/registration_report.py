"""The report of a registration: one HTML file with the result in words, scenes, charts and tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from svgm.checks.arguments import items, text
from svgm.checks.types import PointsLike, PoseLike
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture
from svgm.registration.linear.answer import as_rigid
from svgm.registration.result import RegistrationResult
from svgm.rigid import apply, pose_error
from svgm.view import svg
from svgm.view.html_page.page import check_page_path, document, write_page
from svgm.view.notebook import rotation_words
from svgm.view.reports.html_elements import (
    LOW_SCENE,
    NAVIGATION,
    SCENE,
    checked_settings,
    code,
    columns,
    facts,
    figure,
    numbers,
    paragraph,
    repeat,
    section,
)
from svgm.view.reports.overlap import Overlap
from svgm.view.scenes.registration_scene import registered_sets, registration_scene
from svgm.view.words import NOISE_ONLY, assessment, certainty, deformation_words, finest_sigma

UNIT_NOTE = "Lengths are in the unit of the points."

#: What the frames of the scene are.
LEVELS = "Both sets before, at each level of the annealing, and after."
DEFORMED = (
    "Both sets before, after the rigid motion nearest to the deformation, and after the deformation. In the last frame "
    "the layer displacement colours the points: bright where they are farthest from the rigid motion."
)

#: Alternatives in the table: those with at least this score, and at most so many.
LEAST_SCORE, MOST_ALTERNATIVES = 0.05, 8


def registration_report(
    source: PointsLike | Mixture,
    target: PointsLike | Mixture,
    result: RegistrationResult,
    path: str | os.PathLike[str],
    *,
    names: tuple[str, str] = ("source", "target"),
    init: PoseLike | None = None,
    settings: Mapping[str, Any] | None = None,
    command: str = "",
    seconds: float | None = None,
) -> None:
    """Write the report of a registration as one HTML file that opens offline.

    The report says in words whether the result is trusted and how precise it is.  Below are a scene from before to
    after through the levels of the annealing, the convergence, a heat map of the overlap, other poses, and what is
    needed to repeat the registration.  The mixtures in the scene are those that the registration trained.  Of a
    non-rigid registration the scene shows the source as it was deformed, and the words are on the deformation.

    Parameters
    ----------
    source, target : array_like of shape (n, d) or Mixture
        What was registered, d 2 or 3, each in its own coordinates.
    result : RegistrationResult
        Returned by :func:`svgm.register`.
    path : str or os.PathLike
        Name of the file, .html or .htm.  It is written whole or not at all.
    names : (str, str), default ("source", "target")
        Names of source and target, such as their files.
    init : array_like of shape (d+1, d+1), optional
        Initial pose of the registration.  The default is the identity.
    settings : mapping of str to object, optional
        Settings of the registration, shown in the report.
    command : str, default ""
        Command that repeats the registration, shown in the report.
    seconds : float, optional
        Duration of the registration, zero or more, shown in the report.

    Raises
    ------
    InputError
        If source, target and result differ in dimension, or an argument is not what is said above.
    FileError
        If `path` has another suffix or cannot be written.

    Examples
    --------
    >>> import svgm, tempfile, pathlib
    >>> from svgm.datasets import butterfly
    >>> source, target = butterfly(1000, seed=1) + [0.1, 0.0], butterfly(1000, seed=2)
    >>> result = svgm.register(source, target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     registration_report(source, target, result, pathlib.Path(folder, "report.html"))
    ...     "Trusted: the confidence is" in pathlib.Path(folder, "report.html").read_text(encoding="utf-8")
    True
    """
    check_page_path(path)
    moving, fixed = registered_sets(source, target, result)
    called = [text(f"names[{k}]", name) for k, name in enumerate(items("names", names, 2))]
    asked = checked_settings(command, settings, seconds)
    moved = apply(result.transformation, moving) if result.warp is None else result.apply(moving)
    overlap = Overlap.of(moved, fixed)
    # A deformation has no levels, and the target may have another unit.
    # A set at one place has no scale: any will do.
    sigma = finest_sigma(result, moving if result.warp is None else moved) or 1.0
    scene = registration_scene(source, target, result, init=init)
    title = f"{called[0]} registered to {called[1]}"
    body = "".join(
        [
            _summary(result, moving, fixed, title),
            figure(SCENE, f"{LEVELS if result.warp is None else DEFORMED} {NAVIGATION}"),
            _sets(source, target, moving, fixed, called, seconds),
            _pose(result),
            *([_convergence(as_rigid(result)[1])] if result.warp is None else []),
            section(
                "Overlap",
                paragraph(f"{result.overlap:.0%} of the source lies on the target."),
                figure(
                    LOW_SCENE,
                    f"Both sets after the registration. The colour is the distance to the other set: bright if it is "
                    f"well below {sigma:.3g}, the finest sigma, and dark beyond three times this sigma.",
                ),
                overlap.chart(),
            ),
            _alternatives(as_rigid(result)[1]),
            repeat(command, asked),
        ]
    )
    write_page(document(title, body, [scene, overlap.scene(sigma)], "report.css"), path)


def _summary(result: RegistrationResult, moving: Array, fixed: Array, title: str) -> str:
    mark = "good" if result.trusted and result.converged else "bad"
    words = [*result.doubts, f"{result.overlap:.0%} of the source lies on the target."]
    words.append(" ".join(deformation_words(result) or certainty(result, moving)))
    if not result.converged:
        words.insert(0, f"The registration did not converge: {result.status.value}.")
    note = UNIT_NOTE if result.warp is not None else f"{NOISE_ONLY} {UNIT_NOTE}"
    return (
        f'<h1>{escape(title)}</h1><div class="assessment {mark}">{paragraph(assessment(result))}'
        f"{''.join(map(paragraph, words))}{paragraph(note, 'faint')}</div>"
    )


def _sets(
    source: PointsLike | Mixture,
    target: PointsLike | Mixture,
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
    time = [] if seconds is None else [paragraph(f"The registration took {seconds:.2f} s.", "faint")]
    return section("Input", numbers(["", "name", "content", "extent"], rows), *time)


def _pose(result: RegistrationResult) -> str:
    rows = [" ".join(f"{value + 0.0: .12g}".ljust(20) for value in row).rstrip() for row in result.transformation]
    words = {
        **({} if result.kind in ("rigid", "nonrigid") else {"scale": f"{result.scale:.6g} ({result.kind})"}),
        "rotation": rotation_words(result.rotation),
        "translation": ", ".join(f"{value:.6g}" for value in result.translation),
        "search": result.search,
    }
    if result.certificate is not None:
        state = "proven" if result.certificate.complete else "proven so far (the time ran out)"
        words["certificate"] = f"{state}: no pose is better by more than {result.certificate.gap:.2g} of the objective"
    if result.warp is not None:
        note = "The deformation is result.transform; the matrix is the rigid motion nearest to it."
        return section("Nearest rigid motion", facts(words), code("\n".join(rows)), paragraph(note, "faint"))
    note = "The matrix maps source into target: p_target = R p_source + t."
    return section("Pose", facts(words), code("\n".join(rows)), paragraph(note, "faint"))


def _convergence(result: RegistrationResult) -> str:
    if not result.stages:
        words = "The pose comes from a global search, which compared surfaces. There was no annealing."
        return section("Convergence", paragraph(words))
    errors = [pose_error(stage.transformation, result.transformation) for stage in result.stages]
    turns = [float(np.degrees(angle)) for angle, _ in errors]
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
        for number, (stage, turn, (_, shift)) in enumerate(zip(result.stages, turns, errors, strict=True), start=1)
    ]
    headings = (
        "level",
        "gamma",
        "sigma",
        "components",
        "candidates",
        "iterations",
        "objective",
        "rotation",
        "translation",
    )
    x = [float(row[0]) for row in rows]
    # A logarithmic axis cannot show zero, where a level ended at the final pose itself.
    least = 1e-6 * max(*turns, 1e-300)
    charts = [
        svg.chart(x, {"objective": [stage.objective for stage in result.stages]}, x_label="level"),
        svg.chart(x, {"degrees to the final pose": [max(turn, least) for turn in turns]}, x_label="level", log_y=True),
    ]
    words = (
        "Each level aligns finer mixtures than the level before. The objective is minus the correlation of the two "
        "mixtures: -1 for equal densities, 0 for disjoint ones. Finer mixtures correlate less. Rotation and "
        "translation are the distance of the best pose of a level from the final pose."
    )
    return section("Convergence", paragraph(words), numbers(headings, rows), columns(*charts))


def _alternatives(result: RegistrationResult) -> str:
    near = [other for other in result.alternatives if other.score >= LEAST_SCORE][:MOST_ALTERNATIVES]
    if not near:
        return section("Other poses", paragraph(f"No other pose has a score of {LEAST_SCORE:g} or more."))
    rows = []
    for other in near:
        angle, shift = pose_error(other.transformation, result.transformation)
        rows.append((f"{other.score:.2f}", f"{np.degrees(angle):.1f}°", f"{shift:.3g}"))
    words = "A score says how well the surfaces coincide, relative to the final pose: near 1, a pose is as good."
    if result.warp is not None:
        words = (
            "Other deformations, by the rigid motions nearest to them. A score is the evidence for one, relative to "
            "that for the answer: near 1, it is as good."
        )
    return section("Other poses", paragraph(words), numbers(("score", "rotated by", "translated by"), rows))
