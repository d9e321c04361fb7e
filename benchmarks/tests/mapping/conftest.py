"""A map that is made up, and a drive whose scans it understands."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import svgm
from svgm.rigid import apply, exp, invert


@pytest.fixture
def fake_map(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """In the place of svgm.map; processes that are started find it as the module fake_map."""
    spec = importlib.util.spec_from_file_location("fake_map", Path(__file__).with_name("fake_map.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(svgm, "map", module.map, raising=False)
    root = Path(__file__).parents[3]
    monkeypatch.setenv("PYTHONPATH", f"{Path(__file__).parent}:{root}")
    return module


def drive(places: np.ndarray, count: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Scans of the places from a path that bends, and the poses of the sensor."""
    step = exp([0.2, 0.5, 0.1]) if places.shape[1] == 2 else exp([0.02, -0.01, 0.2, 0.5, 0.1, 0.02])
    poses = [np.eye(len(step))]
    while len(poses) < count:
        poses.append(poses[-1] @ step)
    return [apply(invert(each), places) for each in poses], np.array(poses)


@pytest.fixture
def drive_2d(curve: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Eight scans in the plane."""
    return drive(curve, 8)


@pytest.fixture
def drive_3d(surface: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Eight scans in space."""
    return drive(surface, 8)
