"""Deformations: the spline, its derivatives, bending, composition, inverse, far places, files."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from svgm import Affine, Deformation, Rigid, Similarity, load_transform, rigid
from svgm.checks.errors import FileError, InputError


@pytest.fixture(params=[2, 3])
def bent(request: pytest.FixtureRequest, rng: np.random.Generator) -> Deformation:
    points = rng.normal(size=(40, request.param))
    return Deformation.through(points, points + 0.1 * np.sin(2.0 * points[:, ::-1]))


def test_a_spline_meets_its_images_and_a_smoothed_one_bends_less(rng: np.random.Generator) -> None:
    points = rng.normal(size=(30, 2))
    images = points + 0.1 * rng.normal(size=(30, 2))
    tight, smooth = (Deformation.through(points, images, smoothing=s) for s in (0.0, 0.1))
    assert np.allclose(tight.apply(points), images, atol=1e-10)
    assert smooth.bending < 0.5 * tight.bending
    stiff = Deformation.through(points, images, smoothing=1e9)
    affine, *_ = np.linalg.lstsq(np.column_stack([points, np.ones(30)]), images, rcond=None)
    assert np.allclose(stiff.apply(points), np.column_stack([points, np.ones(30)]) @ affine, atol=1e-6)


def test_an_affine_map_costs_nothing(rng: np.random.Generator) -> None:
    points = rng.normal(size=(30, 3))
    turn = rng.normal(size=(3, 3))
    spline = Deformation.through(points, points @ turn.T + 5.0)
    assert spline.bending < 1e-20
    assert np.allclose(spline.matrix[:3, :3], turn)
    assert np.allclose(spline.matrix[:3, 3], 5.0)


def test_the_jacobian_is_the_derivative(bent: Deformation, rng: np.random.Generator) -> None:
    places = rng.normal(size=(20, bent.dimension))
    for k in range(bent.dimension):
        step = np.zeros(bent.dimension)
        step[k] = 1e-5
        slope = (bent.apply(places + step) - bent.apply(places - step)) / 2e-5
        assert np.allclose(bent.jacobian(places)[:, :, k], slope, atol=1e-6)
    assert np.isfinite(bent.jacobian(bent.controls)).all()


def test_bending_is_least_among_maps_with_the_same_values(rng: np.random.Generator) -> None:
    points, more = rng.normal(size=(20, 2)), rng.normal(size=(10, 2))
    spline = Deformation.through(points, points + 0.1 * np.sin(points))
    every = np.concatenate([points, more])
    other = Deformation.through(every, spline.apply(every) + np.r_[np.zeros((20, 2)), 0.05 * rng.normal(size=(10, 2))])
    same = Deformation.through(every, spline.apply(every), smoothing=0.0)
    # The unit of the energy is the root mean square radius of the control points, which differs a little.
    assert other.bending > same.bending
    assert np.isclose(same.bending, spline.bending, rtol=0.5)


def test_compositions_are_what_they_say(bent: Deformation, rng: np.random.Generator) -> None:
    d = bent.dimension
    pose = rigid.exp(0.4 * rng.normal(size=3 if d == 2 else 6))
    double = pose.copy()
    double[:d, :d] *= 2.0
    shear = np.eye(d + 1)
    shear[0, 1] = 0.5
    places = 0.7 * rng.normal(size=(50, d))
    for linear in (Rigid(pose), Similarity(double)):
        assert np.allclose((linear @ bent).apply(places), linear.apply(bent.apply(places)))
        assert np.allclose((bent @ linear).apply(places), bent.apply(linear.apply(places)))
    assert np.allclose((Affine(shear) @ bent).apply(places), Affine(shear).apply(bent.apply(places)))
    for other in (Affine(shear), bent):
        product = bent @ other
        at = bent.controls[:20]
        off = np.linalg.norm(product.apply(at) - bent.apply(other.apply(at)), axis=1)
        assert off.max() < 0.05
        assert product.error < 0.1


def test_the_inverse_brings_places_back_within_its_error(bent: Deformation) -> None:
    back = bent.inverse()
    away = np.linalg.norm(back.apply(bent.apply(bent.controls)) - bent.controls, axis=1)
    assert away.max() < 1e-6
    middles = 0.5 * (bent.controls[1:] + bent.controls[:-1])
    moved = np.linalg.norm(bent.apply(middles) - middles, axis=1)
    away = np.linalg.norm(back.apply(bent.apply(middles)) - middles, axis=1)
    assert away.mean() < 0.1 * moved.mean()
    assert away.mean() < back.error < 0.1


def test_far_places_are_moved_by_the_affine_part(bent: Deformation) -> None:
    far = np.array([np.eye(bent.dimension)[0] * r for r in (1e3, 1e6, 1e100)])
    assert np.allclose(bent.jacobian(far), bent.matrix[:-1, :-1], atol=1e-5)
    assert np.allclose(bent.apply(far), bent.affine.apply(far), rtol=1e-9)


def test_units_and_places_do_not_matter(bent: Deformation) -> None:
    at = bent.controls + 0.3
    goals = bent.apply(bent.controls)
    for unit, shift in ((1e6, 0.0), (1e-6, 0.0), (1.0, 1e5)):
        other = Deformation.through(unit * bent.controls + shift, unit * goals + shift)
        assert np.allclose(other.apply(unit * at + shift), unit * bent.apply(at) + shift, rtol=1e-6, atol=1e-6 * unit)
        assert np.isclose(other.bending, bent.bending, rtol=1e-4)


def test_files_and_pickles_keep_every_bit(bent: Deformation, tmp_path: Path) -> None:
    for each in (bent, bent.inverse()):
        each.save(tmp_path / "bent.npz")
        assert load_transform(tmp_path / "bent.npz") == each == pickle.loads(pickle.dumps(each))
    with pytest.raises(FileError, match="another kind than Affine: deformation"):
        Affine.load(tmp_path / "bent.npz")


def test_folds_are_counted(bent: Deformation) -> None:
    assert bent.folds(bent.controls) == 0
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.4, 0.5], [0.6, 0.5]])
    crossed = Deformation.through(points, points[[0, 1, 2, 3, 5, 4]])
    assert crossed.folds([[0.5, 0.5], [9.0, 9.0]]) == 1


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="span the space"):
        Deformation.through([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], np.eye(3)[:, :2])
    with pytest.raises(InputError, match="as many"):
        Deformation.through(np.eye(3)[:, :2], np.eye(2))
    with pytest.raises(InputError, match="sum to zero"):
        Deformation(np.eye(3), [[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]])
