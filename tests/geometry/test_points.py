"""Input checks of points: everything that a caller may pass, and everything that is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from svgm import InputError
from svgm.geometry.points import as_points, as_weights


class Tensor:
    """Behaves as a torch tensor that needs gradients: only detach().cpu().numpy() gives numbers."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.detached, self.on_cpu = values, False, False

    def detach(self) -> Tensor:
        self.detached = True
        return self

    def cpu(self) -> Tensor:
        assert self.detached
        self.on_cpu = True
        return self

    def numpy(self) -> np.ndarray:
        assert self.on_cpu
        return self.values

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise RuntimeError("a tensor that needs gradients cannot be converted")


class Cloud:
    """Behaves as an Open3D cloud: a ``points`` attribute that is a sequence of vectors."""

    def __init__(self, values: np.ndarray) -> None:
        self.points = [tuple(row) for row in values]


SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0]])


@pytest.mark.parametrize(
    "value",
    [
        SQUARE,
        SQUARE.tolist(),
        tuple(map(tuple, SQUARE)),
        SQUARE.astype(int),
        SQUARE.astype(np.float32),
        SQUARE.astype(np.uint8),
        np.asfortranarray(SQUARE),
        np.repeat(SQUARE, 2, axis=0)[::2],
        SQUARE[::-1][::-1],
        Tensor(SQUARE),
        Tensor(SQUARE.astype(np.float32)),
        Cloud(SQUARE),
        memoryview(SQUARE),
    ],
    ids=lambda value: type(value).__name__,
)
def test_accepted(value: Any) -> None:
    points = as_points(value)
    assert np.array_equal(points, SQUARE)
    assert points.dtype == np.float64
    assert points.flags.c_contiguous


def test_path(tmp_path: Path) -> None:
    np.savetxt(tmp_path / "square.txt", SQUARE)
    assert np.array_equal(as_points(tmp_path / "square.txt"), SQUARE)
    assert np.array_equal(as_points(str(tmp_path / "square.txt")), SQUARE)


def test_the_callers_array_is_copied() -> None:
    value = SQUARE.copy()
    as_points(value)[0, 0] = 9.0
    assert value[0, 0] == 0.0


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ([], "shape"),
        (np.empty((0, 2)), "at least one point"),
        (np.empty((3, 0)), "shape"),
        ([1.0, 2.0, 3.0], "shape"),
        (3.0, "shape"),
        (None, "shape"),
        (np.zeros((2, 2, 2)), "shape"),
        ([["a", "b"]], "numbers"),
        ([[1.0, 2.0], [3.0]], "numbers"),
        ([[1j, 0.0], [0.0, 1.0]], "numbers"),
        ([[object(), 0.0]], "numbers"),
        (object(), "numbers"),
        ({"x": 1.0}, "numbers"),
        ([[np.nan, 0.0], [1.0, 1.0]], "finite: 1 of 2 rows are not, the first is row 0"),
        ([[0.0, 0.0], [1.0, np.inf]], "finite: 1 of 2 rows are not, the first is row 1"),
        ([[0.0, 0.0], [1.0, -np.inf]], "finite"),
        (SQUARE + 1j, "numbers"),
        (np.ma.masked_array(SQUARE, mask=SQUARE > 1), "mask"),
        (np.array([["2020-01-01", "2020-01-02"]], dtype="datetime64[D]"), "numbers"),
    ],
)
def test_refused(value: Any, rule: str) -> None:
    with pytest.raises(InputError, match=rf"^source must.*{rule}"):
        as_points(value, "source")


def test_weights() -> None:
    assert np.array_equal(as_weights(None, 3), np.ones(3))
    assert np.array_equal(as_weights([1, 0, 2], 3), [1.0, 0.0, 2.0])


@pytest.mark.parametrize(
    "value",
    [
        [1.0, 2.0],
        [[1.0], [1.0], [1.0]],
        [1.0, -1.0, 1.0],
        [0.0, 0.0, 0.0],
        [1.0, np.nan, 1.0],
        [1.0, np.inf, 1.0],
        1.0,
        ["a", "b", "c"],
        object(),
    ],
)
def test_weights_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"^weights must"):
        as_weights(value, 3)
