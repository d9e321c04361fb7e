"""Linear transforms: kinds of products, inverses, what is refused, files."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from svgm import Affine, Deformation, Rigid, Similarity, load_transform, rigid
from svgm.checks.errors import FileError, InputError


def scaled(matrix: np.ndarray, factor: float) -> np.ndarray:
    result = matrix.copy()
    result[:-1, :-1] *= factor
    return result


@pytest.fixture(params=[2, 3])
def three(request: pytest.FixtureRequest, rng: np.random.Generator) -> list[Affine]:
    d = request.param
    pose = rigid.exp(rng.normal(size=3 if d == 2 else 6))
    shear = np.eye(d + 1)
    shear[:d] += 0.3 * rng.normal(size=(d, d + 1))
    return [Rigid(pose), Similarity(scaled(pose, 0.05)), Affine(shear)]


def test_products_have_the_more_general_kind_and_inverses_the_same(three: list[Affine]) -> None:
    for i, a in enumerate(three):
        for j, b in enumerate(three):
            assert type(a @ b) is type(three[max(i, j)])
            assert np.allclose((a @ b).matrix, a.matrix @ b.matrix)
        assert type(a.inverse()) is type(a)
        assert np.allclose((a.inverse() @ a).matrix, np.eye(a.dimension + 1))


def test_apply_and_jacobian_are_the_formula(three: list[Affine], rng: np.random.Generator) -> None:
    for each in three:
        points = rng.normal(size=(7, each.dimension))
        expected = np.column_stack([points, np.ones(7)]) @ each.matrix.T
        assert np.allclose(each.apply(points), expected[:, :-1])
        step = 1e-6 * rng.normal(size=points.shape)
        moved = np.einsum("nij,nj->ni", each.jacobian(points), step)
        assert np.allclose(each.apply(points + step) - each.apply(points), moved, atol=1e-12)


def test_files_keep_kind_and_bits(three: list[Affine], tmp_path: Path) -> None:
    for each in three:
        each.save(tmp_path / "transform.npz")
        assert load_transform(tmp_path / "transform.npz") == each
        assert type(load_transform(tmp_path / "transform.npz")) is type(each)
        assert pickle.loads(pickle.dumps(each)) == each
    with pytest.raises(FileError, match="another kind than Rigid: affine"):
        Rigid.load(tmp_path / "transform.npz")
    with pytest.raises(FileError, match="another kind than Deformation: affine"):
        Deformation.load(tmp_path / "transform.npz")


def test_a_rotation_to_rounding_is_kept_as_it_is() -> None:
    pose = rigid.exp([0.3, 1.0, 2.0])
    assert (Rigid(pose).matrix == pose).all()
    noisy = pose + 1e-6 * np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    turn = Rigid(noisy).matrix[:2, :2]
    assert np.allclose(turn @ turn.T, np.eye(2), atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "matrix", "message"),
    [
        (Affine, np.diag([1.0, 0.0, 1.0]), "invertible"),
        (Affine, np.eye(2), "shape"),
        (Affine, np.ones((3, 3)), "row"),
        (Similarity, np.diag([1.0, 1.1, 1.0]), "positive scale"),
        (Similarity, np.diag([1.0, -1.0, 1.0]), "positive scale"),
        (Rigid, np.diag([2.0, 2.0, 1.0]), "a rotation"),
        (Rigid, np.full((3, 3), np.nan), "finite"),
    ],
)
def test_what_is_refused(kind: type[Affine], matrix: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=message):
        kind(matrix)


def test_dimensions_must_agree() -> None:
    with pytest.raises(InputError, match="one dimension"):
        Rigid(np.eye(3)) @ Rigid(np.eye(4))
    with pytest.raises(InputError, match="points"):
        Rigid(np.eye(3)).apply(np.zeros((2, 3)))
