"""Certified search held to its bars: proofs in 2D and 3D, and poses sampled inside boxes against the boxes' bounds."""

from __future__ import annotations

from collections.abc import Iterator

import click
import numpy as np

from benchmarks.datasets import Array, dragon_scans, relative, shape_2d
from benchmarks.report import bar, header
from svgm.mixture.mixture import Mixture
from svgm.registration.prepared import Prepared, as_prepared
from svgm.registration.problem import Coordinates
from svgm.registration.search.boxes import Boxes
from svgm.registration.search.branch_and_bound import BoundedObjective, certify
from svgm.rigid import apply, pose, pose_error, rotation_exp

PARTS = ("planar", "dragon", "violations")
GAP = 1e-3

#: Levels of `register`, coarse to fine.
GAMMAS = tuple(0.1 * 10.0 ** (0.5 * k) for k in (2, 4, 5, 6, 7))

COMPONENTS = 30

#: Rounds of sampling in a box, each closer around the best pose so far.
ROUNDS = 5


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(PARTS), metavar="[PART]...")
@click.option("--threads", default=2, show_default=True)
@click.option("--checks", default=100_000, show_default=True, help="Poses sampled inside boxes.")
@click.option("--seconds", default=600.0, show_default=True, help="Time for one proof, at most.")
def main(parts: tuple[str, ...], threads: int, checks: int, seconds: float) -> None:
    """Prove global minima and print times beside their bars: `planar` (2D sets by gamma), `dragon` (scans with mixtures
    of up to 30 components) and `violations` (sampled poses that beat a bound: none may)."""
    header(f"certified search: relative gap {GAP:g}, {threads} threads")
    if "planar" in (parts or PARTS):
        planar(threads, seconds)
    if "dragon" in (parts or PARTS):
        dragon(threads, seconds)
    if "violations" in (parts or PARTS):
        checked, violated, _ = violations(checks, 0)
        print(f"{checked} poses sampled inside boxes of all sizes, 2D and 3D")
        bar("poses that beat the bound of their box", violated, 0)


def planar(threads: int, seconds: float) -> None:
    """The 2D sets turned by 2 rad, also deformed or with a fifth cut away, by gamma."""
    slowest: dict[float, float] = {}
    for name in ("road", "contour", "fish", "glyph"):
        target = shape_2d(name)
        cut = target[np.argsort(target[:, 0])][: int(0.8 * len(target))]
        sources = {"itself": target, "a fifth cut away": cut}
        if name != "road":
            sources["deformed"] = shape_2d(f"{name}_deformed")
        for kind, points in sources.items():
            centre = points.mean(axis=0)
            turned = apply(pose(rotation_exp(np.array([2.0]), 2), np.array([3.0, 1.0])), points - centre) + centre
            moving, fixed = as_prepared(turned, 0.01, "source"), as_prepared(target, 0.01, "target")
            for gamma in GAMMAS:
                sigma = float(np.sqrt(moving.scale * fixed.scale / gamma))
                mixtures = moving.mixture(sigma, moving.radius), fixed.mixture(sigma, moving.radius)
                _, proof = certify(*mixtures, gap=GAP, seconds=seconds, threads=threads)
                print(
                    f"{name:8} {kind:16} gamma {gamma:6.1f} {len(mixtures[0]):4} x {len(mixtures[1]):<4} "
                    f"f {proof.objective:.4f} gap {proof.gap:.1e} {proof.boxes:8} boxes {proof.seconds:7.2f} s",
                    flush=True,
                )
                slowest[gamma] = max(slowest.get(gamma, 0.0), proof.seconds if proof.complete else np.inf)
    for gamma, time in slowest.items():
        bar(f"2D, gamma {gamma:.3g}: slowest proof (seconds)", time, 10.0)


def dragon(threads: int, seconds: float) -> None:
    """Dragon scans 24 to 72 degrees apart, at the finest scale with at most `COMPONENTS` components."""
    scans, poses = dragon_scans()
    slowest = 0.0
    for k in (1, 2, 3):
        moving, fixed = as_prepared(scans[k], 0.01, "source"), as_prepared(scans[0], 0.01, "target")
        mixtures = finest(moving, fixed, COMPONENTS)
        found, proof = certify(*mixtures, gap=GAP, seconds=seconds, threads=threads)
        coordinates = Coordinates(moving.centre, fixed.centre, moving.radius)
        turn, shift = pose_error(coordinates.restore(found), relative(poses, k, 0))
        print(
            f"dragon {24 * k} degrees apart, {len(mixtures[0])} x {len(mixtures[1])} components, "
            f"sigma {mixtures[0].sigma:.2f} of the radius: f {proof.objective:.4f} gap {proof.gap:.1e} "
            f"{proof.boxes} boxes {proof.seconds:.1f} s, off by {np.degrees(turn):.1f} degrees and "
            f"{shift / moving.radius:.2f} radii",
            flush=True,
        )
        slowest = max(slowest, proof.seconds if proof.complete else np.inf)
    bar(f"3D, {COMPONENTS} components: slowest proof (seconds)", slowest, 600.0)


