"""`svgm doctor`: what is installed, and whether it works."""

from __future__ import annotations

import platform
import time
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click
import numpy as np

import svgm
from svgm._core import instruction_sets
from svgm.checks.arguments import thread_count
from svgm.cli.options import json_option, quiet_option
from svgm.cli.printing import Coloured, echo_json, print_rows
from svgm.datasets import body, partial_view
from svgm.rigid import apply, exp, invert, pose_error

#: Packages that svgm needs, and those of each extra.
NEEDED = ("numpy", "scipy", "click", "rich")
EXTRAS = {
    "io": ("laspy", "lazrs", "pye57", "trimesh"),
    "ros": ("rosbags",),
    "view": ("matplotlib", "viser"),
    "mesh": ("scikit-image",),
    "map": ("gtsam", "dask", "distributed"),
}

#: Largest error of the self-test's pose: degrees, and a share of the body's size. The test's own error is a tenth.
MOST_DEGREES, MOST_SHIFT = 1.0, 0.01


@dataclass(frozen=True)
class SelfTest:
    """One registration with a known answer: its errors (degrees, share of the size), its time, and its judgement."""

    rotation_error: float
    translation_error: float
    confidence: float
    seconds: float
    passed: bool


@click.command()
@json_option
@quiet_option
@click.pass_context
def doctor(ctx: click.Context, as_json: bool, quiet: bool) -> None:
    """Check the installation: versions, instruction set, threads, extras, and a self-test of about a second.

    The self-test registers two generated views of a body with a known pose. The exit code is 1 if it fails.

    \b
    svgm doctor --json
    """
    outcome = self_test()
    extras = {extra: {name: installed(name) for name in names} for extra, names in EXTRAS.items()}
    if as_json:
        echo_json(
            {
                "version": svgm.__version__,
                "python": platform.python_version(),
                "platform": platform.platform(),
                "location": Path(svgm.__file__).parent,
                "packages": {name: installed(name) for name in NEEDED},
                "instruction_set": svgm.instruction_set(),
                "instruction_sets": list(instruction_sets()),
                "threads": thread_count(None),
                "extras": extras,
                "self_test": asdict(outcome),
            }
        )
    elif not quiet:
        passed = "passed" if outcome.passed else "FAILED"
        errors = f"{outcome.rotation_error:.2f}° and {outcome.translation_error:.2%} of the size off"
        rows = {
            "svgm": f"{svgm.__version__} in {Path(svgm.__file__).parent}",
            "Python": f"{platform.python_version()}, {platform.platform()}",
            "packages": ", ".join(f"{name} {installed(name)}" for name in NEEDED),
            "instruction set": f"{svgm.instruction_set()} of {', '.join(instruction_sets())}",
            "threads": thread_count(None),
            **{f"extra {extra}": _found(extra, names) for extra, names in extras.items()},
            "self-test": Coloured(f"{passed}, {errors}, {outcome.seconds:.2f} s", outcome.passed),
        }
        print_rows(rows.items(), stdout=True)
    if not outcome.passed:
        ctx.exit(1)


def self_test() -> SelfTest:
    """Register two views of a body, 60° apart and moved, and compare the pose with the true one."""
    begin = time.perf_counter()
    truth = exp([0.3, -0.2, 0.4, 0.5, -0.2, 0.1])
    target = partial_view(body(3000, seed=1)[0], np.array([6.0, 3.0, 2.0]))
    source = apply(invert(truth), partial_view(body(3000, seed=2)[0], np.array([3.0, 6.0, 2.0])))
    result = svgm.register(source, target)
    rotation, translation = pose_error(result.transformation, truth)
    degrees, shift = float(np.degrees(rotation)), translation / float(np.linalg.norm(np.ptp(target, axis=0)))
    right = degrees <= MOST_DEGREES and shift <= MOST_SHIFT
    return SelfTest(degrees, shift, result.confidence, time.perf_counter() - begin, right)


def installed(package: str) -> str | None:
    """The version of a package, or None if it is not installed.

    >>> installed("a-package-that-does-not-exist") is None
    True
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _found(extra: str, packages: dict[str, str | None]) -> str:
    """The packages of an extra with their versions, or how to install what is missing."""
    missing = [name for name, number in packages.items() if number is None]
    here = ", ".join(f"{name} {number}" for name, number in packages.items() if number is not None)
    if not missing:
        return here
    return f'{here}{"; " if here else ""}{", ".join(missing)} missing: pip install "svgm[{extra}]"'
