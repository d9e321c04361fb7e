"""Figure 2: what occlusion does to a point set's SVGM and to its KDE."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import Array, dragon_scans, shape_2d, subsample
from benchmarks.paper.experiment import Report, Row
from benchmarks.paper.output import table
from svgm import Mixture, estimate_scale, fit, kde
from svgm.datasets import occlude
from svgm.view.camera import Camera
from svgm.view.colours import INK, SOURCE, TARGET
from svgm.view.pictures.draw import bounding_box, density_image, draw_density, draw_points, frame
from svgm.view.pictures.figure import new_figure, save

TITLE = "Figure 2: change of the SVGM and of the KDE under occlusion, on FISH, ROAD and a DRAGON-STAND scan"

SETS = ("fish", "road", "dragon")
MEASURES = ("everywhere", "seen", "shape")
FRACTIONS = (0.1, 0.2, 0.3, 0.4, 0.5)
TRIALS = 50

#: Both densities have sigma = sigma-hat / sqrt(gamma), with sigma-hat of the whole set.  All fractions are tried at the
#: first; how much the width matters shows at one fraction.
GAMMA, OTHER_GAMMAS, SHOWN = 4.0, (1.0, 16.0), 0.3


def point_set(name: str, seed: int) -> Array:
    """One of the sets; of the dragon 2,000 points of a scan, as in the paper's Table 2."""
    return subsample(dragon_scans()[0][0], 2000, seed) if name == "dragon" else shape_2d(name)


def change(whole: Mixture, occluded: Mixture, remaining: Array, nearby: Array) -> tuple[float, float, float]:
    """How far the occluded set's density is from the whole set's, squared and relative to the latter.

    Over all of space; at the points that remain; and, up to a common factor, at places near those.  Weights sum to 1,
    so losing a part raises all the rest in any mixture, but a factor does not move the minimum of eq. (14): the last is
    what registration sees of the part that is still there.  It needs places off the points: on them an SVM's density is
    even by its training, with or without a hole, and there is no shape to lose.
    """
    everywhere = whole.l2_distance(occluded) / whole.norm**2
    before, after = whole.density(remaining), occluded.density(remaining)
    seen = float(((after - before) ** 2).sum() / (before**2).sum())
    before, after = whole.density(nearby), occluded.density(nearby)
    # min over c of |c after - before|² / |before|²
    shape = float(1.0 - (before @ after) ** 2 / ((before @ before) * (after @ after)))
    return everywhere, seen, max(0.0, shape)


def rows(seed: int, sets: tuple[str, ...] = SETS, trials: int = TRIALS) -> list[Row]:
    """Mean changes of both densities over random holes, and in how many of them the SVGM changes less."""
    out: list[Row] = []
    for name in sets:
        points = point_set(name, seed)
        cases = [(GAMMA, fraction) for fraction in FRACTIONS] + [(gamma, SHOWN) for gamma in OTHER_GAMMAS]
        out += [_row(name, points, gamma, fraction, seed, trials) for gamma, fraction in cases]
    return out


def _row(name: str, points: Array, gamma: float, fraction: float, seed: int, trials: int) -> Row:
    scale = estimate_scale(points)
    wholes = [represent(points, gamma=gamma, scale=scale) for represent in (fit, kde)]
    changes, lost = np.empty((trials, 2, len(MEASURES))), np.empty(trials)
    for trial in range(trials):
        # The same holes at every fraction and width: they grow around the same seed points.
        remaining = occlude(points, fraction, seed=trials * seed + trial)
        mixtures = [represent(remaining, gamma=gamma, scale=scale) for represent in (fit, kde)]
        # Within about sigma of the points that remain, as the Gaussians there reach.
        noise = np.random.default_rng(trials * seed + trial).standard_normal(remaining.shape)
        nearby = remaining + wholes[0].sigma * noise
        changes[trial] = [change(*pair, remaining, nearby) for pair in zip(wholes, mixtures, strict=True)]
        # The SVM holds weights of sum 1 at rho on all of its surface, eq. (1), so its surface goes as 1 / rho.
        lost[trial] = 1.0 - wholes[0].bias / mixtures[0].bias
    mean = changes.mean(axis=0)
    row: Row = {"set": name, "points": len(points), "gamma": gamma, "occluded": fraction}
    for k, measure in enumerate(MEASURES):
        row[f"svgm_{measure}"] = float(mean[0, k])
        row[f"kde_{measure}"] = float(mean[1, k])
        row[f"ratio_{measure}"] = float(mean[0, k] / mean[1, k])
        row[f"svgm_changes_less_{measure}_percent"] = float(100.0 * (changes[:, 0, k] < changes[:, 1, k]).mean())
    row["surface_lost_mean"], row["surface_lost_most"] = float(lost.mean()), float(lost.max())
    return row


