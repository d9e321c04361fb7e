"""What the pictures of docs/pictures.py share: rows of panels, and the generated shapes."""

from __future__ import annotations

import numpy as np

from svgm import datasets, rigid
from svgm.geometry.points import Array
from svgm.view.pictures.figure import new_figure


def panels(count: int, side: float = 2.9, foot: float = 0.0, rows: int = 1):
    """A figure with rows of square panels: the figure and its axes, row by row."""
    gap, head = 0.15, 0.36
    width, height = count * (side + gap) + gap, rows * (side + head + foot) + gap
    figure = new_figure(width, height)
    axes = []
    for row in range(rows):
        bottom = height - (row + 1) * (side + head + foot) + foot
        for column in range(count):
            left = gap + column * (side + gap)
            axes.append(figure.add_axes((left / width, bottom / height, side / width, side / height)))
    return figure, axes


def animal(seed: int) -> Array:
    """A line drawing: the rim of the generated body, seen from its side."""
    points, normals = datasets.body(30_000, seed=seed)
    return points[np.abs(normals[:, 1]) < 0.05][:, [0, 2]]


def outline() -> Array:
    """A closed curve of 500 points with bays and lobes."""
    angle = np.linspace(0.0, 2.0 * np.pi, 500, endpoint=False)
    radius = 2.0 + 0.45 * np.cos(3.0 * angle) + 0.25 * np.sin(5.0 * angle)
    return np.c_[np.cos(angle), np.sin(angle)] * radius[:, None]


def pair() -> tuple[Array, Array, Array]:
    """Two drawings of the animal, each without a part and with noise, the source turned, and the true pose."""
    truth = rigid.exp([np.radians(50.0), 0.8, -0.5])
    target = datasets.disturb(datasets.occlude(animal(1), 0.15, place=(-1.0, -0.6)), noise=0.003, seed=1)
    source = datasets.disturb(datasets.occlude(animal(2), 0.15, place=(0.2, 0.7)), noise=0.003, seed=2)
    return rigid.apply(rigid.invert(truth), source), target, truth
