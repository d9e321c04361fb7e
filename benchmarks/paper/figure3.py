"""Figure 3: aligned mixtures summed and merged by GMMerge, against the mixture fitted to all the points.

A sum is made in two ways.  The naive sum takes half of the map and half of the new scan, so that after 15 scans the
first one has a weight of 2^-14.  The equal sum gives each scan 1/15.  Of two mixtures the two sums are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import Array, dragon_scans, relative, subsample
from benchmarks.paper.experiment import Report, Row
from benchmarks.paper.output import table
from benchmarks.report import Bar
from svgm import Mixture, estimate_scale, fit, merge, merge_naive
from svgm.datasets import butterfly, occlude
from svgm.rigid import apply
from svgm.view.camera import Camera
from svgm.view.colours import INK, SOURCE, TARGET
from svgm.view.pictures.draw import bounding_box, density_image, draw_density, frame
from svgm.view.pictures.figure import new_figure, save

TITLE = "Figure 3: sums and GMMerge against the fit of the union, DRAGON-STAND pairs 48 degrees apart, 15 scans"

#: Bars of the means: GMMerge's distance over the naive sum's, its components over the naive sum's in per cent, and
#: the smallest over the median of the densities that 15 merged scans give to each of them.
DISTANCE_AT_MOST, COMPONENTS_AT_MOST, FAIRNESS_AT_LEAST = 0.5, 65.0, 0.5

POINTS, HELD_OUT, SCANS, GAMMA = 2000, 2000, 15, 4.0


def without_bias(source: Mixture, target: Mixture) -> Mixture:
    """GMMerge as the paper has it, which does not know the biases of the SVMs."""
    return merge(*(Mixture(mixture.means, mixture.variance, mixture.weights) for mixture in (source, target)))


def one_by_one(how: Callable[[Mixture, Mixture], Mixture], mixtures: Sequence[Mixture]) -> Mixture:
    """Merge each mixture into the map of those before."""
    return reduce(lambda so_far, new: how(new, so_far), mixtures)


def equal_sum(mixtures: Sequence[Mixture]) -> Mixture:
    """The mean of the densities."""
    means = np.vstack([mixture.means for mixture in mixtures])
    return Mixture(means, mixtures[0].variance, np.concatenate([m.weights for m in mixtures]) / len(mixtures))


NAIVE, EQUAL, GMMERGE, LETTER, UNION = "naive sum", "equal sum", "GMMerge", "GMMerge, paper", "union's fit"
MERGES: dict[str, Callable[[Sequence[Mixture]], Mixture]] = {
    NAIVE: partial(one_by_one, merge_naive),
    EQUAL: equal_sum,
    GMMERGE: partial(one_by_one, merge),
    LETTER: partial(one_by_one, without_bias),
}
COLOURS = {NAIVE: SOURCE, EQUAL: "#e8a87c", GMMERGE: TARGET, LETTER: "#7fb3d5", UNION: "#777777"}

#: The pair in the picture shares little, so that what is wrong with the naive sum shows; drawn finer than measured.
SHOWN, SHOWN_GAMMA = 3, 16.0


def relative_distance(mixture: Mixture, truth: Mixture) -> float:
    """Integral of (p - q)², eq. (11), over the integral of q²."""
    return mixture.l2_distance(truth) / truth.norm**2


def merged_pair(source: Array, target: Array, scale: float, gamma: float) -> dict[str, Mixture]:
    """The mixtures of two aligned sets, their merges, and the mixture of the sets' union."""
    a, b = fit(source, gamma=gamma, scale=scale), fit(target, gamma=gamma, scale=scale)
    union = fit(np.vstack([source, target]), gamma=gamma, scale=scale)
    return {"source": a, "target": b, **{name: how([b, a]) for name, how in MERGES.items()}, UNION: union}


def scans(seed: int, points: int) -> tuple[list[Array], list[Array], list[Array]]:
    """Of each dragon scan: points to fit, other points that no fit sees, and its pose."""
    whole, poses = dragon_scans()
    rng = np.random.default_rng(seed)
    sets, held_out = [], []
    for k, scan in enumerate(whole):
        chosen = subsample(np.arange(len(scan)), points, 1000 * seed + k)
        rest = np.delete(scan, chosen, axis=0)
        sets.append(scan[chosen])
        held_out.append(rest[rng.choice(len(rest), HELD_OUT, replace=False)])
    return sets, held_out, poses


