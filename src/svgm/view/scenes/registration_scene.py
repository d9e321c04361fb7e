"""The scene of a registration: both sets before it, at each level of the annealing, and after it."""

from __future__ import annotations

from typing import Any

import numpy as np

from svgm.checks.arguments import instance
from svgm.checks.errors import InputError
from svgm.checks.types import PointsLike, PoseLike
from svgm.geometry.points import Array
from svgm.mixture.mixture import Mixture, places
from svgm.registration.linear.answer import as_rigid
from svgm.registration.linear.carried import split
from svgm.registration.linear.kinds import as_map
from svgm.registration.result import RegistrationResult
from svgm.view.colours import SOURCE, TARGET
from svgm.view.scenes.deformation_layers import deformation_layers
from svgm.view.scenes.layers import Cloud, Gaussians, Layer, mixture_layer
from svgm.view.scenes.scene import Frame, Scene
from svgm.view.scenes.uncertainty import uncertainty_ellipsoids


def registration_scene(
    source: PointsLike | Mixture,
    target: PointsLike | Mixture,
    result: RegistrationResult,
    *,
    init: PoseLike | None = None,
    title: str = "",
) -> Scene:
    """Make a scene of a registration: before it, at each level of the annealing, and after it.

    The layers are both sets, the mixtures that were compared at each level, and the uncertainty of places of the
    source.  The mixtures are those that the registration trained.  The source of a similarity or of an affine map is
    shown after its scale, or after its linear part.

    Of a non-rigid registration the frames are the source before, after the nearest rigid motion, and deformed.  The
    deformed source is the layer "warped source"; another one is coloured by its displacement from the rigid motion.

    Parameters
    ----------
    source, target : array_like of shape (n, d) or Mixture
        What was registered, d 2 or 3, each in its own coordinates.  A mixture is drawn by its means.
    result : RegistrationResult
        Returned by :func:`svgm.register`.
    init : array_like of shape (d+1, d+1), optional
        Initial pose, or map, of the registration.  The default is the identity.
    title : str, default ""
        Title of the scene.

    Returns
    -------
    Scene
        With the frames "before", one for each level, and "after"; or "before", "nearest rigid motion" and "after".

    Raises
    ------
    InputError
        If source, target and result differ in dimension, or `init` is not a rigid motion.

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
    start = np.eye(result.dimension + 1) if init is None else as_map(init, result.dimension, "init", result.kind)
    if result.warp is not None:
        poses = ("before", start), ("nearest rigid motion", result.transformation), ("after", result.transformation)
        return Scene(deformation_layers(moving, fixed, result), [Frame(*each) for each in poses], title=title)
    # Frames are poses: the source of a similarity is shown in the target's unit, that of an affine map stretched.
    if result.kind in ("similarity", "affine"):
        start = split(start, affine=result.kind == "affine")[1]
        first, result = as_rigid(result)
        moving = moving @ first.T
    frames = [Frame("before", start)]
    for number, stage in enumerate(result.stages, start=1):
        label = f"level {number} of {len(result.stages)}: sigma {stage.sigma:.3g}"
        frames.append(Frame(label, stage.transformation))
    frames.append(Frame("after", result.transformation))
    layers: list[Layer] = [
        Cloud(name="target", points=fixed, colour=TARGET),
        Cloud(name="source", points=moving, colour=SOURCE, moves=True),
    ]
    levels = [pair for record in result.stages or [result] if (pair := record.mixtures) is not None]
    # Before: the mixtures of the first level.  After: those of the last.  A result from JSON has none.
    shown = [levels[0], *(levels if result.stages else []), levels[-1]] if levels else []
    layers += [_mixture_layer("target", pair[1], number) for number, pair in enumerate(shown)]
    layers += [_mixture_layer("source", pair[0], number) for number, pair in enumerate(shown)]
    layers.append(uncertainty_ellipsoids(result, moving, len(frames) - 1))
    return Scene(layers, frames, title=title)


def registered_sets(source: Any, target: Any, result: RegistrationResult) -> tuple[Array, Array]:
    """The places of both sets of a registration, or an InputError if they cannot be those of the result."""
    moving, fixed = places(source, "source"), places(target, "target")
    dimensions = moving.shape[1], fixed.shape[1], instance("result", result, RegistrationResult).dimension
    if len(set(dimensions)) > 1:
        a, b, c = dimensions
        raise InputError(f"source, target and result must have the same dimension, got {a}, {b} and {c}")
    return moving, fixed


def _mixture_layer(name: str, mixture: Mixture, frame: int) -> Gaussians:
    return mixture_layer(
        mixture,
        name=f"{name} mixture",
        colour=SOURCE if name == "source" else TARGET,
        moves=name == "source",
        frame=frame,
        shown=False,
    )
