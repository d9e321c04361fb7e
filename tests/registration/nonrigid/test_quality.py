"""The record of a deformation's worth survives a file."""

from __future__ import annotations

import pickle

import numpy as np

from svgm import Deformation
from svgm.registration.nonrigid.quality import Warp


def test_plain_values_and_pickles_keep_everything(rng: np.random.Generator) -> None:
    points = rng.normal(size=(20, 2))
    spline = Deformation.through(points, points + 0.1 * np.sin(points))
    warp = Warp(spline, 0.1, 0.2, np.ones(20), np.full(20, 0.1), 3)
    for other in (Warp.from_dict(warp.as_dict()), pickle.loads(pickle.dumps(warp))):
        assert other.as_dict() == warp.as_dict()
    assert "3 folds" in repr(warp)
