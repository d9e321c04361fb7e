"""The maps of the 2D sets are what the text says."""

from __future__ import annotations

import numpy as np

from benchmarks.linear.shapes import LARGEST, _stretch, _turn


def test_stretches_and_shears_stay_within_their_bounds() -> None:
    ratios = []
    for seed in range(50):
        singular = np.linalg.svd(_stretch(np.random.default_rng(seed)), compute_uv=False)
        ratios.append(singular[0] / singular[1])
        assert 0.5 <= np.sqrt(singular.prod()) <= 2.0
    assert min(ratios) >= 1.0
    assert 1.9 < max(ratios) <= LARGEST + 1e-9
    assert np.allclose(_turn(np.pi / 2) @ [1.0, 0.0], [0.0, 1.0])
