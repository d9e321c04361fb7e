"""A case with a known answer for every adapter, and programs that stand in for those of the peers."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from svgm.datasets import body, butterfly
from svgm.geometry.points import Array
from svgm.rigid import apply, exp, invert, pose_error


@dataclass(frozen=True)
class Case:
    """Two samples of a shape, the pose of the source in the target's frame, the diagonal of the target."""

    source: Array
    target: Array
    truth: Array
    unit: float

    def check(self, T: Array, angle: float, shift: float) -> None:
        """T is the truth within `angle` radians and `shift` units, and a rigid motion."""
        d = self.source.shape[1]
        np.testing.assert_allclose(T[:d, :d] @ T[:d, :d].T, np.eye(d), atol=1e-5)
        turned, moved = pose_error(T, self.truth)
        assert turned < angle
        assert moved < shift * self.unit


def _case(source: Array, target: Array, xi: list[float]) -> Case:
    truth = exp(xi)
    return Case(apply(invert(truth), source), target, truth, float(np.linalg.norm(np.ptp(target, axis=0))))


@pytest.fixture(scope="session")
def solid() -> Case:
    """A 3D body, moved by 0.3 rad and a tenth of its length."""
    source, target = (40.0 * body(1500, seed=seed)[0] for seed in (1, 2))
    return _case(source, target, [0.1, -0.2, 0.2, 8.0, -5.0, 4.0])


@pytest.fixture(scope="session")
def outline() -> Case:
    """A 2D curve, turned by 0.4 rad."""
    source, target = (40.0 * butterfly(n, turns=1, seed=seed) for n, seed in ((150, 1), (180, 2)))
    return _case(source, target, [0.4, 8.0, -5.0])


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str], str]:
    """Make a program of Python source, and say where it is."""

    def write(text: str) -> str:
        path = tmp_path / "program"
        path.write_text(f"#!{sys.executable}\n{text}")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return write
