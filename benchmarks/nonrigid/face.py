"""A 3D face and its deformed copy: point i lies on point i."""

from __future__ import annotations

import numpy as np

from benchmarks.datasets import folder
from benchmarks.nonrigid.methods import available, processor_seconds


def face(peers: bool = True) -> dict[str, float]:
    """Print the mean error of each method, as a share of the face's size, in both directions."""
    one, other = (np.loadtxt(folder() / "face" / f"face_{name}.txt") for name in "XY")
    errors: dict[str, float] = {}
    print("face: mean error of point i from point i, in root mean square radii, processor seconds")
    for direction, source, target in (("X to Y", one, other), ("Y to X", other, one)):
        unit, words = float(np.sqrt(target.var(axis=0).sum())), [direction]
        for name, deform in available().items():
            if peers or name == "svgm":
                begin = processor_seconds()
                error = float(np.linalg.norm(deform(source, target) - target, axis=1).mean()) / unit
                errors[f"{name}, {direction}"] = error
                words.append(f"{name} {error:.4f} {processor_seconds() - begin:.2f} s")
        print(" | ".join(words), flush=True)
    return errors
