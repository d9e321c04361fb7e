"""The pictures of docs/method.md, drawn from generated shapes: ``python docs/pictures.py [folder] [name ...]``.

Writes one PNG a function below into the folder (default ``docs/images/method``) and prints the figures that the page
quotes.  Needs the extras ``view`` and ``mesh``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from picture_shapes import outline, pair, panels

import svgm
from svgm import datasets, rigid, view
from svgm.geometry.clutter import not_clutter
from svgm.geometry.points import Array
from svgm.view.camera import Camera
from svgm.view.colours import INK, SOURCE, TARGET
from svgm.view.pictures.draw import bounding_box, draw_density, draw_ellipses, draw_points, draw_support_vectors, frame
from svgm.view.pictures.figure import new_figure, save

FLAT = Camera.flat()
GREY, BRIGHT = "#9a9a9a", "#00d0ff"


def svm(path: Path) -> None:
    """From points to a density: points, support vectors, decision boundary, mixture."""
    points = datasets.disturb(datasets.butterfly(900, seed=1), noise=0.006, outliers=0.03, seed=3)
    mixture = svgm.fit(points, gamma=40, nu=0.05)
    print(f"svm: {len(points)} points, {mixture}")
    box = bounding_box(FLAT, points, margin=mixture.sigma)
    figure, axes = panels(4)
    titles = (
        f"{len(points)} points, 3 % outliers",
        f"{len(mixture)} support vectors, by weight",
        "f(x) ≥ 0: what counts as surface",
        "the mixture p(x)",
    )
    for axis, title in zip(axes, titles, strict=True):
        frame(axis, box, title)
    draw_points(axes[0], FLAT, (points, TARGET))
    draw_support_vectors(axes[1], FLAT, mixture, TARGET, points)
    x, y = np.linspace(*box[:2], 300), np.linspace(*box[2:], 300)
    values = mixture.decision(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)).reshape(300, 300)
    axes[2].contourf(x, y, values, levels=[0.0, values.max()], colors=[TARGET], alpha=0.35)
    axes[2].contour(x, y, values, levels=[0.0], colors=[INK], linewidths=0.7)
    axes[2].scatter(points[:, 0], points[:, 1], s=0.8, color=INK, linewidths=0)
    draw_density(axes[3], FLAT, mixture, box)
    save(figure, path)


def clutter(path: Path) -> None:
    """A view of a body with 60 % clutter: all points, what is kept, what is left out."""
    surface = datasets.partial_view(datasets.body(9_000, seed=1)[0], (7.0, 4.0, 3.0), noise=0.001, seed=1)
    points = datasets.disturb(surface, outliers=1.5, seed=1)
    kept = not_clutter(points)
    right, left = int(kept[: len(surface)].sum()), int(kept[len(surface) :].sum())
    print(
        f"clutter: {len(surface)} points of the surface, {right} kept; {len(points) - len(surface)} others, {left} kept"
    )
    camera = Camera.at(np.array([7.0, 4.0, 3.0]))
    box = bounding_box(camera, points, margin=0.1)
    figure, axes = panels(3)
    shown = (
        (f"{len(points)} points, 60 % clutter", points, TARGET),
        (f"kept: {int(kept.sum())}", points[kept], TARGET),
        (f"left out: {int((~kept).sum())}", points[~kept], GREY),
    )
    for axis, (title, some, colour) in zip(axes, shown, strict=True):
        frame(axis, box, title)
        draw_points(axis, camera, (some, colour))
    save(figure, path)


def scales(path: Path) -> None:
    """One set at four gammas: support vectors above, density below."""
    points = datasets.disturb(datasets.butterfly(2000, seed=1), noise=0.003, seed=1)
    gammas = (1.0, 8.0, 40.0, 200.0)
    mixtures = [svgm.fit(points, gamma=gamma) for gamma in gammas]
    box = bounding_box(FLAT, points, margin=0.35)
    figure, axes = panels(len(gammas), rows=2)
    for column, (gamma, mixture) in enumerate(zip(gammas, mixtures, strict=True)):
        print(f"scales: gamma {gamma:g}, {mixture}")
        frame(axes[column], box, f"$\\gamma$ = {gamma:g}: {len(mixture)} of {len(points)} points")
        draw_support_vectors(axes[column], FLAT, mixture, TARGET, points)
        frame(axes[column + len(gammas)], box, f"$\\sigma$ = {mixture.sigma:.2f}")
        draw_density(axes[column + len(gammas)], FLAT, mixture, box)
    save(figure, path)


def occlusion(path: Path) -> None:
    """A wing in shadow, one point in eight left: what it does to a kernel density estimate and to the SVM's mixture."""
    whole = datasets.butterfly(2000)
    near = np.linalg.norm(whole - [2.0, 1.8], axis=1) < 1.6
    shaded = whole[~near | (np.arange(len(whole)) % 8 == 0)]
    scale = svgm.estimate_scale(whole)
    box = bounding_box(FLAT, whole, margin=0.3)
    figure, axes = panels(3)
    frame(axes[0], box, f"right wing in shadow, {len(shaded)} of {len(whole)} points")
    draw_points(axes[0], FLAT, (shaded, TARGET))
    for axis, name, fitted in ((axes[1], "kernel density", svgm.kde), (axes[2], "support-vector mixture", svgm.fit)):
        before, after = (fitted(points, gamma=40, scale=scale) for points in (whole, shaded))
        change = before.l2_distance(after) / before.norm**2
        print(f"occlusion: {name}, {len(after)} components, changed by {change:.3f}")
        frame(axis, box, f"{name}, {len(after)} components")
        draw_density(axis, FLAT, after, box)
    save(figure, path)


