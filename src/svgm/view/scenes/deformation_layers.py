"""The layers of a deformation: the source as it is and as it was deformed, and its displacement from a rigid motion."""

from __future__ import annotations

import numpy as np

from svgm.checks.errors import InputError
from svgm.geometry.points import Array
from svgm.geometry.strays import without_strays
from svgm.registration.result import RegistrationResult
from svgm.rigid import apply
from svgm.view.colours import SOURCE, TARGET
from svgm.view.scenes.layers import Cloud, Layer, mixture_layer
from svgm.view.scenes.uncertainty import point_ellipsoids


def deformation_layers(source: Array, target: Array, result: RegistrationResult) -> list[Layer]:
    """Layers for three frames: the source before, after the nearest rigid motion, and deformed.

    Parameters
    ----------
    source, target : ndarray of shape (n, d)
        What was registered, each in its own coordinates.
    result : RegistrationResult
        Of a non-rigid registration.

    Examples
    --------
    >>> from svgm import datasets, register
    >>> curve = datasets.butterfly(60)
    >>> result = register(curve, curve + 0.1 * np.sin(curve[:, ::-1]), transform="nonrigid", search="local")
    >>> layers = deformation_layers(curve, curve, result)
    >>> [layer.name.split(",")[0] for layer in layers if layer.frame == 2]
    ['warped source', 'displacement', 'uncertainty', 'warped source mixture']
    """
    if result.warp is None:
        raise InputError("result must be that of a non-rigid registration")
    warped = result.apply(source)
    lengths = np.linalg.norm(warped - apply(result.transformation, source), axis=1)
    longest = float(lengths.max())
    layers: list[Layer] = [
        Cloud(name="target", points=target, colour=TARGET),
        *(Cloud(name="source", points=source, colour=SOURCE, moves=True, frame=frame) for frame in (0, 1)),
        Cloud(name="warped source", points=warped, colour=SOURCE, frame=2),
        Cloud(name="displacement", points=warped, values=lengths / (longest or 1.0), frame=2, shown=False),
    ]
    # Only the points that took part have deviations: strays are left out again, and clutter cannot be.
    used = without_strays(source)
    if len(used) == len(result.warp.deviations):
        layers.append(point_ellipsoids(result.apply(used), result.warp.deviations, 2))
    if result.mixtures is None:  # as in a result from JSON
        return layers
    moving, fixed = result.mixtures
    layers.append(mixture_layer(fixed, name="target mixture", colour=TARGET, shown=False))
    for frame in (0, 1):
        layers.append(mixture_layer(moving, name="source mixture", colour=SOURCE, moves=True, frame=frame, shown=False))
    deformed = result.warp.moved(moving)
    layers.append(mixture_layer(deformed, name="warped source mixture", colour=SOURCE, frame=2, shown=False))
    return layers
