"""The paper's 2D shapes and their deformed copies: point i lies on point i."""

from __future__ import annotations

import numpy as np

from benchmarks.datasets import Array, folder
from benchmarks.nonrigid.methods import available, processor_seconds
from svgm.io import read_points


def pairs() -> dict[str, tuple[Array, Array]]:
    """Shape and deformed copy by name, of the same number of points."""
    root, found = folder() / "shapes_2d", {}
    for path in sorted(root.iterdir()):
        copy = path.with_name(f"{path.stem}_deformed{path.suffix}")
        if copy.exists():
            found[path.stem] = (read_points(path), read_points(copy))
    return found


def shapes(peers: bool = True) -> dict[str, dict[str, float]]:
    """Print, for each shape and method, the mean error as a share of the target's size (root mean square radius)."""
    methods, errors = available(), {}
    print("shapes: mean error of point i from point i, in root mean square radii of the target, processor seconds")
    for shape, (source, target) in pairs().items():
        unit = float(np.sqrt(target.var(axis=0).sum()))
        errors[shape] = {}
        words = [f"{shape} ({len(source)} points)"]
        for name, deform in methods.items():
            if peers or name == "svgm":
                begin = processor_seconds()
                moved = deform(source, target)
                errors[shape][name] = float(np.linalg.norm(moved - target, axis=1).mean()) / unit
                words.append(f"{name} {errors[shape][name]:.4f} {processor_seconds() - begin:.2f} s")
        print(" | ".join(words), flush=True)
    return errors
