"""A competing answer as plain values."""

from __future__ import annotations

import numpy as np

from svgm import Alternative


def test_plain_values() -> None:
    other = Alternative(np.eye(3), 0.5)
    assert other.as_dict() == {"transformation": np.eye(3).tolist(), "score": 0.5}
    assert not other.transformation.flags.writeable
