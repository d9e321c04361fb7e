"""The core and its binding under sanitizers: ``make sanitize``, or ``python -m tests.core.sanitize address thread``.

For each sanitizer, core and binding are built anew, `core_tests` runs, and the Python tests that touch the core run on
that build.  The reports of the sanitizer are counted; the exit code is 0 if there are none and the tests pass.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: By name: the compiler's flags, and the libraries that must be loaded before Python.
SANITIZERS = {
    "address": ("-fsanitize=address,undefined -fno-sanitize=vptr", ("libasan.so", "libubsan.so", "libstdc++.so")),
    "thread": ("-fsanitize=thread", ("libtsan.so", "libstdc++.so")),
}

#: Tests that touch the core, and take minutes under a sanitizer, not hours.
TESTS = [
    "tests/core/test_instructions.py",
    "tests/core/test_interrupts.py",
    # The other tests of memory ask for more than there is, which ends a process under the sanitizer.
    "tests/core/test_memory.py::test_points_without_coordinates_or_without_points",
    "tests/core/test_memory.py::test_rows_without_room_are_the_same",
    "tests/mixture/test_svm.py",
    "tests/mixture/test_two_class.py",
    "tests/registration/test_minimise.py",
    "tests/registration/test_objective.py",
    "tests/geometry/test_thinning.py",
    "tests/geometry/test_scale.py",
    "tests/mixture/test_multiscale.py",
    "tests/registration/test_evaluate.py",
    "tests/registration/search/test_correlation.py",
    "tests/registration/search/test_surfels.py",
]

#: One of these stands in every report.
REPORT = re.compile(r"ERROR: AddressSanitizer|ERROR: LeakSanitizer|runtime error:|WARNING: ThreadSanitizer")

#: sitecustomize.py of the build: Python then imports svgm from this build, not from an editable installation.
SITE = "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if type(f).__module__ != '_editable_skbc_svgm']\n"


def build(folder: Path, flags: str) -> None:
    """Build the core's tests, and a package with the binding."""
    import nanobind  # `make sanitize` installs it

    options = ["-G", "Ninja"] if shutil.which("ninja") else []
    options += ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1", f"-DCMAKE_CXX_FLAGS={flags} -g1"]
    options += [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.cmake_dir()}"]
    site = folder / "site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(ROOT / "src" / "svgm", site / "svgm")
    for command in (
        ["-S", ROOT, "-B", folder, "-DSVGM_CORE_TESTS=ON", *options],
        ["--build", folder, "--parallel", "2"],
        ["--install", folder, "--prefix", site],
    ):
        subprocess.run(["cmake", *command], check=True, stdout=subprocess.DEVNULL)
    (site / "sitecustomize.py").write_text(SITE, encoding="utf-8")


def library(name: str) -> str:
    """The path of a library of the compiler."""
    command = [os.environ.get("CXX", "g++"), f"-print-file-name={name}"]
    return str(Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()).resolve())


def run(name: str) -> bool:
    """Build, run, and count the reports; true if there are none and all tests pass."""
    flags, libraries = SANITIZERS[name]
    folder = ROOT / "build" / f"sanitize-{name}"
    build(folder, flags)
    for old in folder.glob("report.*"):
        old.unlink()
    options = f"log_path={folder}/report:print_stacktrace=1:die_after_fork=0"
    environment = {
        **os.environ,
        **{f"{kind}_OPTIONS": options for kind in ("ASAN", "UBSAN", "TSAN")},
        "PYTHONPATH": f"{folder / 'site'}{os.pathsep}{ROOT}",
        "PYTHONMALLOC": "malloc",
    }
    # The thread sanitizer of some compilers fails with randomised addresses.
    fixed = ["setarch", "-R"] if shutil.which("setarch") else []
    binary = folder / "tests" / "core" / "cpp" / "core_tests"
    codes = [subprocess.run([*fixed, binary], env=environment, check=False).returncode]
    # Python does not free all of its memory when it ends, so only `core_tests` is checked for leaks.
    environment["ASAN_OPTIONS"] += ":detect_leaks=0"
    environment["LD_PRELOAD"] = " ".join(map(library, libraries))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
    codes.append(subprocess.run([*fixed, *command], cwd=ROOT, env=environment, check=False).returncode)
    text = "".join(path.read_text(encoding="utf-8", errors="replace") for path in folder.glob("report.*"))
    reports = len(REPORT.findall(text))
    print(f"{name}: {reports} reports; core_tests {codes[0]}, Python tests {codes[1]}", flush=True)
    if reports:
        print(text[:8000], file=sys.stderr)
    return reports == 0 and codes == [0, 0]


if __name__ == "__main__":
    outcomes = [run(name) for name in sys.argv[1:] or SANITIZERS]
    sys.exit(0 if all(outcomes) else 1)
