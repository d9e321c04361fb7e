"""Answers of other machines are this one's: poses and densities to a millionth of the finest sigma, or of the highest.

All instruction sets train an SVM in the same way, to the last bit; the rest is rounding of sums in double precision.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.machines.compare import ROOT, differences
from tests.machines.variants import variants

LIMIT = 1e-6


@pytest.fixture(scope="module")
def apart() -> dict[str, dict[str, float]]:
    return differences()


@pytest.mark.parametrize("machine", list(variants())[1:])
def test_answers_are_near_those_of_the_widest_instructions(apart: dict[str, dict[str, float]], machine: str) -> None:
    for name, value in apart[machine].items():
        assert value < LIMIT, name


def test_plain_numpy_is_plain() -> None:
    """A name that numpy does not know would be a warning, and change nothing."""
    code = "from tests.machines.variants import numpy_features; print(numpy_features())"
    environment = {**os.environ, **variants()["plain numpy"]}
    command = [sys.executable, "-W", "error", "-c", code]
    assert subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True).stdout == b"[]\n"


def test_the_numerical_tests_exist() -> None:
    from tests.machines.__main__ import NUMERICAL

    assert [name for name in NUMERICAL if not (ROOT / "tests" / f"{name}.py").exists()] == []
