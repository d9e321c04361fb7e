"""The result of a search: refined to the last digits."""

from __future__ import annotations

import numpy as np

import svgm
from svgm.rigid import apply, exp


def test_the_answer_is_refined_beyond_single_precision(surface: np.ndarray) -> None:
    T = exp([0.02, 0.0, 0.01, 0.1, 0.0, 0.0])
    found = svgm.register(surface, apply(T, surface), search="local")
    assert np.abs(found.transformation - T).max() < 1e-5
    assert found.converged
