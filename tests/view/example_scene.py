"""The scene that tests of the page and of the live viewer look at."""

from __future__ import annotations

import numpy as np

from svgm.datasets import body
from svgm.rigid import apply, exp, invert
from svgm.view import Cloud, Frame, Scene
from svgm.view.colours import SOURCE, TARGET

#: Pose of the source in the target.
T = exp([0.2, -0.3, 0.4, 1.5, 0.8, 0.5])

#: Coordinates as surveyors have them.
SURVEY = np.array([512_345.0, 5_412_345.0, 432.0])


def pair(far: np.ndarray | float = 0.0) -> Scene:
    """A registration of two bodies, possibly far from zero."""
    target, source = body(4000, seed=2)[0], apply(invert(T), body(4000, seed=1)[0])
    shift = np.eye(4)
    shift[:3, 3] = far
    frames = [Frame("before", np.eye(4)), Frame("after", shift @ T @ invert(shift))]
    layers = [
        Cloud(name="target", points=target + far, colour=TARGET),
        Cloud(name="source", points=source + far, colour=SOURCE, moves=True),
    ]
    return Scene(layers, frames, title="two bodies")
