"""Build the wheels for this machine and check each one where it will be used: ``make wheels``.

The source distribution is built first, and the wheels from it. From Python 3.12 on one wheel with the stable ABI
serves all versions; 3.10 and 3.11 have wheels of their own. `auditwheel` gives a wheel the tag of the oldest Linux
that it runs on. Each wheel is installed into an empty environment without a compiler, where `installed.py` checks it.
Pythons are those of pyenv and those on the search path of programs, or those that the command line names.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"

#: The versions that are supported, and the first one whose wheel serves all later ones.
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
FIRST_STABLE = "3.12"

#: The oldest dependencies that pyproject.toml allows, where they have wheels: on Python 3.10.
OLDEST = ("3.10", ("numpy==1.24.*", "scipy==1.10.*", "click==8.1.*", "rich==13.*"))

#: Bars of the size of a wheel and of the time to install it with its dependencies.
MOST_BYTES, MOST_SECONDS = 1_000_000, 20.0


@dataclass(frozen=True)
class Outcome:
    """One environment: the version of Python, what else was asked for, and how long the installation took."""

    version: str
    wheel: Path
    asked: tuple[str, ...]
    seconds: float

    @property
    def meets_bars(self) -> bool:
        return self.wheel.stat().st_size <= MOST_BYTES and self.seconds <= MOST_SECONDS


def main() -> None:
    """Build, check, and print one line for each environment."""
    pythons = named(sys.argv[1:]) if sys.argv[1:] else found()
    if not pythons:
        sys.exit(f"no Python of {', '.join(VERSIONS)} is here")
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob("svgm-*"):
        old.unlink()
    run(sys.executable, "-m", "build", "--sdist", "--outdir", str(DIST), str(ROOT))
    (source,) = DIST.glob("*.tar.gz")
    wheels: dict[str, Path] = {}
    outcomes: list[Outcome] = []
    for version, python in pythons.items():
        kind = "stable" if number(version) >= number(FIRST_STABLE) else version
        if kind not in wheels:
            wheels[kind] = built(python, source)
        outcomes.append(checked(version, python, wheels[kind]))
        if version == OLDEST[0]:
            outcomes.append(checked(version, python, wheels[kind], OLDEST[1]))
    print(f"\n{'Python':8}{'MB':>6}{'install':>10}  wheel")
    for outcome in outcomes:
        size = outcome.wheel.stat().st_size / 1e6
        asked = f"  with {' '.join(outcome.asked)}" if outcome.asked else ""
        mark = "" if outcome.meets_bars else f"  NOT MET: {MOST_BYTES / 1e6:g} MB, {MOST_SECONDS:g} s"
        print(f"{outcome.version:8}{size:6.2f}{outcome.seconds:8.1f} s  {outcome.wheel.name}{asked}{mark}")
    sys.exit(0 if all(outcome.meets_bars for outcome in outcomes) else 1)


def built(python: str, source: Path) -> Path:
    """The wheel that one Python builds from the source distribution, repaired on Linux."""
    with tempfile.TemporaryDirectory(prefix="svgm-wheel-") as folder:
        run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, str(source))
        (wheel,) = Path(folder).glob("*.whl")
        if sys.platform == "linux":
            repaired = Path(folder, "repaired")
            run("auditwheel", "repair", "--zip-compression-level", "9", "--wheel-dir", str(repaired), str(wheel))
            (wheel,) = repaired.glob("*.whl")
        return Path(shutil.copy(wheel, DIST))


def checked(version: str, python: str, wheel: Path, asked: tuple[str, ...] = ()) -> Outcome:
    """Install a wheel into an empty environment without a compiler, and run the demo and the core's tests there."""
    print(f"\nPython {version}: {wheel.name} {' '.join(asked)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="svgm-environment-") as folder:
        run(python, "-m", "venv", folder)
        scripts = Path(folder, "Scripts" if os.name == "nt" else "bin")
        inside, pip = str(scripts / "python"), ("-m", "pip", "install", "--quiet", "--only-binary=:all:")
        begin = time.perf_counter()
        run(inside, *pip, str(wheel), *asked, path=str(scripts))
        seconds = time.perf_counter() - begin
        run(inside, *pip, "pytest>=8", "hypothesis>=6.90", path=str(scripts))
        run(inside, str(ROOT / "tests" / "wheels" / "installed.py"), path=str(scripts))
    return Outcome(version, wheel, asked, seconds)


def found() -> dict[str, str]:
    """The Pythons of this machine by version: pyenv's, else those on the search path of programs."""
    pythons: dict[str, str] = {}
    for version in VERSIONS:
        under_pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))
        python = str(under_pyenv[-1]) if under_pyenv else shutil.which(f"python{version}")
        if python is not None:
            pythons[version] = python
    return pythons


def named(commands: list[str]) -> dict[str, str]:
    """The Pythons that the command line names, by version."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    return {
        subprocess.run([command, "-c", ask], capture_output=True, text=True, check=True).stdout.strip(): command
        for command in commands
    }


def number(version: str) -> tuple[int, ...]:
    """A version as numbers, which compare as versions do."""
    return tuple(map(int, version.split(".")))


def run(*command: str, path: str | None = None) -> None:
    """Run a command, with another search path of programs if one is given, and stop if it fails."""
    search = path or os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(command, cwd=DIST, env={**os.environ, "PATH": search}, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed with code {done.returncode}")


if __name__ == "__main__":
    main()
