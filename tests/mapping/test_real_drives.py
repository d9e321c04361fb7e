"""Short pieces of recorded drives: neighbours against the reference."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm.rigid import invert, pose_error


@pytest.mark.usefixtures("data")
def test_outdoors() -> None:
    from benchmarks.datasets import hannover_paths, hannover_reference

    result = svgm.map(hannover_paths()[:8])
    assert not result.left_out
    for k in range(1, 8):
        found = invert(result.poses[k - 1]) @ result.poses[k]
        rotation, translation = pose_error(found, hannover_reference(k, k + 1))
        assert rotation < 0.05
        assert translation < 0.3
    assert len(result.mixture) < 0.7 * result.components


@pytest.mark.usefixtures("data")
def test_a_laser_indoors() -> None:
    from benchmarks.datasets import laser_log

    scans = laser_log("freiburg-101")[:60]
    result = svgm.map([points for points, _ in scans])
    true = np.stack([pose for _, pose in scans])
    assert not result.left_out
    errors = np.array(
        [
            pose_error(invert(result.poses[k - 1]) @ result.poses[k], invert(true[k - 1]) @ true[k])
            for k in range(1, len(scans))
        ]
    )
    assert np.median(errors[:, 0]) < 0.01
    assert np.median(errors[:, 1]) < 0.05
    assert errors[:, 0].max() < 0.1
    assert errors[:, 1].max() < 0.3
    assert len(result.mixture) < 0.5 * result.components