def dragon_pair(sets: list[Array], poses: list[Array], i: int) -> tuple[Array, Array]:
    """Scan i moved by the reference pose onto the one 48 degrees on, and that one."""
    j = (i + 2) % SCANS
    return apply(relative(poses, i, j), sets[i]), sets[j]


def sequence(sets: list[Array], held_out: list[Array], poses: list[Array]) -> tuple[dict[str, Mixture], Array]:
    """All scans in the world's frame, merged one after the other, and the held-out points of each, (15, 2000, 3)."""
    scale = float(np.median([estimate_scale(points) for points in sets]))
    world = [apply(pose, points) for pose, points in zip(poses, sets, strict=True)]
    mixtures = [fit(points, gamma=GAMMA, scale=scale) for points in world]
    maps = {name: how(mixtures) for name, how in MERGES.items()}
    others = [apply(pose, points) for pose, points in zip(poses, held_out, strict=True)]
    return {**maps, UNION: fit(np.vstack(world), gamma=GAMMA, scale=scale)}, np.stack(others)


def medians(mixture: Mixture, held_out: Array) -> Array:
    """D_k: the median density that a mixture of all scans gives to points of scan k."""
    return np.array([np.median(mixture.density(points)) for points in held_out])


def rows(seed: int, points: int = POINTS) -> list[Row]:
    """For each merge and the union's fit: means over 15 pairs, and the fairness to 15 scans in sequence."""
    sets, held_out, poses = scans(seed, points)
    pairs = []
    for i in range(SCANS):
        source, target = dragon_pair(sets, poses, i)
        pairs.append(merged_pair(source, target, estimate_scale(target), GAMMA))
    maps, others = sequence(sets, held_out, poses)
    out: list[Row] = []
    for name in (*MERGES, UNION):
        densities = medians(maps[name], others)
        out.append(
            {
                "mixture": name,
                "distance": float(np.mean([relative_distance(p[name], p[UNION]) for p in pairs])),
                "components": float(np.mean([len(pair[name]) for pair in pairs])),
                "percent_of_naive": float(
                    100.0 * np.mean([len(p[name]) for p in pairs]) / np.mean([len(p[NAIVE]) for p in pairs])
                ),
                "components_of_15_scans": len(maps[name]),
                "distance_of_15_scans": relative_distance(maps[name], maps[UNION]),
                "fairness_of_15_scans": float(densities.min() / np.median(densities)),
            }
        )
    return out


def report(seed: int) -> Report:
    """The rows, and GMMerge's three bars."""
    found = rows(seed)
    body = [
        [
            row["mixture"],
            f"{row['distance']:.4f}",
            f"{row['components']:.0f}",
            f"{row['distance_of_15_scans']:.3f}",
            row["components_of_15_scans"],
            f"{row['fairness_of_15_scans']:.3f}",
        ]
        for row in found
    ]
    head = ["mixture", "48° pairs: distance", "components", "15 scans: distance", "components", "fairness"]
    markdown = (
        "Relative squared L2 distance to the mixture fitted on the union, and components. Fairness: over 15 scans "
        "merged in sequence, the least over the median of the densities at each scan's held-out points, none of which "
        "was in a fit. Naive sum: half the map and half the new scan, so that the first of 15 has a weight of 2^-14. "
        "Equal sum: 1/15 each. GMMerge, paper: without the SVMs' biases.\n\n" + table(head, body)
    )
    return Report(found, markdown, lambda path: draw(found, path, seed), bars(found))


def bars(rows: list[Row]) -> list[Bar]:
    """What GMMerge is held to."""
    naive, merged = (next(row for row in rows if row["mixture"] == name) for name in (NAIVE, GMMERGE))
    ratio = merged["distance"] / naive["distance"]
    return [
        Bar("GMMerge's distance over the naive sum's", ratio, DISTANCE_AT_MOST),
        Bar("GMMerge's components over the naive sum's (%)", merged["percent_of_naive"], COMPONENTS_AT_MOST),
        Bar("GMMerge: least D_k over their median", merged["fairness_of_15_scans"], FAIRNESS_AT_LEAST, at_least=True),
    ]


