"""Figure 1: the framework, from two point sets through their SVMs and mixtures to the merged mixture."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from benchmarks.datasets import Array, dragon_scans, relative
from benchmarks.paper.experiment import Report, Row
from benchmarks.paper.output import table
from svgm import Mixture, RegistrationResult, estimate_scale, fit, merge, register
from svgm.rigid import apply, pose_error
from svgm.view.camera import Camera
from svgm.view.colours import INK, SOURCE, TARGET
from svgm.view.pictures.draw import bounding_box, draw_density, draw_outline, draw_points, draw_support_vectors, frame
from svgm.view.pictures.figure import new_figure, save

TITLE = "Figure 1: the framework on two DRAGON-STAND scans 48 degrees apart"

#: Of the scans 24 degrees apart, 0 to 14: both see much of the dragon, and the source some that the target lacks.
SOURCE_SCAN, TARGET_SCAN = 7, 5

#: Of the mixtures shown and merged: fine enough for head, feet and tail to be told apart.
GAMMA = 16.0

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Framework:
    """All that the figure shows: the scans, their mixtures (each in its own frame), the pose and the merged mixture."""

    source: Array
    target: Array
    truth: Array
    source_mixture: Mixture
    target_mixture: Mixture
    result: RegistrationResult
    merged: Mixture
    seconds: dict[str, float]


@cache
def framework(points: int | None = None, seed: int = 0) -> Framework:
    """Steps (a) to (d) and the merge; `points` a scan, chosen at random, or all of them."""
    scans, poses = dragon_scans()
    rng = np.random.default_rng(seed)
    source, target = (
        scan if points is None else scan[rng.choice(len(scan), points, replace=False)]
        for scan in (scans[SOURCE_SCAN], scans[TARGET_SCAN])
    )
    seconds: dict[str, float] = {}
    scale = estimate_scale(target)
    mixtures = _timed(seconds, "fit", lambda: [fit(p, gamma=GAMMA, scale=scale) for p in (source, target)])
    result = _timed(seconds, "register", lambda: register(source, target))
    merged = _timed(seconds, "merge", lambda: merge(mixtures[0].transformed(result.transformation), mixtures[1]))
    truth = relative(poses, SOURCE_SCAN, TARGET_SCAN)
    return Framework(source, target, truth, mixtures[0], mixtures[1], result, merged, seconds)


def rows(seed: int, points: int | None = None) -> list[Row]:
    """One row: sizes, the pose's error against the reference, seconds.  Whole scans, so the seed chooses nothing."""
    made = framework(points, seed)
    rotation, translation = pose_error(made.result.transformation, made.truth)
    size = np.linalg.norm(np.ptp(made.target, axis=0))
    return [
        {
            "source": f"{24 * SOURCE_SCAN} deg",
            "target": f"{24 * TARGET_SCAN} deg",
            "source_points": len(made.source),
            "target_points": len(made.target),
            "source_components": len(made.source_mixture),
            "target_components": len(made.target_mixture),
            "merged_components": len(made.merged),
            "start_error_deg": float(np.degrees(pose_error(np.eye(4), made.truth)[0])),
            "rotation_error_deg": float(np.degrees(rotation)),
            "translation_error_percent_of_diagonal": float(100.0 * translation / size),
            **{f"{step}_seconds": duration for step, duration in made.seconds.items()},
        }
    ]


def report(seed: int) -> Report:
    """The row in words."""
    found = rows(seed)
    row = found[0]
    body = [
        ["points", f"{row['source_points']:,} and {row['target_points']:,}"],
        ["components", f"{row['source_components']} and {row['target_components']}"],
        ["rotation error before and after", f"{row['start_error_deg']:.1f}° and {row['rotation_error_deg']:.2f}°"],
        ["translation error (share of the diagonal)", f"{row['translation_error_percent_of_diagonal']:.2f} %"],
        ["components of the merged mixture", row["merged_components"]],
        [
            "seconds: fit both, register, merge",
            ", ".join(f"{row[f'{step}_seconds']:.3f}" for step in ("fit", "register", "merge")),
        ],
    ]
    return Report(found, table(["figure 1", "whole scans"], body), lambda path: draw(found, path, seed))


