"""The installed package, without its sources: ``python tests/wheels/installed.py`` in the environment to check.

Runs `svgm demo` and the core's tests, copied to an empty folder, so that only the installed package can be imported.
Needs pytest and hypothesis. Run with the environment's own Python; nothing of svgm is imported here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Tests of the core from Python. `test_cpp` is left out: it compiles the core.
TESTS = ("full_overlap", "instructions", "interrupts", "local_shapes", "memory")

#: What the tests of the core import from the repository.
COPIED = ("tests", "conftest.py", "pyproject.toml", "benchmarks/__init__.py", "benchmarks/core_calls.py")


def main() -> None:
    """Exit with the code of the first command that fails."""
    with tempfile.TemporaryDirectory(prefix="svgm-installed-") as folder:
        here = Path(folder)
        place = "import svgm, sys; sys.exit(0 if svgm.__file__.startswith(sys.prefix) else f'imported {svgm.__file__}')"
        run(here, "-c", place)
        run(here, "-m", "svgm.cli", "--version")
        run(here, "-m", "svgm.cli", "demo", "--output", "demo-output")
        for name in COPIED:
            copy(name, here)
        run(here, "-m", "pytest", "-q", *(f"tests/core/test_{name}.py" for name in TESTS))


def copy(name: str, folder: Path) -> None:
    """Copy a file or a folder of the repository."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    if (ROOT / name).is_dir():
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copyfile(ROOT / name, folder / name)


def run(folder: Path, *arguments: str) -> None:
    """Run this Python in a folder, without a compiler on the search path of programs."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX", "PYTHONPATH")}
    environment["PATH"] = sysconfig.get_path("scripts")
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, check=False)
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