def finest(moving: Prepared, fixed: Prepared, components: int) -> tuple[Mixture, Mixture]:
    """Mixtures of one sigma, about the finest at which neither has more components, in units of the source's radius."""
    low, high = 0.01, 3.0
    for _ in range(20):
        middle = float(np.sqrt(low * high))
        sizes = [len(side.mixture(middle * moving.radius, moving.radius)) for side in (moving, fixed)]
        low, high = (low, middle) if max(sizes) <= components else (middle, high)
    return moving.mixture(high * moving.radius, moving.radius), fixed.mixture(high * moving.radius, moving.radius)


def violations(checks: int, seed: int) -> tuple[int, int, float]:
    """Poses checked, how many of them beat the bound of their box, and the least of (bound - best) / bound."""
    rng = np.random.default_rng(seed)
    checked = violated = 0
    tightest = np.inf
    for source, target in _mixtures(rng):
        problem = BoundedObjective(source, target, 1)
        boxes = _boxes(rng, source.dimension, 16)
        bounds, at_centres = problem.bound(boxes)
        for k in range(len(boxes)):
            values = np.r_[at_centres[k], _sampled(problem, boxes[np.array([k])], rng)]
            checked += len(values)
            violated += int((values > bounds[k]).sum())
            if bounds[k] > 1e-6:
                tightest = min(tightest, 1.0 - values.max() / bounds[k])
        if checked >= checks:
            return checked, violated, float(tightest)
    raise AssertionError("unreachable: mixtures do not end")


def correlation(problem: BoundedObjective, poses: Array) -> Array:
    """F of poses in the problem's units, pair by pair."""
    moved = apply(poses, problem.x)
    squared = ((moved[:, :, None] - problem.y) ** 2).sum(axis=3)
    return np.einsum("nij,i,j->n", np.exp(-0.5 * squared), problem.u, problem.w)


def _sampled(problem: BoundedObjective, box: Boxes, rng: np.random.Generator) -> Array:
    """F at poses in a box: first its corners and anywhere, then ever closer around the best."""
    k = box.centres.shape[1]
    best, best_value, width, values = np.zeros(k), -np.inf, 1.0, []
    for _ in range(ROUNDS):
        places = np.clip(best + width * rng.uniform(-1.0, 1.0, (24, k)), -1.0, 1.0)
        if width == 1.0:
            places[::2] = np.sign(places[::2])
        inside = Boxes(np.repeat(box.charts, 24), box.centres + places * box.halves, np.zeros((24, k)))
        found = correlation(problem, inside.poses())
        values.append(found)
        if found.max() > best_value:
            best, best_value = places[np.argmax(found)], float(found.max())
        width *= 0.4
    return np.concatenate(values)


def _mixtures(rng: np.random.Generator) -> Iterator[tuple[Mixture, Mixture]]:
    """Pairs of every kind, without end: few and many components, coincident ones, unequal variances and weights."""
    while True:
        d = int(rng.integers(2, 4))
        pair = []
        for _ in range(2):
            n = int(rng.choice([1, 2, 5, 20, 60]))
            means = rng.normal(size=(n, d))
            if rng.random() < 0.3:
                means[n // 2 :] = means[0]
            weights = rng.uniform(0.0, 1.0, n) ** rng.choice([1, 8])
            pair.append(Mixture(means, float(10.0 ** rng.uniform(-2.5, 0.5)), weights / weights.sum()))
        if rng.random() < 0.3:
            pair[1] = pair[0]
        yield pair[0], pair[1]


def _boxes(rng: np.random.Generator, d: int, many: int) -> Boxes:
    """Boxes anywhere, from all rotations down to a millionth, their sides of unequal lengths."""
    charts, k = rng.integers(0, 4 if d == 3 else 1, many), d * (d - 1) // 2
    largest = np.r_[np.full(k, np.pi if d == 2 else np.pi / 4), np.full(d, 4.0)]
    halves = largest * 10.0 ** (rng.uniform(-6.0, 0.0, (many, 1)) * rng.choice([0.15, 1.0], (many, 1)))
    halves *= 2.0 ** -rng.integers(0, 3, (many, k + d)).astype(float)
    centres = (largest - halves) * rng.uniform(-1.0, 1.0, halves.shape) * rng.choice([0.0, 0.1, 1.0], (many, 1))
    return Boxes(charts, centres, halves)


if __name__ == "__main__":
    main()
