"""SVGM_INSTRUCTIONS chooses the instruction set of the core; if the machine lacks it, the error is one line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import svgm
from svgm import _core
from tests.waiting import PATIENCE

FIT = "import svgm; print(len(svgm.fit([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 1.0]])), svgm.instruction_set())"


def run(choice: str | bytes, *command: str) -> subprocess.CompletedProcess[str]:
    """Run Python with arguments and with SVGM_INSTRUCTIONS set."""
    environment = {**os.environ, "SVGM_INSTRUCTIONS": os.fsdecode(choice)}
    return subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_the_one_in_use_is_one_that_the_machine_has() -> None:
    assert _core.instruction_sets()[0] == "baseline"
    assert svgm.instruction_set() in _core.instruction_sets()


@pytest.mark.parametrize("choice", _core.instruction_sets())
def test_the_environment_chooses(choice: str) -> None:
    assert run(choice, "-c", FIT).stdout.split()[1] == choice
    assert run(choice, "-m", "svgm.cli", "--version").stdout == f"svgm {svgm.__version__} ({choice})\n"


#: SVMs in single precision, as those of a registration.
TRAINED = """
import hashlib, numpy, svgm
points = svgm.datasets.body(3000)[0]
mixtures = [svgm.fit(points, gamma=30), *(svgm.prepare(points).mixture(sigma, 1.0) for sigma in (1.0, 0.3, 0.1))]
print(hashlib.sha256(b"".join(m.means.tobytes() + m.weights.tobytes() for m in mixtures)).hexdigest())
"""


def test_an_svm_is_the_same_to_the_last_bit_with_all() -> None:
    assert (
        len({run(choice, "-c", f"import svgm.datasets.shapes{TRAINED}").stdout for choice in _core.instruction_sets()})
        == 1
    )


def test_an_empty_choice_is_none() -> None:
    assert run("", "-c", FIT).stdout.split()[1] == _core.instruction_sets()[-1]


LACKING = [name for name in ("avx2", "avx512") if name not in _core.instruction_sets()]


@pytest.mark.parametrize("choice", [*LACKING, "AVX2", "sse9", "avx2 ", "a\nb", b"\xff" * 500])
def test_one_that_the_machine_lacks_is_one_line(choice: str | bytes) -> None:
    used = run(choice, "-c", FIT)
    assert used.returncode == 1
    last = used.stderr.splitlines()[-1]
    assert last.startswith(f"svgm.InputError: SVGM_INSTRUCTIONS must be one of {', '.join(_core.instruction_sets())}")
    for arguments in (["--version"], ["info", "no-file.ply"]):
        shown = run(choice, "-m", "svgm.cli", *arguments)
        assert (shown.returncode, shown.stdout) == (1, "")
        assert shown.stderr == f"svgm: error: {last.removeprefix('svgm.InputError: ')}\n"
