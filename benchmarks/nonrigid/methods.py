"""Methods that deform a source onto a target: ours, CPD by pycpd, BCPD by its authors' program.

Each is a function from source and target to the moved source.  The parameters of the peers are those of their authors,
in the normalisation they were meant for (mean 0, variance 1), but where an experiment of theirs on the same kind of
data says otherwise.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import svgm
from benchmarks.datasets import Array

#: Environment variable that names the program of BCPD.
VARIABLE = "SVGM_BCPD"

Deform = Callable[[Array, Array], Array]


def processor_seconds() -> float:
    """Processor time of this process and of the programs it ran: it does not depend on what else runs."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def ours(source: Array, target: Array) -> Array:
    """The default of svgm."""
    return svgm.register(source, target, transform="nonrigid", threads=1).apply(source)


def pycpd(source: Array, target: Array) -> Array:
    """CPD in the coordinates as given, as its users call it: alpha 2, beta 2, w 0.1, until it converges."""
    from pycpd import DeformableRegistration

    found = DeformableRegistration(
        X=target, Y=source, alpha=2.0, beta=2.0, w=0.1, max_iterations=500, tolerance=1e-9
    ).register()
    return np.asarray(found[0])


def pycpd_low_rank(source: Array, target: Array) -> Array:
    """CPD in normalised coordinates with a kernel of low rank, for larger sets."""
    from pycpd import DeformableRegistration

    centre, unit = target.mean(axis=0), float(np.sqrt(target.var(axis=0).sum()))
    found = DeformableRegistration(
        X=(target - centre) / unit,
        Y=(source - centre) / unit,
        alpha=2.0,
        beta=2.0,
        w=0.1,
        low_rank=True,
        num_eig=100,
        max_iterations=150,
        tolerance=1e-6,
    ).register()
    return np.asarray(found[0]) * unit + centre


def bcpd(source: Array, target: Array) -> Array:
    """BCPD: omega 0.1, lambda 2, beta 2, gamma 0.1, as its manual begins with, in its own normalisation."""
    program = Path(os.environ[VARIABLE]).resolve()
    with TemporaryDirectory() as folder:
        np.savetxt(f"{folder}/target.txt", target, delimiter="\t")
        np.savetxt(f"{folder}/source.txt", source, delimiter="\t")
        words = "-x target.txt -y source.txt -w 0.1 -l 2 -b 2 -g 0.1 -n 500 -c 1e-6"
        subprocess.run([program, *words.split()], cwd=folder, capture_output=True, check=True)
        return np.loadtxt(f"{folder}/output_y.txt", ndmin=2)


def available(large: bool = False) -> dict[str, Deform]:
    """The methods that can run here, by name."""
    found: dict[str, Deform] = {"svgm": ours}
    try:
        import pycpd as _  # noqa: F401

        found["pycpd"] = pycpd_low_rank if large else pycpd
    except ImportError:
        print("pycpd is missing: pip install svgm[bench]")
    if VARIABLE in os.environ:
        found["BCPD"] = bcpd
    else:
        print(f"BCPD is left out: {VARIABLE} does not name its program")
    return found
