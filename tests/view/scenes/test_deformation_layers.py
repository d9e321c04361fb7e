"""The scene of a deformation: the source as it is and as it was deformed, each in its frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import svgm
from svgm.rigid import apply
from svgm.view import registration_scene
from svgm.view.scenes.deformation_layers import deformation_layers


def named(scene, name: str) -> dict:
    """The layers of a name by their frame."""
    return {layer.frame: layer for layer in scene.layers if layer.name == name}


def test_each_frame_has_its_source(bent_sets, deformed: svgm.RegistrationResult) -> None:
    source, target = bent_sets
    scene = registration_scene(source, target, deformed)
    assert [frame.label for frame in scene.frames] == ["before", "nearest rigid motion", "after"]
    assert np.array_equal(scene.frames[0].transformation, np.eye(4))
    assert np.array_equal(scene.frames[1].transformation, deformed.transformation)
    assert set(named(scene, "source")) == {0, 1}
    assert all(layer.moves and np.array_equal(layer.points, source) for layer in named(scene, "source").values())
    (warped,) = named(scene, "warped source").values()
    assert (warped.frame, warped.moves, warped.shown) == (2, False, True)
    assert np.array_equal(warped.points, deformed.apply(source))
    assert np.linalg.norm(warped.points - target, axis=1).max() < 0.1


def test_displacements_are_those_from_the_rigid_motion(bent_sets, deformed: svgm.RegistrationResult) -> None:
    source, _ = bent_sets
    (layer,) = named(registration_scene(*bent_sets, deformed), "displacement").values()
    off = np.linalg.norm(deformed.apply(source) - apply(deformed.transformation, source), axis=1)
    assert np.allclose(layer.values, off / off.max())
    assert not layer.shown


def test_uncertainty_is_that_of_each_point(bent_sets, deformed: svgm.RegistrationResult) -> None:
    source, target = bent_sets
    scene = registration_scene(source, target, deformed)
    (layer,) = [layer for layer in scene.layers if layer.name.startswith("uncertainty")]
    moved, factor = deformed.apply(source), float(layer.name.split()[2])
    rows = [int(np.argmin(np.linalg.norm(moved - centre, axis=1))) for centre in layer.centres]
    assert np.array_equal(moved[rows], layer.centres)
    assert np.allclose(layer.axes, factor * deformed.warp.deviations[rows][:, None, None] * np.eye(3))
    other = registration_scene(source[:300], target, deformed)  # other points than those registered
    assert not any(layer.name.startswith("uncertainty") for layer in other.layers)


def test_mixtures_are_deformed_too_and_may_be_missing(bent_sets, deformed: svgm.RegistrationResult) -> None:
    (layer,) = named(registration_scene(*bent_sets, deformed), "warped source mixture").values()
    assert np.array_equal(layer.means, deformed.apply(deformed.mixtures[0].means))
    bare = registration_scene(*bent_sets, replace(deformed, mixtures=None))
    assert [name for name in bare.names if "mixture" in name] == []


def test_a_rigid_result_has_no_such_layers(sets, registered: svgm.RegistrationResult) -> None:
    with pytest.raises(svgm.InputError, match="non-rigid"):
        deformation_layers(*sets, registered)