def objective(path: Path) -> None:
    """The objective against the angle from the true pose, at four scales."""
    source, target, truth = pair()
    scale = float(np.sqrt(svgm.estimate_scale(source) * svgm.estimate_scale(target)))
    centre = rigid.apply(truth, source).mean(axis=0)
    degrees = np.arange(-180, 181)
    figure = new_figure(8.4, 3.4)
    axes = figure.add_axes((0.075, 0.16, 0.9, 0.76))
    colours = ("#9ecae1", "#4292c6", "#08519c", SOURCE)
    for gamma, colour in zip((0.3, 3.0, 30.0, 300.0), colours, strict=True):
        moving, fixed = (svgm.fit(points, gamma=gamma, scale=scale) for points in (source, target))
        at_truth = moving.transformed(truth)
        poses = [_turned_about(centre, angle) for angle in np.radians(degrees)]
        values = np.array([-at_truth.transformed(T).inner_product(fixed) / (moving.norm * fixed.norm) for T in poses])
        lowest = int(np.argmin(values))
        basin = degrees[_basin(values, lowest)]
        count = int(((values[1:-1] < values[:-2]) & (values[1:-1] < values[2:])).sum())
        print(
            f"objective: gamma {gamma:g}, {values.min():.3f} to {values.max():.3f}, {count} minima, the lowest at "
            f"{degrees[lowest]} degrees, downhill to it from {basin[0]} to {basin[-1]}"
        )
        stretched = (values - values.min()) / np.ptp(values)
        axes.plot(degrees, stretched, color=colour, lw=1.8, label=f"$\\gamma$ = {gamma:g}: {count} minima")
    axes.set(xlim=(-180, 180), xticks=range(-180, 181, 60), yticks=[])
    axes.set_xlabel("turned away from the true pose (degrees)", fontsize=9)
    axes.set_ylabel("objective, each from its least to its most", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    save(figure, path)


def _turned_about(centre: Array, angle: float) -> Array:
    shift = rigid.pose(np.eye(2), centre)
    return shift @ rigid.exp([angle, 0.0, 0.0]) @ rigid.invert(shift)


def _basin(values: Array, lowest: int) -> slice:
    """Downhill from both sides to the lowest value."""
    first = last = lowest
    while first > 0 and values[first - 1] > values[first]:
        first -= 1
    while last < len(values) - 1 and values[last + 1] > values[last]:
        last += 1
    return slice(first, last + 1)


def annealing(path: Path) -> None:
    """The levels of one registration: the target's density and the source's points at the pose of that level."""
    source, target, truth = pair()
    result = svgm.register(source, target, search="local", covariance="isotropic")
    scale = float(np.sqrt(svgm.estimate_scale(source) * svgm.estimate_scale(target)))
    box = bounding_box(FLAT, target, rigid.apply(truth, source), source, margin=0.2)
    figure, axes = panels(4, rows=2)
    frame(axes[0], box, "start")
    draw_points(axes[0], FLAT, (target, TARGET), (source, SOURCE))
    shown = result.stages[:6]
    for axis, stage in zip(axes[1:], shown, strict=False):
        fixed = svgm.fit(target, gamma=stage.gamma, scale=scale)
        off = np.degrees(rigid.pose_error(stage.transformation, truth)[0])
        print(f"annealing: gamma {stage.gamma:.2g}, {stage.components} components, best pose off by {off:.2f} degrees")
        frame(axis, box, f"$\\gamma$ = {stage.gamma:.2g}: off by {off:.1f}°")
        draw_density(axis, FLAT, fixed, box)
        axis.scatter(*rigid.apply(stage.transformation, source).T, s=2.5, color=BRIGHT, linewidths=0)
    rotation, translation = rigid.pose_error(result.transformation, truth)
    print(f"annealing: answer off by {np.degrees(rotation):.2f} degrees and {translation:.4f}, {result.confidence:.2f}")
    frame(axes[7], box, f"answer (finest $\\gamma$ = {result.stages[-1].gamma:.0f})")
    draw_points(axes[7], FLAT, (target, TARGET), (rigid.apply(result.transformation, source), SOURCE))
    save(figure, path)


def search(path: Path) -> None:
    """Two views of a body, one thrown far away: the answer of the global search and other poses it met."""
    truth = rigid.exp([2.2, -0.9, 1.1, 4.0, -3.0, 2.0])
    target = datasets.partial_view(datasets.body(15_000, seed=1)[0], (7.0, 4.0, 3.0), noise=0.001, seed=1)
    source = datasets.partial_view(datasets.body(15_000, seed=2)[0], (-2.0, 7.5, 3.0), noise=0.001, seed=2)
    source = rigid.apply(rigid.invert(truth), source)
    for kind in ("local", "global"):
        result = svgm.register(source, target, search=kind)
        off = np.degrees(rigid.pose_error(result.transformation, truth)[0])
        print(f"search: {kind}, off by {off:.2f} degrees, confidence {result.confidence:.2f}")
    print(f"search: overlap {result.overlap:.2f}, scores {[round(other.score, 2) for other in result.alternatives]}")
    view.candidates(source, target, result, path=path, camera=Camera.at(np.array([3.0, 7.0, 3.0])))


def confidence(path: Path) -> None:
    """Three answers: one to believe, one of several equally good, one of sets that have nothing in common."""
    source, target, _ = pair()
    angle = np.linspace(0.0, 2.0 * np.pi, 700, endpoint=False)
    star = np.c_[np.cos(angle), np.sin(angle)] * (2.0 + 0.6 * np.cos(5.0 * angle))[:, None]
    other = datasets.disturb(star, noise=0.003, seed=4)
    turned = rigid.apply(rigid.exp([0.3, 1.0, 0.5]), datasets.disturb(star, noise=0.003, seed=5))
    cases = (("partial views", source, target), ("five alike", turned, other), ("no common shape", star, target))
    figure, axes = panels(3, foot=0.3)
    for axis, (name, moving, fixed) in zip(axes, cases, strict=True):
        result = svgm.register(moving, fixed)
        moved = rigid.apply(result.transformation, moving)
        frame(axis, bounding_box(FLAT, fixed, moved), name)
        draw_points(axis, FLAT, (fixed, TARGET), (moved, SOURCE))
        summary = f"confidence {result.confidence:.2f}, overlap {result.overlap:.2f}"
        axis.set_xlabel(summary + (", ambiguous" if result.ambiguous else ""), fontsize=8.5, labelpad=4)
        print(f"confidence: {name}, {summary}, ambiguous {result.ambiguous}, {result.search}")
    save(figure, path)


def covariance(path: Path) -> None:
    """What the covariance says of a corner and of a corridor: where the sensor may be, enlarged."""
    generator = np.random.default_rng(1)
    figure = new_figure(10.0, 2.35)
    for column, (name, walls) in enumerate(_rooms().items()):
        axis = figure.add_axes((0.01 + 0.5 * column, 0.13, 0.48, 0.74))
        target, source = (walls + 0.02 * generator.standard_normal(walls.shape) for _ in range(2))
        result = svgm.register(source, target, search="local")
        frame(axis, (-5.0, 5.0, -1.75, 1.75), name)
        draw_points(axis, FLAT, (target, TARGET))
        spread = np.sqrt(np.diag(result.covariance))
        xi = generator.multivariate_normal(np.zeros(3), result.covariance, size=400) * 30.0
        places = (result.transformation @ rigid.exp(xi))[:, :2, 2]
        axis.scatter(places[:, 0], places[:, 1], s=4, color=SOURCE, alpha=0.35, linewidths=0)
        axis.plot(*result.translation, marker="+", color=INK, ms=9)
        note = f"deviations: {np.degrees(spread[0]):.2f}°, x {spread[1]:.3f}, y {spread[2]:.3f}"
        axis.set_xlabel(note, fontsize=8.5, labelpad=4)
        print(f"covariance: {name}, deviations {spread.round(5).tolist()}")
    save(figure, path)


def _rooms() -> dict[str, Array]:
    """Walls around the origin: a corridor that says nothing along itself, and one with a corner and a niche."""
    along = np.linspace(-4.0, 4.0, 300)
    sides = [np.c_[along, np.full_like(along, y)] for y in (-1.2, 1.2)]
    corridor = np.vstack(sides)
    end = np.c_[np.full(90, 4.0), np.linspace(-1.2, 1.2, 90)]
    pillar = np.c_[np.full(40, -1.5), np.linspace(0.4, 1.2, 40)]
    return {"corridor": corridor, "corridor with an end and a pillar": np.vstack([corridor, end, pillar])}


def merging(path: Path) -> None:
    """Two aligned mixtures, their plain sum, GMMerge, and what one fit to all points gives."""
    whole = datasets.butterfly(2000, seed=1)
    left = datasets.occlude(whole, 0.3, place=(2.6, 1.0))
    right = datasets.occlude(datasets.butterfly(2000, seed=2), 0.3, place=(-2.6, 1.0))
    scale = svgm.estimate_scale(whole)
    first, second, union = (svgm.fit(p, gamma=60, scale=scale) for p in (left, right, np.vstack([left, right])))
    naive, merged = svgm.merge_naive(first, second), svgm.merge(first, second)
    for name, mixture in (("sum", naive), ("GMMerge", merged)):
        distance = mixture.l2_distance(union) / union.norm**2
        print(f"merging: {name}, {len(mixture)} components, L2 distance to the union's fit {distance:.4f}")
    shown = [
        (f"source, {len(first)} components", first),
        (f"target, {len(second)}", second),
        (f"naive sum, {len(naive)}", naive),
        (f"GMMerge, {len(merged)}", merged),
        (f"one fit to all, {len(union)}", union),
    ]
    view.densities([shown], path=path)


def surface(path: Path) -> None:
    """An outline seen from inside: one class, two classes with a viewpoint, and the surfaces drawn from them."""
    points = datasets.disturb(outline(), noise=0.001, seed=1)
    eye = [0.0, 0.0]
    one, two = svgm.fit(points, gamma=64), svgm.fit_two_class(points, viewpoint=eye)
    box = bounding_box(FLAT, points, margin=0.4)
    x, y = np.linspace(*box[:2], 300), np.linspace(*box[2:], 300)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    figure, axes = panels(3)
    for axis, name, mixture in ((axes[0], "one class", one), (axes[1], "against free space", two)):
        values = mixture.decision(grid).reshape(300, 300)
        most = float(np.quantile(np.abs(values), 0.99))
        frame(axis, box, f"{name}, {len(mixture)} components")
        axis.imshow(values, origin="lower", extent=box, cmap="RdBu_r", vmin=-most, vmax=most, alpha=0.85)
        axis.scatter(points[:, 0], points[:, 1], s=1.0, color=INK, linewidths=0)
    axes[1].plot(*eye, marker="*", color=INK, ms=9)
    frame(axes[2], box, "their surfaces: a skin, a sheet")
    axes[2].scatter(points[:, 0], points[:, 1], s=1.0, color=GREY, linewidths=0)
    for mixture, colour in ((one, SOURCE), (two, TARGET)):
        mesh = svgm.surface(mixture)
        print(f"surface: {mesh}, closed {mesh.closed}")
        for segment in mesh.vertices[mesh.simplices]:
            axes[2].plot(segment[:, 0], segment[:, 1], color=colour, lw=1.0)
    save(figure, path)


def _levels(points: Array, gamma: float) -> list[svgm.Mixture]:
    """The round and the flat mixture that a registration has of these points at this gamma."""
    one_level = {"gamma": gamma, "annealing": None, "search": "local"}
    kinds = ("isotropic", "full")
    return [svgm.register(points, points, covariance=kind, **one_level).mixtures[1] for kind in kinds]


def flat(path: Path) -> None:
    """An outline at one scale: round components of one variance and flat ones, with their densities."""
    points = datasets.disturb(outline(), noise=0.01, seed=1)
    box = bounding_box(FLAT, points, margin=0.35)
    figure, axes = panels(4)
    for column, (name, mixture) in enumerate(zip(("round", "flat"), _levels(points, 31.6), strict=True)):
        print(f"flat: {name}, {mixture}{_thickness(mixture)}")
        frame(axes[2 * column], box, f"{len(mixture)} {name} components")
        _draw_components(axes[2 * column], FLAT, mixture, points)
        frame(axes[2 * column + 1], box, "their density")
        draw_density(axes[2 * column + 1], FLAT, mixture, box)
    save(figure, path)


def flat_body(path: Path) -> None:
    """One view of the generated body at two scales: round components above, flat ones below."""
    points = datasets.partial_view(datasets.body(15_000, seed=1)[0], (7.0, 4.0, 3.0), noise=0.001, seed=1)
    camera = Camera.at(np.array([7.0, 4.0, 3.0]))
    box = bounding_box(camera, points, margin=0.15)
    gammas = (10.0, 31.6, 100.0)
    figure, axes = panels(len(gammas), rows=2)
    for column, gamma in enumerate(gammas):
        for row, (name, mixture) in enumerate(zip(("round", "flat"), _levels(points, gamma), strict=True)):
            print(f"flat_body: gamma {gamma:g}, {name}, {mixture}{_thickness(mixture)}")
            axis = axes[row * len(gammas) + column]
            frame(axis, box, f"$\\gamma$ = {gamma:.0f}: {len(mixture)} {name} components")
            _draw_components(axis, camera, mixture)
    save(figure, path)


def _thickness(mixture: svgm.Mixture) -> str:
    """The median deviation across the surface, in sigmas, of components with covariances."""
    if mixture.covariances is None:
        return ""
    across = np.sqrt(np.linalg.eigvalsh(mixture.covariances)[:, 0]) / mixture.sigma
    return f", median deviation across the surface {np.median(across):.2f} sigma"


def _draw_components(axes: Any, camera: Camera, mixture: svgm.Mixture, points: Array | None = None) -> None:
    """Components as ellipses of one standard deviation, the nearest on top, those of one variance too."""
    order = np.argsort(camera.depth(mixture.means), kind="stable")
    draw_ellipses(axes, camera, mixture.means[order], mixture.full_covariances()[order], TARGET)
    if points is not None:
        axes.scatter(points[:, 0], points[:, 1], s=0.8, color=INK, linewidths=0)


def organ(path: Path) -> None:
    """The organ and the template of docs/recipes/organ-to-template.md."""
    template = 60.0 * datasets.body(2_000, seed=1)[0]
    x, y, z = (60.0 * datasets.body(2_500, seed=2)[0]).T
    bent = np.column_stack([x + 8.0 * np.sin(z / 40.0), 1.15 * y + 6.0 * np.sin(x / 60.0), z + 5.0 * np.cos(x / 50.0)])
    patient = rigid.apply(rigid.exp([0.2, -0.3, 0.6, 150.0, -80.0, 40.0]), bent)
    patient += 0.5 * np.random.default_rng(3).standard_normal(patient.shape)
    result = svgm.register(patient, template, transform="nonrigid")
    print(f"organ: {result.warp}")
    view.deformation(patient, template, result, path=path)


PICTURES: dict[str, Callable[[Path], None]] = {
    draw.__name__: draw
    for draw in (
        svm,
        clutter,
        scales,
        occlusion,
        objective,
        annealing,
        flat,
        flat_body,
        search,
        confidence,
        covariance,
        merging,
        surface,
        organ,
    )
}


def main(arguments: list[str]) -> None:
    """Draw the pictures that are named, or all."""
    names = [name for name in arguments if name in PICTURES]
    folders = [Path(name) for name in arguments if name not in PICTURES]
    folder = folders[0] if folders else Path(__file__).parent / "images" / "method"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or PICTURES:
        PICTURES[name](folder / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
