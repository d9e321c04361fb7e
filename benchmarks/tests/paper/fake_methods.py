"""Methods that go wrong in every way a real one does, for the harness to survive; importable by its workers."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from benchmarks.methods.method import Method
from tests.waiting import PATIENCE


def right(source: np.ndarray, target: np.ndarray, *, unit: float, threads: int, angle: float = 0.5) -> np.ndarray:
    """Turns by -angle, whatever the points are."""
    T = np.eye(3)
    T[:2, :2] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    return T


def raises(*sets: np.ndarray, **setting: Any) -> np.ndarray:
    """An exception of two lines."""
    raise RuntimeError("no features\nat all")


def wrong_shape(*sets: np.ndarray, **setting: Any) -> np.ndarray:
    """Not a pose."""
    return np.full((3, 3), np.nan)


def dies(*sets: np.ndarray, **setting: Any) -> np.ndarray:
    """As a crash in C++ would."""
    os._exit(7)


def hangs(*sets: np.ndarray, **setting: Any) -> np.ndarray:
    """Longer than any limit, but not in the warm-up on a few points."""
    time.sleep(PATIENCE if len(sets[0]) > 20 else 0.0)
    return np.eye(3)


def method(name: str, align: Any) -> Method:
    """A method of this name; only one that hangs is given up soon."""
    limit = 1.0 if align is hangs else PATIENCE
    return Method(name, "a fake", align, {"shapes_2d": ({},)}, limit=limit, seconds={"shapes_2d": 0.01})
