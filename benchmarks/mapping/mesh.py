"""The surface of the dragon from 15 scans, held against points that no scan of the model has seen.

Run: ``python -m benchmarks.mapping.mesh``
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

import svgm
from benchmarks.datasets import dragon_scans
from benchmarks.mapping.distance import to_mesh
from benchmarks.report import Bar, header
from svgm import Mesh, Mixture
from svgm.rigid import apply
from svgm.view import Camera, mesh

Array = NDArray[np.float64]

#: Of the points of every scan, kept out of the model.
HELD_OUT, SEED = 0.2, 0

#: In metres: the components' sigma.  Noise and the poses' own error are 0.3 mm.
SIGMA = 0.0015

#: The scanner looks down the z axis of a scan's own frame; so far away its exact place does not matter.
VIEWPOINT = (0.0, 0.1, 1.0)

#: Median distance of a held-out point, in millimetres.
BAR = 0.5


def fused(scans: Sequence[Array], poses: Sequence[Array], sigma: float = SIGMA) -> Mixture:
    """A two-class mixture of every scan with its viewpoint, fused by GMMerge in a balanced tree."""
    models = [
        svgm.fit_two_class(scan, scale=sigma, gamma=1, viewpoint=VIEWPOINT).transformed(T)
        for scan, T in zip(scans, poses, strict=True)
    ]
    while len(models) > 1:
        pairs = zip(models[1::2], models[::2], strict=False)
        models = [svgm.merge(source, target) for source, target in pairs] + models[len(models) // 2 * 2 :]
    return models[0]


def mesh_bar(poses: Sequence[Array] | None = None, *, sigma: float = SIGMA) -> dict[str, Any]:
    """Fuse the scans without the held-out points and measure these; `poses` are the scans' (default the true ones).

    The bar's figure is ``median_mm``.  ``back_median_mm`` is the other way, vertices to the points of the model, which
    a mesh with sheets where there is no surface would fail.
    """
    scans, truth = dragon_scans()
    placed = truth if poses is None else list(poses)
    generator = np.random.default_rng(SEED)
    out = [generator.random(len(scan)) < HELD_OUT for scan in scans]
    kept = [scan[~held] for scan, held in zip(scans, out, strict=True)]
    test = np.vstack([apply(T, scan[held]) for scan, held, T in zip(scans, out, placed, strict=True)])
    begin = time.perf_counter()
    model = fused(kept, placed, sigma)
    middle = time.perf_counter()
    surface = svgm.surface(model)
    end = time.perf_counter()
    distances = 1e3 * to_mesh(test, surface)
    back = (
        1e3
        * cKDTree(np.vstack([apply(T, scan) for scan, T in zip(kept, placed, strict=True)])).query(surface.vertices)[0]
    )
    return {
        "data": "dragon_stand, 15 scans",
        "poses": "true" if poses is None else "given",
        "points": int(sum(map(len, kept))),
        "held_out": len(test),
        "sigma_mm": 1e3 * sigma,
        "cell_mm": 1e3 * sigma * 0.5,
        "components": len(model),
        "triangles": len(surface.simplices),
        "median_mm": float(np.median(distances)),
        "p90_mm": float(np.quantile(distances, 0.9)),
        "p99_mm": float(np.quantile(distances, 0.99)),
        "back_median_mm": float(np.median(back)),
        "back_p90_mm": float(np.quantile(back, 0.9)),
        "fit_and_merge_s": middle - begin,
        "mesh_s": end - middle,
        "mesh": surface,
    }


@click.command()
@click.option("--sigma", default=1e3 * SIGMA, show_default=True, help="Of the components, in millimetres.")
@click.option("--output", type=click.Path(path_type=Path), help="Write the mesh here (.ply or .obj).")
@click.option("--picture", type=click.Path(path_type=Path), help="Draw the mesh here (.png).")
@click.option("--json", "file", type=click.Path(path_type=Path), help="Write all figures to this file.")
def main(sigma: float, output: Path | None, picture: Path | None, file: Path | None) -> None:
    """Print the bar's figure, and what it was measured with."""
    header("mesh: the dragon's surface from the two-class variant")
    figures = mesh_bar(sigma=1e-3 * sigma)
    surface: Mesh = figures.pop("mesh")
    for name, value in figures.items():
        print(f"{name:<16} {value:.4g}" if isinstance(value, float) else f"{name:<16} {value}")
    print(Bar("median distance of held-out points to the mesh, mm", figures["median_mm"], BAR))
    if output is not None:
        surface.save(output)
    if picture is not None:
        mesh([("", surface)], path=picture, camera=Camera.at(np.array([0.3, 0.3, 1.0]), (0.0, 1.0, 0.0)))
    if file is not None:
        file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
