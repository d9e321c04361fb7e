"""A competing pose: frozen, and as plain values."""

from __future__ import annotations

import numpy as np
import pytest

from svgm import Alternative


def test_an_alternative_is_frozen_and_plain() -> None:
    other = Alternative(np.eye(3), 0.5)
    assert other.as_dict() == {"transformation": np.eye(3).tolist(), "score": 0.5}
    with pytest.raises(ValueError, match="read-only"):
        other.transformation[0, 0] = 2.0