def draw(rows: list[Row], path: Path, seed: int, points: int = POINTS) -> None:
    """The paper's five panels on its 2D curve, the same of a pair of dragon scans, and the rows as charts."""
    sets, held_out, poses = scans(seed, points)
    figure = new_figure(13.4, 9.0)
    left = occlude(butterfly(2000, seed=1), 0.3, place=(2.6, 1.0))
    right = occlude(butterfly(2000, seed=2), 0.3, place=(-2.6, 1.0))
    _draw_panels(figure, 0, "BUTTERFLY", merged_pair(left, right, estimate_scale(np.vstack([left, right])), 60.0))
    source, target = dragon_pair(sets, poses, SHOWN)
    _draw_panels(figure, 1, "DRAGON-STAND", merged_pair(source, target, estimate_scale(target), SHOWN_GAMMA))

    charts = {
        "distance": "48° pairs: distance to the union's fit",
        "components": "48° pairs: components",
        "components_of_15_scans": "15 scans: components",
    }
    for column, (head, title) in enumerate(charts.items()):
        axes = figure.add_axes((0.075 + 0.178 * column, 0.07, 0.115, 0.185))
        _draw_bars(axes, rows, head, title, names=column == 0)
    axes = figure.add_axes((0.635, 0.07, 0.35, 0.185))
    _draw_fairness(axes, *sequence(sets, held_out, poses))
    save(figure, path)


def _draw_panels(figure: Any, line: int, data: str, mixtures: dict[str, Mixture]) -> None:
    camera = Camera.facing(mixtures[UNION].means)
    box = bounding_box(camera, mixtures[UNION].means, margin=2.0 * mixtures[UNION].sigma)
    # One brightness for the three results: what the naive sum counts twice is too bright, what it halves too dark.
    peak = 1.3 * float(density_image(camera, mixtures[UNION], box, 150).max())
    titles = {
        "source": "aligned mixture $G_X$",
        "target": "aligned mixture $G_Y$",
        NAIVE: "naive merge",
        GMMERGE: "GMMerge",
        UNION: "fit of the union",
    }
    for column, (name, title) in enumerate(titles.items()):
        axes = figure.add_axes((0.01 + 0.197 * column, 0.685 - 0.345 * line, 0.19, 0.19 * 13.4 / 9.0))
        letter = "abcdefghij"[5 * line + column]
        frame(axes, box, f"({letter}) {title}")
        size = f"{len(mixtures[name]):,} components"
        axes.set_xlabel(size if column else f"{data}, {size}", fontsize=8, labelpad=3)
        draw_density(axes, camera, mixtures[name], box, peak=peak if column > 1 else None)


def _draw_bars(axes: Any, rows: list[Row], head: str, title: str, *, names: bool) -> None:
    values = [float(row[head]) for row in rows]
    labels = [str(row["mixture"]) for row in rows]
    drawn = axes.barh(labels, values, color=[COLOURS[label] for label in labels], height=0.62)
    axes.bar_label(drawn, fmt="{:.3f}" if max(values) < 10 else "{:,.0f}", fontsize=8, padding=3, color=INK)
    axes.invert_yaxis()
    axes.set(xticks=[], xlim=(0.0, 1.3 * max(values)))
    axes.set_title(title, fontsize=8.5, color=INK, loc="left", pad=6)
    axes.tick_params(length=0, labelsize=8, labelleft=names)
    axes.spines[["top", "right", "bottom"]].set_visible(False)


def _draw_fairness(axes: Any, maps: dict[str, Mixture], held_out: Array) -> None:
    for name, mixture in maps.items():
        densities = medians(mixture, held_out)
        style = "--" if name == UNION else "o-"
        axes.plot(
            24 * np.arange(SCANS),
            densities / np.median(densities),
            style,
            color=COLOURS[name],
            markersize=3.5,
            lw=1.3,
            label=name,
        )
    axes.set_title(
        "15 scans merged in sequence: density at each scan's points, over the median", fontsize=8.5, color=INK
    )
    axes.set_xlabel("scan (degrees), in the order of merging", fontsize=8)
    axes.set(xticks=24 * np.arange(SCANS))
    axes.set_ylim(bottom=0.0)
    axes.tick_params(labelsize=7)
    axes.grid(True, axis="y", color="#e5e5e5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=7.5, frameon=False)
