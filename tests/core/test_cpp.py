"""The core's containers and solvers, tested in C++ without Python: see the folder `cpp`."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def run(*command: str) -> str:
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert outcome.returncode == 0, outcome.stdout[-4000:] + outcome.stderr[-4000:]
    return outcome.stdout


def test_the_core_in_cpp() -> None:
    if shutil.which("cmake") is None:
        assert not os.environ.get("CI"), "CMake must be there"
        pytest.skip("needs cmake and a C++ compiler")
    folder = str(ROOT / "build" / "core_tests")
    tool = ["-G", "Ninja"] if shutil.which("ninja") else []
    # Right or wrong does not depend on optimisation; the loops of other instruction sets are tested from Python.
    flags = ["-DCMAKE_BUILD_TYPE=Release", "-DSVGM_BASELINE_ONLY=ON"]
    if os.name == "posix":
        flags.append("-DCMAKE_CXX_FLAGS_RELEASE=-O1")
    run("cmake", "-S", str(HERE / "cpp"), "-B", folder, *tool, *flags)
    run("cmake", "--build", folder, "--config", "Release", "--parallel", "2")
    binary = next(path for path in Path(folder).rglob("core_tests*") if path.name in ("core_tests", "core_tests.exe"))
    lines = run(str(binary)).splitlines()
    assert len(lines) > 20
    assert [line for line in lines if not line.startswith("ok ")] == []
