"""Calling a peer that is a program: its path is in an environment variable, its files in a temporary folder."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path


def run(variable: str, arguments: Sequence[str], folder: Path) -> None:
    """Run the program that `variable` names; an error with its last words if it fails."""
    program = os.environ.get(variable)
    if not program:
        raise FileNotFoundError(f"{variable} must name the program")
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{program} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
