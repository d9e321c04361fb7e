"""Answers of other machines are this one's: poses to a millionth of the finest sigma.

Processors that fuse multiplication and addition differ by rounding in double precision only.  One that does not, the
core's baseline, also rounds the single precision of the SVM otherwise: its training takes another way, and ends
anywhere within its tolerance.  Poses hardly notice, unless the sets are dense.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.machines.answers import DENSE
from tests.machines.compare import ROOT, differences
from tests.machines.variants import variants

POSE = 1e-6

#: Without fusing.  Either fit is within the SVM's tolerance, 1e-3, of the best one; in a registration that is 1e-2.
FIT, DENSE_POSE = 2e-3, 1e-2


@pytest.fixture(scope="module")
def apart() -> dict[str, dict[str, float]]:
    return differences()


@pytest.mark.parametrize("machine", list(variants())[1:])
def test_answers_are_near_those_of_the_widest_instructions(apart: dict[str, dict[str, float]], machine: str) -> None:
    for name, value in apart[machine].items():
        fused = machine != "baseline"
        limit = POSE if fused or not name.startswith(DENSE) else DENSE_POSE
        assert value < (FIT if name.endswith("fit") and not fused else limit), name


def test_plain_numpy_is_plain() -> None:
    """A name that numpy does not know would be a warning, and change nothing."""
    code = "from tests.machines.variants import numpy_features; print(numpy_features())"
    environment = {**os.environ, **variants()["plain numpy"]}
    command = [sys.executable, "-W", "error", "-c", code]
    assert subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True).stdout == b"[]\n"