def draw(rows: list[Row], path: Path, seed: int, points: int | None = None) -> None:
    """The paper's nine panels and a tenth, the merged components by the scan they come from."""
    made, row = framework(points, seed), rows[0]
    camera = Camera.facing(made.target)
    aligned = made.source_mixture.transformed(made.result.transformation)
    moved = apply(made.result.transformation, made.source)
    box = bounding_box(camera, made.source, made.target, moved, margin=1.5 * made.merged.sigma)
    sets = (
        ("source", SOURCE, TARGET, made.source, made.source_mixture, made.target_mixture, aligned),
        ("target", TARGET, SOURCE, made.target, made.target_mixture, made.source_mixture, made.target_mixture),
    )
    figure = new_figure(14.0, 6.15)
    for line, (name, colour, other_colour, cloud, mixture, other, final) in enumerate(sets):
        axes = _panel(figure, 0, line, box, "Point-set", f"{len(cloud):,} points")
        axes.set_ylabel(f"{name}, scan at {row[name]}".replace(" deg", "°"), fontsize=10, color=colour)
        draw_points(axes, camera, (cloud, colour))
        axes = _panel(figure, 1, line, box, "SVM", f"{len(mixture):,} support vectors")
        draw_support_vectors(axes, camera, mixture, colour, cloud)
        axes = _panel(figure, 2, line, box, "Misaligned SVGM", f"{row['start_error_deg']:.1f}° off")
        draw_density(axes, camera, mixture, box)
        draw_outline(axes, camera, other, box, other_colour)
        axes = _panel(figure, 3, line, box, "Aligned SVGM", f"{row['rotation_error_deg']:.2f}° off")
        draw_density(axes, camera, final, box)
        draw_outline(axes, camera, aligned if line else made.target_mixture, box, other_colour)

    total = len(made.source_mixture) + len(made.target_mixture)
    axes = _panel(figure, 4, 0, box, "Merged SVGM", f"{len(made.merged):,} of {total:,} components")
    draw_density(axes, camera, made.merged, box)
    kept = len(made.target_mixture)
    axes = _panel(figure, 4, 1, box, "", f"{kept:,} of the target, {len(made.merged) - kept:,} of the source")
    _draw_by_origin(axes, camera, made.merged, kept, np.vstack([made.target, moved]))
    for column, step in enumerate(("(a) train", "(b) convert", "(c) register", "(d) merge")):
        _arrows(figure, column, step)
    note = "discs: area by weight;   brightness: density along the line of sight;   lines: outline of the other scan"
    figure.text(_place(0, 0)[0], 0.018, note, fontsize=8, color=INK)
    save(figure, path)


def _timed(seconds: dict[str, float], step: str, run: Callable[[], Answer]) -> Answer:
    begin = time.perf_counter()
    answer = run()
    seconds[step] = time.perf_counter() - begin
    return answer


def _draw_by_origin(axes: Any, camera: Camera, merged: Mixture, kept: int, points: Array) -> None:
    """Merged components as discs in the colour of their scan, near over far: the target's `kept` come first."""
    at = camera.page(points[::2])
    axes.scatter(at[:, 0], at[:, 1], s=0.4, color="#cccccc", linewidths=0)
    order = np.argsort(camera.depth(merged.means), kind="stable")
    at, weights = camera.page(merged.means)[order], merged.weights[order]
    colours = np.where(order < kept, TARGET, SOURCE)
    axes.scatter(
        at[:, 0], at[:, 1], s=26.0 * weights / weights.max(), c=colours, alpha=0.85, linewidths=0.3, edgecolors=INK
    )


def _place(column: int, line: int) -> tuple[float, float, float, float]:
    """Left, bottom, width and height of a panel, as shares of the sheet."""
    return 0.025 + 0.199 * column, 0.09 + 0.472 * (1 - line), 0.167, 0.167 * 14.0 / 6.15


def _panel(figure: Any, column: int, line: int, box: tuple[float, ...], title: str, caption: str) -> Any:
    axes = figure.add_axes(_place(column, line))
    frame(axes, box, "" if line else title)
    axes.set_xlabel(caption, fontsize=8, labelpad=3)
    return axes


def _arrows(figure: Any, column: int, step: str) -> None:
    """From a column of panels to the next, named by what happens there."""
    from matplotlib.patches import FancyArrowPatch

    for line in (0, 1):
        left, bottom, width, height = _place(column, line)
        start, end, y = left + width + 0.003, _place(column + 1, line)[0] - 0.003, bottom + 0.5 * height
        look = {"arrowstyle": "-|>", "mutation_scale": 10, "color": INK, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
        figure.add_artist(FancyArrowPatch((start, y), (end, y), transform=figure.transFigure, **look))
        figure.text(0.5 * (start + end), y + 0.02, step.replace(" ", "\n"), ha="center", fontsize=7, color=INK)
