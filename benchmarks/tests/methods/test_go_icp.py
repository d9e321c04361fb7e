"""Go-ICP finds a known pose, by the package and by a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.datasets import subsample
from benchmarks.methods import go_icp
from benchmarks.methods.normalise import normalise

#: Reads and writes what the authors' program does; answers with the identity unless the files are as it wants them.
PROGRAM = """
import sys
import numpy as np
model, data, count, config, output = sys.argv[1:]
clouds = []
for path in (model, data):
    first, *rest = open(path).read().splitlines()
    clouds.append(np.array([[float(word) for word in line.split()] for line in rest]))
    assert clouds[-1].shape == (int(first), 3) and abs(clouds[-1]).max() <= 1
assert int(count) == len(clouds[1])
keys = dict(line.split("=") for line in open(config).read().splitlines())
assert int(keys["distTransSize"]) == 50 and float(keys["trimFraction"]) == 0.2 and float(keys["MSEThresh"]) == 0.002
assert float(keys["rotWidth"]) > 6.283 and float(keys["transMinX"]) == -0.5
with open(output, "w") as file:
    file.write("12.365\\n")
    for row in np.eye(3):
        file.write("".join(f"{value:12.7f} " for value in row) + "\\n")
    for value in (0.25, 0.0, -0.5):
        file.write(f"{value:12.7f} \\n")
"""


def test_package(solid: Any) -> None:
    pytest.importorskip("py_goicp", reason="py-goicp is not installed")
    T = go_icp.align(solid.source, solid.target, unit=solid.unit, threads=1, points=60, nodes=50)
    solid.check(T, 0.2, 0.06)


def test_program(solid: Any, program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(go_icp.VARIABLE, program(PROGRAM))
    setting = {"points": 80, "nodes": 50, "trim": 0.2, "error": 0.002}
    T = go_icp.align(solid.source, solid.target, unit=solid.unit, threads=1, **setting)
    unified = normalise(subsample(solid.source, 80, 0), solid.target)
    moved = unified.means[0] + T[:3, 3] - unified.means[1]
    assert moved / unified.scale == pytest.approx([0.25, 0.0, -0.5])


def test_program_that_fails(solid: Any, program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(go_icp.VARIABLE, program("raise SystemExit('no licence')"))
    with pytest.raises(RuntimeError, match="no licence"):
        go_icp.align(solid.source, solid.target, unit=solid.unit, threads=1, points=80)
