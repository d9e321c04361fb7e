"""The record of a level."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Mixture, Stage


def test_plain_values_and_back() -> None:
    mixture = Mixture([[0.0, 0.0]], 1.0, [1.0])
    stage = Stage(1.0, 0.5, (1, 1), 2, 7, -0.9, np.eye(3), (mixture, mixture))
    plain = stage.as_dict()
    assert "mixtures" not in plain
    again = Stage.from_dict(plain, stage.mixtures)
    assert again.as_dict() == plain
    assert again.components == (1, 1)
    assert again.mixtures == (mixture, mixture)


def test_the_pose_cannot_be_written_to() -> None:
    stage = Stage(1.0, 0.5, (1, 1), 2, 7, -0.9, np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        stage.transformation[0, 0] = 2.0
