"""Go-ICP: branch and bound over all motions, by the package py-goicp or the authors' program.

py-goicp 0.0.4 does not build with the newest tools:
``pip install "autowrap<0.23" "Cython<3.1" "setuptools<81" wheel``, then ``pip install --no-build-isolation py-goicp``.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.datasets import Array, subsample
from benchmarks.methods.normalise import Normalised, normalise
from benchmarks.methods.program import run
from benchmarks.methods.silence import silent

#: Environment variable that names the authors' program.
VARIABLE = "SVGM_GOICP"


def align(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    points: int,
    error: float = 1e-3,
    trim: float = 0.0,
    nodes: int = 100,
    shift: float = 0.5,
    model: int = 0,
) -> Array:
    """Go-ICP, by the authors' program if `SVGM_GOICP` names it, else by py-goicp; 3D only.

    Parameters
    ----------
    points, model
        So many points of the source and of the target, at random; 0 for all.  Time grows with the source's only.
    error
        Mean squared error, with the sets in [-1, 1]³, to which the optimum is found.  Below what noise and the parts
        seen by one scan only leave, the search takes minutes; above, it ends with the ICP it begins with.
    trim
        Share of the source's points, the farthest, that do not count.
    nodes
        Of the target's distance transform along each axis; its time grows as their cube.
    shift
        The means of the sets end up at most so far from each other along each axis, in half the sets' size.
    """
    counts = (points, model)
    sets = [subsample(p, n, seed) if n else p for seed, (p, n) in enumerate(zip((source, target), counts, strict=True))]
    unified = normalise(*sets)
    search = _by_program if os.environ.get(VARIABLE) else _by_package
    return unified.back(*search(unified, error, trim, nodes, shift))


def _by_package(sets: Normalised, error: float, trim: float, nodes: int, shift: float) -> tuple[Array, Array]:
    """Rotation and translation between the normalised sets."""
    from py_goicp import POINT3D, ROTNODE, TRANSNODE, GoICP

    search = GoICP()
    search.MSEThresh, search.trimFraction, search.doTrim = error, trim, trim > 0
    turns, moves = ROTNODE(), TRANSNODE()
    turns.a = turns.b = turns.c = -np.pi
    turns.w = 2 * np.pi
    moves.x = moves.y = moves.z = -shift
    moves.w = 2 * shift
    search.setInitNodeRot(turns)
    search.setInitNodeTrans(moves)
    target_points, source_points = ([POINT3D(*map(float, p)) for p in s] for s in (sets.target, sets.source))
    search.loadModelAndData(len(target_points), target_points, len(source_points), source_points)
    search.setDTSizeAndFactor(nodes, 2.0)
    with silent(1):  # it tells its progress
        search.BuildDT()
        search.Register()
    return np.array(search.optimalRotation()), np.array(search.optimalTranslation())


def _by_program(sets: Normalised, error: float, trim: float, nodes: int, shift: float) -> tuple[Array, Array]:
    """The same from the authors' program."""
    config = {
        "MSEThresh": error,
        "rotMinX": -np.pi,
        "rotMinY": -np.pi,
        "rotMinZ": -np.pi,
        "rotWidth": 2 * np.pi,
        "transMinX": -shift,
        "transMinY": -shift,
        "transMinZ": -shift,
        "transWidth": 2 * shift,
        "trimFraction": trim,
        "distTransSize": nodes,
        "distTransExpandFactor": 2.0,
    }
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "config.txt").write_text("".join(f"{key}={value}\n" for key, value in config.items()))
        for file, cloud in (("model.txt", sets.target), ("data.txt", sets.source)):
            np.savetxt(folder / file, cloud, header=str(len(cloud)), comments="")
        run(VARIABLE, ["model.txt", "data.txt", str(len(sets.source)), "config.txt", "output.txt"], folder)
        answer = np.array(
            (folder / "output.txt").read_text().split(), dtype=float
        )  # seconds, rotation row by row, translation
    return answer[1:10].reshape(3, 3), answer[10:13]
