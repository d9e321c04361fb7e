"""The two strips of examples/strips.py, whole: how far they slide onto each other, and whether that is trusted."""

from __future__ import annotations

import io
import runpy
import sys
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.covariances.contestants import calls
from benchmarks.report import Bar
from svgm import register

EXAMPLE = Path(__file__).parents[2] / "examples" / "strips.py"

#: Most that a trusted answer may be off, in metres.
OFF = 1.0


def example() -> dict[str, Any]:
    """What the example names: `source`, `target`, `truth` and `middle` among them."""
    with TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        arguments = patch.object(sys, "argv", [str(EXAMPLE), folder])
        with arguments:
            return runpy.run_path(str(EXAMPLE))


def run() -> list[Bar]:
    """A row for each call; the default one is held to the bar."""
    print("\nstrips of a landscape that overlap in part (examples/strips.py): metres off, and whether trusted")
    found = example()
    bars = []
    for contestant in calls("default"):
        reason = contestant.method.missing("dragon")
        if reason is not None:
            print(f"  {contestant.name}: left out: {reason}")
            continue
        result = register(found["source"], found["target"], threads=1, **contestant.setting)
        difference = result.transformation @ found["middle"] - found["truth"] @ found["middle"]
        off = float(np.linalg.norm(difference[:3, 3]))
        deviation = float(np.sqrt(np.trace(result.covariance[3:, 3:])))
        print(
            f"  {contestant.name}: {off:.3g} m off in the middle, confidence {result.confidence:.2f}, "
            f"{'trusted' if result.trusted else 'not trusted'}, a deviation of {deviation:.2g} m predicted",
            flush=True,
        )
        bars.append(Bar(f"strips, {contestant.name}: metres off if trusted", off if result.trusted else 0.0, OFF))
    for each in bars[:1]:
        print(each)
    return bars[:1]
