"""The browser, for tests of what is drawn in one, and the results that reports and scenes show."""

from __future__ import annotations

import numpy as np
import pytest

import svgm
from svgm.datasets import body, laser_scan, round_walk, storey
from svgm.rigid import apply, exp
from tests.browser import browser as browser


@pytest.fixture(scope="session")
def sets() -> tuple[np.ndarray, np.ndarray]:
    """A source and a target in 3D."""
    return apply(exp([0.3, 0.1, 0.4, 1.0, 0.0, 0.2]), body(3000, seed=1)[0]), body(3000, seed=2)[0]


@pytest.fixture(scope="session")
def registered(sets: tuple[np.ndarray, np.ndarray]) -> svgm.RegistrationResult:
    """Their registration."""
    return svgm.register(*sets)


@pytest.fixture(scope="session")
def bent_sets() -> tuple[np.ndarray, np.ndarray]:
    """A body, and a bent copy of it elsewhere."""
    source = body(400, seed=1)[0]
    return source, source + 0.1 * np.sin(1.5 * source[:, [1, 2, 0]]) + [4.0, 0.0, 0.0]


@pytest.fixture(scope="session")
def deformed(bent_sets: tuple[np.ndarray, np.ndarray]) -> svgm.RegistrationResult:
    """Their non-rigid registration."""
    start = np.eye(4)
    start[0, 3] = 4.0
    return svgm.register(*bent_sets, transform="nonrigid", search="local", init=start)


@pytest.fixture(scope="session")
def mapped() -> svgm.MapResult:
    """A map of twelve laser scans."""
    pytest.importorskip("gtsam")
    walls = storey()
    return svgm.map([laser_scan(walls, pose, seed=k) for k, pose in enumerate(round_walk(90)[:12])])
