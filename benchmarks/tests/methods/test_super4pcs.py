"""The adapter to Super 4PCS, against a program that reads and writes what the real one does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.methods import super4pcs

#: Moves the second input onto the first by ICP, from where they are.
PROGRAM = """
import argparse
import numpy as np
from scipy.spatial import cKDTree
words = argparse.ArgumentParser()
words.add_argument("-i", nargs=2)
for name, kind in zip("odtnm", (float, float, int, int, str)):
    words.add_argument("-" + name, type=kind)
given = words.parse_args()
first, second = (np.array([line.split()[1:4] for line in open(path)], dtype=float) for path in given.i)
assert given.o == 0.7 and given.t == 5 and given.n == 400
assert 0.005 < given.d < 0.05  # in the unit of the files, which fill [-1, 1]^3
T = np.eye(4)
for _ in range(100):
    moved = second @ T[:3, :3].T + T[:3, 3]
    near = first[cKDTree(first).query(moved)[1]]
    left, _, right = np.linalg.svd((near - near.mean(0)).T @ (second - second.mean(0)))
    T[:3, :3] = left @ np.diag([1, 1, np.linalg.det(left @ right)]) @ right
    T[:3, 3] = near.mean(0) - T[:3, :3] @ second.mean(0)
with open(given.m, "w") as file:
    file.write("VERSION\\t=\\t1\\nMATRIX\\t=\\n")
    for row in T:
        file.write("  ".join(f"{value: f}" for value in row) + "\\n")
"""


def test_pose(solid: Any, program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(super4pcs.VARIABLE, program(PROGRAM))
    setting = {"overlap": 0.7, "delta": 0.01, "samples": 400, "seconds": 5}
    solid.check(super4pcs.align(solid.source, solid.target, unit=solid.unit, threads=1, **setting), 0.05, 0.02)


def test_without_a_program(solid: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(super4pcs.VARIABLE, raising=False)
    with pytest.raises(FileNotFoundError, match="SVGM_SUPER4PCS"):
        super4pcs.align(solid.source, solid.target, unit=solid.unit, threads=1, overlap=0.7, delta=0.01, samples=400)


#: As version 1.1.3 writes it.
WRITTEN = """VERSION\t=\t1
MATRIX\t=
 0.000000  -1.000000  -0.000000   0.250000
 1.000000   0.000000  -0.000000   0.500000
-0.000000  -0.000000   1.000000  -0.125000
 0.000000   0.000000   0.000000   1.000000
"""


def test_the_file_of_the_pose_is_read() -> None:
    matrix = super4pcs._matrix(WRITTEN)
    assert matrix[:3, 3].tolist() == [0.25, 0.5, -0.125]
    assert matrix[0, 1] == -1.0


def test_a_program_that_fails_says_why(
    solid: Any, program: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(super4pcs.VARIABLE, program("import sys; sys.exit('cannot read set1')"))
    with pytest.raises(RuntimeError, match="ended with 1: cannot read set1"):
        super4pcs.align(solid.source, solid.target, unit=solid.unit, threads=1, overlap=0.7, delta=0.01, samples=400)
