"""The scene of a registration: its frames, mixtures and uncertainty are those of the result."""

from __future__ import annotations

import numpy as np

import svgm
from svgm.rigid import apply
from svgm.view import registration_scene


def test_frames_and_mixtures_are_those_of_the_stages(sets, registered: svgm.RegistrationResult) -> None:
    scene = registration_scene(*sets, registered, init=np.eye(4))
    assert len(scene.frames) == len(registered.stages) + 2
    for frame, stage in zip(scene.frames[1:], registered.stages, strict=False):
        np.testing.assert_array_equal(frame.transformation, stage.transformation)
    for number, stage in enumerate(registered.stages, start=1):
        sizes = [len(layer.places) for layer in scene.layers if layer.frame == number]
        assert sizes[::-1] == list(stage.components)


def test_mixtures_are_not_trained_again(sets, registered: svgm.RegistrationResult) -> None:
    layers = registration_scene(*sets, registered).layers
    for number, stage in enumerate(registered.stages, start=1):
        shown = [layer for layer in layers if layer.frame == number]
        assert stage.mixtures is not None
        for layer, mixture in zip(shown[::-1], stage.mixtures, strict=True):
            np.testing.assert_array_equal(layer.places, mixture.means[mixture.weights > 0])


def test_ellipsoids_are_as_large_as_their_name_says(sets, registered: svgm.RegistrationResult) -> None:
    layer = registration_scene(*sets, registered).layers[-1]
    factor = float(layer.name.split()[2])
    places = apply(np.linalg.inv(registered.transformation), layer.places)
    for axes, covariance in zip(layer.axes, registered.covariance_at(places), strict=True):  # type: ignore[attr-defined]
        np.testing.assert_allclose(axes @ axes.T, factor**2 * covariance, rtol=1e-6, atol=1e-12)