def report(seed: int) -> Report:
    """Mean changes by set and occluded fraction."""
    found = rows(seed)
    body = [
        [row["set"], f"{row['gamma']:g}", f"{row['occluded']:.0%}"]
        + [f"{row[f'{kind}_{measure}']:.4f}" for measure in MEASURES for kind in ("svgm", "kde")]
        + [f"{row['svgm_changes_less_everywhere_percent']:.0f} %"]
        for row in found
    ]
    head = ["set", "gamma", "occluded", "SVGM", "KDE", "SVGM, seen", "KDE, seen", "SVGM, shape", "KDE, shape", "less"]
    markdown = (
        f"Relative squared L2 change of the density when a part is cut out, mean of {TRIALS} holes: over all of space; "
        "at the points that remain (seen); near those, up to a common factor (shape). Less: holes in which the SVGM "
        "changes less than the KDE, over all of space.\n\n" + table(head, body)
    )
    return Report(found, markdown, lambda path: draw(found, path, seed))


def draw(rows: list[Row], path: Path, seed: int) -> None:
    """The paper's six panels for a 2D set and for the dragon, and below them the mean changes."""
    names = list(dict.fromkeys(str(row["set"]) for row in rows))
    figure = new_figure(13.4, 8.3)
    for block, name in enumerate((names[0], names[-1])):
        _draw_panels(figure, block, name, seed)
    for column, name in enumerate(names):
        axes = figure.add_axes((0.055 + 0.235 * column, 0.075, 0.185, 0.215))
        _draw_changes(axes, [row for row in rows if row["set"] == name and row["gamma"] == GAMMA])
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="center", bbox_to_anchor=(0.385, 0.332), ncols=4, fontsize=8, frameon=False)
    axes = figure.add_axes((0.055 + 0.235 * 3 + 0.02, 0.075, 0.185, 0.215))
    _draw_ratios(axes, [row for row in rows if row["gamma"] == GAMMA], names)
    save(figure, path)


def _draw_panels(figure: Any, block: int, name: str, seed: int) -> None:
    points = point_set(name, seed)
    scale = estimate_scale(points)
    sets = {"A": points, "B": occlude(points, SHOWN, seed=TRIALS * seed)}
    camera = Camera.facing(points)
    mixtures = [[represent(part, gamma=GAMMA, scale=scale) for part in sets.values()] for represent in (kde, fit)]
    box = bounding_box(camera, points, margin=2.0 * mixtures[0][0].sigma)
    # One brightness for A and B, so that what fades shows.
    peaks = [max(density_image(camera, mixture, box, 150).max() for mixture in pair) for pair in mixtures]
    for line, (letter, part) in enumerate(sets.items()):
        for column, title in enumerate(("Point-set", "KDE-GMM", "SVGM")):
            left, bottom = 0.012 + 0.5 * block + 0.161 * column, 0.715 - 0.325 * line
            axes = figure.add_axes((left, bottom, 0.155, 0.155 * 13.4 / 8.3))
            if column == 0:
                draw_points(axes, camera, (part, TARGET))
                size = f"{name.upper()}, {len(part):,} points" + (" left" if line else "")
            else:
                mixture = mixtures[column - 1][line]
                draw_density(axes, camera, mixture, box, peak=peaks[column - 1])
                size = f"{len(mixture):,} components"
            frame(axes, box, f"({'abcdefghijkl'[6 * block + 3 * line + column]}) {title} {letter}")
            axes.set_xlabel(size, fontsize=8, labelpad=3)


def _draw_changes(axes: Any, rows: list[Row]) -> None:
    fractions = [row["occluded"] for row in rows]
    for kind, colour in (("KDE", SOURCE), ("SVGM", TARGET)):
        for measure, style in (("everywhere", "o-"), ("seen", "o--")):
            values = [row[f"{kind.lower()}_{measure}"] for row in rows]
            label = kind if measure == "everywhere" else f"{kind}, at the points that remain"
            axes.plot(fractions, values, style, color=colour, linewidth=1.4, markersize=3.5, label=label)
    axes.set_yscale("log")
    _dress(axes, f"{str(rows[0]['set']).upper()}: relative squared change")
    # Why the SVGM can change more: where sampling is uneven, few points hold much surface, which the KDE hardly sees.
    row = rows[0]
    note = f"{row['occluded']:.0%} of the points: up to\n{row['surface_lost_most']:.0%} of the surface"
    axes.text(0.97, 0.05, note, transform=axes.transAxes, fontsize=7, color=INK, ha="right")


def _draw_ratios(axes: Any, rows: list[Row], names: list[str]) -> None:
    """SVGM over KDE, near what remains and up to a factor: what registration sees of what is still there."""
    for name, style in zip(names, ("o-", "s--", "^:"), strict=False):
        mine = [row for row in rows if row["set"] == name]
        values = [row["ratio_shape"] for row in mine]
        axes.plot([row["occluded"] for row in mine], values, style, color=INK, lw=1.2, markersize=3.5, label=name)
    axes.axhline(1.0, color="#999999", linewidth=0.8)
    axes.set_ylim(0.0, 1.08)
    _dress(axes, "SVGM / KDE near what remains, up to a factor")
    axes.legend(fontsize=7, frameon=False, loc="upper right", bbox_to_anchor=(1.0, 0.93))


def _dress(axes: Any, title: str) -> None:
    axes.set_title(title, fontsize=8.5, color=INK, pad=5)
    axes.set_xlabel("occluded fraction", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(True, color="#e5e5e5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
