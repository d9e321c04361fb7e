"""The animated picture of the site's front page: ``python docs/front.py [file]``.

Writes one SVG (default ``docs/images/registration.svg``) in which the source moves through the poses that each level of
a registration found. It moves by CSS alone, keeps still if the reader asks for less motion, and asks for no other file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import svgm
from svgm import datasets, rigid
from svgm.geometry.points import Array
from svgm.io import atomic_write
from svgm.view.colours import SOURCE, TARGET

#: Size of the picture and its margin in pixels, points that are drawn of each set, and seconds of one run.
WIDTH, HEIGHT, MARGIN, DRAWN, SECONDS = 720, 330, 14, 420, 9.0

#: Shares of a run at which the source still stands where it was, and at which it has arrived.
WAITS, ARRIVES = 0.12, 0.72


def drawing(seed: int) -> Array:
    """A line drawing of an animal: the rim of the generated body, seen from its side."""
    points, normals = datasets.body(30_000, seed=seed)
    return points[np.abs(normals[:, 1]) < 0.05][:, [0, 2]]


def pair() -> tuple[Array, Array]:
    """Two drawings, each without a part, the source far from its place."""
    truth = rigid.exp([np.radians(115.0), 4.5, 3.5])
    target = datasets.disturb(datasets.occlude(drawing(1), 0.2, place=(-1.0, -0.6)), noise=0.003, seed=1)
    source = datasets.disturb(datasets.occlude(drawing(2), 0.2, place=(0.2, 0.7)), noise=0.003, seed=2)
    return rigid.apply(rigid.invert(truth), source), target


def dots(points: Array, colour: str) -> str:
    """Some of the points, as one path of round dots."""
    some = points[:: max(1, len(points) // DRAWN)]
    path = "".join(f"M{x:.3f} {y:.3f}h0" for x, y in some)
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-linecap="round" vector-effect="non-scaling-stroke"/>'


def css(pose: Array) -> str:
    """A pose as CSS writes it: a translation and a rotation, which a browser blends as such."""
    angle = np.degrees(np.arctan2(pose[1, 0], pose[0, 0]))
    return f"translate({pose[0, 2]:.4f}px,{pose[1, 2]:.4f}px) rotate({angle:.3f}deg)"


def main(path: Path) -> None:
    """Register the pair, and write the picture."""
    source, target = pair()
    result = svgm.register(source, target)
    # From the first pose to the last by way of every level's answer; about its own middle the source turns in place.
    middle = source.mean(axis=0)
    about = rigid.pose(np.eye(2), middle)
    poses = [np.eye(3), *(stage.transformation for stage in result.stages), result.transformation]
    moves = [rigid.invert(about) @ T @ about for T in poses]
    moves = [rigid.pose(move[:2, :2], (T @ np.r_[middle, 1.0])[:2]) for move, T in zip(moves, poses, strict=True)]
    everything = np.vstack([target, *(rigid.apply(T, source) for T in (poses[0], poses[-1]))])
    low, high = everything.min(axis=0), everything.max(axis=0)
    scale = min((WIDTH - 2 * MARGIN) / (high - low)[0], (HEIGHT - 2 * MARGIN) / (high - low)[1])
    centre = 0.5 * (low + high)
    # The first level brings the source near, so it takes half of the way.
    times = np.r_[0.0, WAITS, np.linspace(0.5 * (WAITS + ARRIVES), ARRIVES, len(moves) - 1), 1.0]
    steps = [moves[0], *moves, moves[-1]]
    keys = "".join(f"{100 * t:.2f}%{{transform:{css(T)}}}" for t, T in zip(times, steps, strict=True))
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'aria-label="Two partial drawings of an animal; one moves onto the other.">'
        f"<style>@keyframes move{{{keys}}}"
        f"#source{{animation:move {SECONDS:g}s ease-in-out infinite;transform:{css(moves[-1])}}}"
        "path{stroke-width:3.4px}@media(prefers-reduced-motion:reduce){#source{animation:none}}</style>"
        f'<g transform="translate({WIDTH / 2} {HEIGHT / 2}) scale({scale:.4f} {-scale:.4f}) '
        f'translate({-centre[0]:.4f} {-centre[1]:.4f})">'
        f'{dots(target, TARGET)}<g id="source">{dots(source - middle, SOURCE)}</g></g></svg>\n'
    )
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="ascii")
    print(f"{path}: {len(text)} bytes, {len(moves)} poses, confidence {result.confidence:.2f}, {result.search} search")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "images" / "registration.svg"))
