"""Frozen records whose arrays are frozen too."""

from __future__ import annotations

from typing import Any

import numpy as np


class Frozen:
    """Base of a frozen dataclass whose arrays cannot be written to, also in a copy and after unpickling."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __post_init__(self) -> None:
        raise NotImplementedError


def freeze(record: object, *names: str) -> None:
    """Replace arrays of a frozen record by copies that cannot be written to."""
    for name in names:
        array = np.array(getattr(record, name), dtype=np.float64)
        array.setflags(write=False)
        object.__setattr__(record, name, array)
