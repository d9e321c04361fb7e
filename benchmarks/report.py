"""How a benchmark prints: what it ran on, and each figure beside its bar."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.progress import track

import svgm

Job = TypeVar("Job")
Row = TypeVar("Row")


def header(title: str) -> None:
    """The title, and the machine, versions and commit it was run with."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    print(title)
    print(
        f"svgm {svgm.__version__} ({commit or 'no commit'}), numpy {np.__version__}, "
        f"Python {platform.python_version()}, {platform.machine()}",
        flush=True,
    )


def bar(what: str, figure: float, limit: float, *, at_least: bool = False) -> bool:
    """One line: the figure, its bar, and whether it is met."""
    met = figure >= limit if at_least else figure <= limit
    sign = ">=" if at_least else "<="
    print(f"{what}: {figure:.4g} (bar {sign} {limit:g}) {'met' if met else 'NOT MET'}", flush=True)
    return bool(met)


def run_all(one: Callable[[Job], Row], jobs: Sequence[Job], processes: int) -> list[Row]:
    """Results of all jobs in order, from so many processes, with a progress bar on stderr."""
    with get_context("spawn").Pool(processes) as pool:
        results = pool.imap(one, jobs, chunksize=1)
        return list(track(results, total=len(jobs), console=Console(stderr=True), transient=True))
