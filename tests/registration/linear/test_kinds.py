"""Kinds of linear motions: what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import InputError
from svgm.registration.linear.kinds import as_map


@pytest.mark.parametrize(
    ("kind", "matrix", "words"),
    [
        ("similarity", np.diag([1.0, 2.0, 1.0]), "init must hold a rotation times a positive scale"),
        ("similarity", np.diag([1.0, -1.0, 1.0]), "init must hold a rotation times a positive scale"),
        ("affine", np.diag([1.0, -1.0, 1.0]), "init must hold no reflection"),
        ("affine", np.diag([1.0, 0.0, 1.0]), "init must be invertible"),
        ("affine", np.eye(4), "init must be a 3x3 matrix"),
    ],
)
def test_a_map_of_another_kind_is_refused(kind: str, matrix: np.ndarray, words: str) -> None:
    with pytest.raises(InputError, match=words):
        as_map(matrix, 2, "init", kind)
