"""How far answers are apart on the machines that this one can stand in for.

``python -m tests.machines.compare`` prints it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.machines.variants import variants

#: In units of the finest sigma, or of the highest density.
Differences = dict[str, float]

ROOT = Path(__file__).parents[2]


def answers_of(environment: dict[str, str]) -> dict[str, np.ndarray]:
    """By name, from a process of its own."""
    command = [sys.executable, "-m", "tests.machines.answers"]
    there = {**os.environ, **environment}
    done = subprocess.run(command, cwd=ROOT, env=there, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name: np.array(values) for name, values in json.loads(done.stdout).items()}


def differences() -> dict[str, Differences]:
    """Of each machine from the first: this one at its best."""
    (_, first), *others = variants().items()
    here = answers_of(first)
    found = {}
    for machine, environment in others:
        there = answers_of(environment)
        found[machine] = {name: float(np.abs(there[name] - here[name]).max()) for name in here}
    return found


if __name__ == "__main__":
    for machine, apart in differences().items():
        for name, value in apart.items():
            print(f"{machine:12} {name:24} {value:.1e}")
