"""A 3D face and its deformed copy of as many points.

The rows of the two files are in different orders: the mean distance of row i from row i is 0.91 radii, that of nearest
points 0.12.  So a moved point is compared with the nearest point of the copy, and it is counted how many points of the
copy are the nearest of some moved point: all of them if the match is one to one.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.datasets import folder
from benchmarks.nonrigid.methods import available, processor_seconds


def face(peers: bool = True) -> dict[str, float]:
    """Print the mean distance from the nearest point, as a share of the face's size, in both directions."""
    one, other = (np.loadtxt(folder() / "face" / f"face_{name}.txt") for name in "XY")
    errors: dict[str, float] = {}
    print("face: mean distance from the nearest point in radii, how many points are met, processor seconds")
    for direction, source, target in (("X to Y", one, other), ("Y to X", other, one)):
        unit, words = float(np.sqrt(target.var(axis=0).sum())), [direction]
        for name, deform in available().items():
            if peers or name == "svgm":
                begin = processor_seconds()
                distance, nearest = cKDTree(target).query(deform(source, target))
                error = float(distance.mean()) / unit
                errors[f"{name}, {direction}"] = error
                words.append(
                    f"{name} {error:.4f}, {len(set(nearest))} of {len(target)}, {processor_seconds() - begin:.2f} s"
                )
        print(" | ".join(words), flush=True)
    return errors
