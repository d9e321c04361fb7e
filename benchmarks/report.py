"""How a benchmark prints: what it ran on, and each figure beside its bar."""

from __future__ import annotations

import platform
import subprocess
from dataclasses import dataclass

import numpy as np

import svgm


def commit() -> str:
    """The commit of the code, and whether something has changed since."""
    changed = _git("status", "--porcelain", "--", "src", "benchmarks")
    return (_git("rev-parse", "--short", "HEAD") or "no commit") + ("+changes" if changed else "")


def header(title: str) -> None:
    """The title, and the machine, versions and commit it was run with."""
    print(title)
    print(
        f"svgm {svgm.__version__} ({commit()}), numpy {np.__version__}, "
        f"Python {platform.python_version()}, {platform.machine()}",
        flush=True,
    )


@dataclass(frozen=True)
class Bar:
    """A figure and what it is held to.

    >>> print(Bar("ratio to the peer", 0.4, 0.5))
    ratio to the peer: 0.4 (bar <= 0.5) met
    """

    what: str
    figure: float
    limit: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the figure reaches it."""
        return bool(self.figure >= self.limit if self.at_least else self.figure <= self.limit)

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        return f"{self.what}: {self.figure:.4g} (bar {sign} {self.limit:.4g}) {'met' if self.met else 'NOT MET'}"


def bar(what: str, figure: float, limit: float) -> None:
    """Print a figure that is to be at most so much."""
    print(Bar(what, figure, limit), flush=True)


def _git(*words: str) -> str:
    try:
        return subprocess.run(["git", *words], capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""
