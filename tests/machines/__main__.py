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
    "core/test_full_overlap",
    "core/test_local_shapes",
    "geometry/test_scale",
    "geometry/test_thinning",
    "mixture/test_fit",
    "mixture/test_full_gaussians",
    "mixture/test_merge",
    "mixture/test_mixture",
    "mixture/test_multiscale",
    "mixture/test_svm",
    "mixture/test_two_class",
    "registration/objective/test_full",
    "registration/test_annealing",
    "registration/test_covariance",
    "registration/test_evaluate",
    "registration/test_minimise",
    "registration/test_objective",
    "rigid/test_poses",
    "rigid/test_rotations",
)


def main() -> None:
    """Stop at the first machine that fails."""
    files = [f"tests/{name}.py" for name in NUMERICAL]
    for machine, environment in list(variants().items())[1:]:
        print(f"{machine}: {' '.join(f'{name}={value!r}' for name, value in environment.items())}", flush=True)
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *files]
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=False)
        if done.returncode:
            sys.exit(done.returncode)


if __name__ == "__main__":
    main()
