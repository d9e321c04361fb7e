"""level_set: zero sets of fields that are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from svgm.checks.errors import InputError
from svgm.reconstruction import level_set as module
from svgm.reconstruction.level_set import level_set

pytest.importorskip("skimage")


def silent(phase: str, done: int, total: int) -> None:
    """Report nothing."""


def inside_ball(x: np.ndarray) -> np.ndarray:
    return 1.0 - np.linalg.norm(x, axis=1)


@pytest.mark.parametrize(("d", "size"), [(2, 2 * np.pi), (3, 4 * np.pi)])
def test_a_ball(d: int, size: float) -> None:
    mesh = level_set(inside_ball, np.zeros((1, d)), 1.0, 0.05, silent)
    assert mesh is not None
    assert mesh.closed
    assert np.abs(np.linalg.norm(mesh.vertices, axis=1) - 1.0).max() < 1e-3
    assert mesh.measures.sum() == pytest.approx(size, rel=5e-3)


def test_triangles_are_counterclockwise_from_outside() -> None:
    mesh = level_set(inside_ball, np.zeros((1, 3)), 1.0, 0.2, silent)
    assert mesh is not None
    a, b, c = np.moveaxis(mesh.vertices[mesh.simplices], 1, 0)
    assert (np.einsum("ni,ni->n", np.cross(b - a, c - a), a + b + c) > 0).all()


def test_unknown_values_leave_the_mesh_open() -> None:
    def half(x: np.ndarray) -> np.ndarray:
        return np.where(x[:, 0] > 0.3, np.nan, inside_ball(x))

    mesh = level_set(half, np.zeros((1, 3)), 1.0, 0.1, silent)
    assert mesh is not None
    assert not mesh.closed
    assert mesh.vertices[:, 0].max() <= 0.3 + 1e-9


def test_nothing_where_the_field_has_no_zero() -> None:
    assert level_set(lambda x: np.ones(len(x)), np.zeros((1, 3)), 1.0, 0.2, silent) is None


def test_progress_counts_blocks() -> None:
    calls = []
    level_set(inside_ball, np.zeros((1, 2)), 1.0, 0.01, lambda *call: calls.append(call))
    assert [call[:2] for call in calls] == [("meshing", k + 1) for k in range(len(calls))]
    assert calls[-1][1] == calls[-1][2]


def test_a_mesh_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"^cell must leave at most"):
        level_set(inside_ball, np.zeros((1, 3)), 1.0, 1e-9, silent)
    monkeypatch.setattr(module, "MOST_VERTICES", 10)
    with pytest.raises(InputError, match=r"^cell must be larger, so that a mesh has"):
        level_set(inside_ball, np.zeros((1, 3)), 1.0, 0.1, silent)
