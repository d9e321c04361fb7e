"""The scene of a merge."""

from __future__ import annotations

import svgm
from svgm.datasets import butterfly
from svgm.view import merge_scene


def test_what_merging_kept_and_left_out() -> None:
    scale = 0.1
    left, right = (svgm.fit(butterfly(400, seed=seed), scale=scale) for seed in (1, 2))
    merged = svgm.merge(left, right)
    layers = {layer.name: layer for layer in merge_scene(left, right, merged).layers}
    kept = len(layers["from the target"].places) + len(layers["from the source"].places)
    assert kept == len(merged)
    assert len(layers["from the target"].places) == len(right)
    assert len(layers["left out of the source"].places) == len(left) + len(right) - len(merged)
