"""Two sets on their way to each other, as a scene."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from svgm.checks.arguments import instance, positive
from svgm.checks.errors import InputError
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture, places
from svgm.registration.prepared import Prepared, as_prepared
from svgm.registration.result import RegistrationResult
from svgm.rigid import as_pose
from svgm.view.canvas import SOURCE, TARGET
from svgm.view.scene import Cloud, Frame, Gaussians, Layer, Scene
from svgm.view.uncertainty import ellipsoids
from svgm.view.words import finest_sigma


def registration_scene(
    source: Array | Mixture,
    target: Array | Mixture,
    result: RegistrationResult,
    *,
    init: ArrayLike | None = None,
    nu: float = 0.01,
    title: str = "",
) -> Scene:
    """Source and target before the registration, at each stage of the annealing, and after it.

    Layers: both sets, the mixtures that each stage compared, and the uncertainty of places of the source.

    Parameters
    ----------
    source, target
        What was registered: points (n, d), d 2 or 3, or mixtures, which are drawn by their means.
    result
        Of :func:`svgm.register`.
    init
        Where the registration started; default identity.
    nu
        Of the SVMs, which are trained once more for the mixtures.
    title
        Of the scene.

    Examples
    --------
    >>> import svgm
    >>> from svgm.datasets import butterfly
    >>> points = butterfly(200, seed=1)
    >>> result = svgm.register(points + [0.1, 0.0], points)
    >>> scene = registration_scene(points + [0.1, 0.0], points, result)
    >>> [frame.label for frame in scene.frames][::len(result.stages) + 1]
    ['before', 'after']
    >>> scene.names[:4]
    ['target', 'source', 'target mixture', 'source mixture']
    """
    moving, fixed = registered_sets(source, target, result)
    nu = positive("nu", nu, most=1)
    start = np.eye(result.dimension + 1) if init is None else as_pose(init, result.dimension, "init")
    frames = [Frame("before", start)]
    for number, stage in enumerate(result.stages, start=1):
        label = f"stage {number} of {len(result.stages)}: sigma {stage.sigma:.3g}"
        frames.append(Frame(label, stage.transformation))
    frames.append(Frame("after", result.transformation))
    # Before: the mixtures of the first stage, after: those of the last.
    levels = [stage.sigma for stage in result.stages] or [finest_sigma(result, moving)]
    sigmas = [levels[0], *(stage.sigma for stage in result.stages), levels[-1]]
    layers: list[Layer] = [
        Cloud(name="target", points=fixed, colour=TARGET),
        Cloud(name="source", points=moving, colour=SOURCE, moves=True),
    ]
    for name, value, colour in (("target", target, TARGET), ("source", source, SOURCE)):
        prepared = as_prepared(value, nu, name)
        for number, sigma in enumerate(sigmas):
            layers.append(_stage(f"{name} mixture", prepared, sigma, colour, number))
    layers.append(ellipsoids(result, moving, len(frames) - 1))
    return Scene(layers, frames, title=title)


def registered_sets(
    source: Array | Mixture, target: Array | Mixture, result: RegistrationResult
) -> tuple[Array, Array]:
    """Where the two sets of a registration are, or an InputError if they cannot be those of the result."""
    moving, fixed = places(source, "source"), places(target, "target")
    dimensions = moving.shape[1], fixed.shape[1], instance("result", result, RegistrationResult).dimension
    if len(set(dimensions)) > 1:
        a, b, c = dimensions
        raise InputError(f"source, target and result must have the same dimension, got {a}, {b} and {c}")
    return moving, fixed


def _stage(name: str, prepared: Prepared, sigma: float, colour: str, frame: int) -> Gaussians:
    mixture = prepared.mixture(sigma, 1.0)
    kept = mixture.weights > 0
    return Gaussians(
        name=name,
        means=mixture.means[kept] + prepared.centre,
        weights=mixture.weights[kept],
        sigma=mixture.sigma,
        colour=colour,
        moves=name.startswith("source"),
        frame=frame,
        shown=False,
    )
