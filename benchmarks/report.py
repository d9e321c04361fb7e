"""How a benchmark prints: what it ran on, and each figure beside its bar."""

from __future__ import annotations

import platform
import subprocess

import numpy as np

import svgm


def header(title: str) -> None:
    """The title, and the machine, versions and commit it was run with."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    print(title)
    print(
        f"svgm {svgm.__version__} ({commit or 'no commit'}), numpy {np.__version__}, Python {platform.python_version()}, "
        f"{platform.machine()}",
        flush=True,
    )


def bar(what: str, figure: float, limit: float, *, at_least: bool = False) -> bool:
    """One line: the figure, its bar, and whether it is met."""
    met = figure >= limit if at_least else figure <= limit
    sign = ">=" if at_least else "<="
    print(f"{what}: {figure:.4g} (bar {sign} {limit:g}) {'met' if met else 'NOT MET'}", flush=True)
    return bool(met)
