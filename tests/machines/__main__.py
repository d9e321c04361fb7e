"""Run the numerical tests as each machine that this one can stand in for: ``python -m tests.machines``.

The tests' own run is the first machine, the widest instruction set; here are the others.
"""

from __future__ import annotations

import os
import subprocess
import sys

from tests.machines.compare import ROOT
from tests.machines.variants import variants

#: Whatever calls the core, numpy's linear algebra or its sums, and is quick.
NUMERICAL = (
    "annealing",
    "covariance",
    "evaluate",
    "fit",
    "levels",
    "merge",
    "minimise",
    "mixture",
    "objective",
    "quaternion",
    "rigid",
    "scale",
    "svm",
    "thin",
    "two_class",
)


def main() -> None:
    """Stop at the first machine that fails."""
    files = [f"tests/test_{name}.py" for name in NUMERICAL]
    for machine, environment in list(variants().items())[1:]:
        print(f"{machine}: {' '.join(f'{name}={value!r}' for name, value in environment.items())}", flush=True)
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *files]
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=False)
        if done.returncode:
            sys.exit(done.returncode)


if __name__ == "__main__":
    main()
