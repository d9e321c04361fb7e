"""Super 4PCS (the program of Super4PCS or of OpenGR): congruent sets of four points.

Version 1.1.3 needs Eigen 3.  It builds in half a minute, in the folder of its sources::

    g++ -O3 -std=c++14 -w -I src -I demos -I /usr/include/eigen3 \\
        demos/Super4PCS/super4pcs_test.cc $(find src -name '*.cc') -o super4pcs
    export SVGM_SUPER4PCS=$PWD/super4pcs

Its random numbers have a fixed seed, but its limit is of wall time: on a busy machine it gets less far.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.datasets import Array
from benchmarks.methods.normalise import normalise
from benchmarks.methods.program import run

#: Environment variable that names the program.
VARIABLE = "SVGM_SUPER4PCS"


def align(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    overlap: float,
    delta: float,
    samples: int,
    seconds: int = 30,
) -> Array:
    """Global registration; 3D only.

    Parameters
    ----------
    overlap
        Share of the points that the scans have in common, in (0, 1].
    delta
        Distance below which points match, in units.
    samples
        Points of each scan that it works on.
    seconds
        It ends after so many, with the best so far.
    """
    # It writes six decimals, and reads single precision.
    unified = normalise(source, target)
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file, points in (("target.obj", unified.target), ("source.obj", unified.source)):
            # No line end at the end: it would read the last point twice.
            (folder / file).write_text("\n".join("v {:.9g} {:.9g} {:.9g}".format(*point) for point in points))
        # The second input moves onto the first.
        options = {"-o": overlap, "-d": delta * unit / unified.scale, "-t": seconds, "-n": samples, "-m": "pose.txt"}
        words = [str(word) for option in options.items() for word in option]
        run(VARIABLE, ["-i", "target.obj", "source.obj", *words], folder)
        matrix = _matrix((folder / "pose.txt").read_text())
    return unified.back(_rotation(matrix[:3, :3]), matrix[:3, 3])


def _matrix(text: str) -> Array:
    """The 4x4 matrix behind the line "MATRIX =", as Polyworks writes it."""
    return np.array(text.split("MATRIX")[1].replace("=", " ").split(), dtype=float).reshape(4, 4)


def _rotation(rounded: Array) -> Array:
    """The rotation nearest to one with six decimals."""
    left, _, right = np.linalg.svd(rounded)
    return left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right
