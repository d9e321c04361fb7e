"""One sheet from the 15 dragon scans, shuffled and moved anywhere: the map and its mesh, beside Open3D's on its poses.

Run: ``python -m benchmarks.mapping.sheet``
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

import svgm
from benchmarks.datasets import dragon_scans
from benchmarks.mapping.distance import to_mesh
from benchmarks.mapping.dragon import REACH
from benchmarks.mapping.mesh import HELD_OUT, VIEWPOINT
from benchmarks.report import Bar, header
from benchmarks.search.pairs import anywhere
from svgm import Mesh, surface_of_scans
from svgm.reconstruction.pieces import pieces
from svgm.reconstruction.scans import SPACINGS
from svgm.rigid import apply

Array = NDArray[np.float64]

#: Median distance of a held-out point, in millimetres.
BAR = 0.3

#: Octree depth of Poisson's reconstruction (cells of about 0.6 mm); share of its vertices with the least density that
#: is cut away, as its examples do.
DEPTH, CUT = 9, 0.02


def figures(name: str, mesh: Mesh, test: Array, kept: Array, seconds: float) -> dict[str, float]:
    """Print one row: both distances (mm), the pieces, and the least of them as a share of the largest."""
    there = 1e3 * to_mesh(test, mesh)
    back = 1e3 * cKDTree(kept).query(mesh.vertices)[0]
    areas = np.bincount(pieces(mesh), mesh.measures)
    small = int((areas < 0.01 * areas.max()).sum())
    row = [float(f(d)) for d in (there, back) for f in (np.median, lambda x: np.quantile(x, 0.99))]
    print(
        f"{name:<28}{row[0]:8.3f}{row[1]:8.3f}{row[2]:8.3f}{row[3]:8.3f}{len(areas):8d}{small:8d}"
        f"{len(mesh.simplices):10d}{seconds:8.1f}",
        flush=True,
    )
    return {"median": row[0], "back": row[2], "small": small}


def poisson(scans: Sequence[Array], poses: Sequence[Array], sensors: Sequence[Array]) -> Mesh:
    """Open3D's Poisson reconstruction of all points, with normals turned to the true sensors."""
    import open3d

    whole = open3d.geometry.PointCloud()
    for scan, T, sensor in zip(scans, poses, sensors, strict=True):
        cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(scan))
        cloud.estimate_normals(open3d.geometry.KDTreeSearchParamKNN(12))
        cloud.orient_normals_towards_camera_location(sensor)
        whole += cloud.transform(T)
    mesh, density = open3d.geometry.TriangleMesh.create_from_point_cloud_poisson(whole, depth=DEPTH, n_threads=1)
    mesh.remove_vertices_by_mask(np.asarray(density) < np.quantile(density, CUT))
    return Mesh(np.asarray(mesh.vertices), np.asarray(mesh.triangles))


@click.command()
@click.option("--seed", default=0, show_default=True, help="Order and motions of the scans.")
@click.option("--poses", "file", type=click.Path(path_type=Path), help="Keep the map's poses here (.npy), or use them.")
@click.option("--output", type=click.Path(path_type=Path, file_okay=False), help="Write the meshes to this folder.")
def main(seed: int, file: Path | None, output: Path | None) -> None:
    """Map and mesh the dragon from scans in any order and pose, and hold the meshes against points kept out."""
    header("sheet: the dragon's surface from scans shuffled and moved anywhere")
    scans, _ = dragon_scans()
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(scans))
    motions = np.array([anywhere(rng, REACH) for _ in order])
    moved = [apply(motion, scans[k]) for motion, k in zip(motions, order, strict=True)]
    sensors = [apply(motion, np.array([VIEWPOINT]))[0] for motion in motions]
    held = [rng.random(len(scan)) < HELD_OUT for scan in moved]
    kept = [scan[~out] for scan, out in zip(moved, held, strict=True)]
    begin = time.perf_counter()
    if file is not None and file.exists():
        poses = np.load(file)
    else:
        poses = svgm.map(kept, order="unordered").poses
        if file is not None:
            np.save(file, poses)
    print(f"{len(kept)} scans, {sum(map(len, kept))} points, map in {time.perf_counter() - begin:.0f} s")
    points = np.vstack([apply(T, scan) for T, scan in zip(poses, kept, strict=True)])
    test = np.vstack([apply(T, scan[out]) for T, scan, out in zip(poses, moved, held, strict=True)])
    spacing = float(np.median([svgm.geometry.scale.estimate_resolution(scan) for scan in kept]))
    print(f"{len(test)} points held out; sigma {1e3 * SPACINGS * spacing:.2f} mm; distances in mm")
    print(f"{'':<28}{'to mesh':>8}{'99 %':>8}{'back':>8}{'99 %':>8}{'pieces':>8}{'<1 %':>8}{'triangles':>10}{'s':>8}")
    meshes = {
        "surface_of_scans": lambda: surface_of_scans(kept, poses, threads=1),
        "the same, holes closed": lambda: surface_of_scans(kept, poses, holes="closed", threads=1),
        "Open3D Poisson, sensors known": lambda: poisson(kept, poses, sensors),
    }
    ours = {}
    for name, make in meshes.items():
        begin = time.perf_counter()
        mesh = make()
        found = figures(name, mesh, test, points, time.perf_counter() - begin)
        if name == "surface_of_scans":
            ours = found
        if output is not None:
            output.mkdir(parents=True, exist_ok=True)
            mesh.save(output / f"{name.replace(' ', '-').replace(',', '')}.ply")
    print(Bar("median distance of held-out points to the mesh, mm", ours["median"], BAR))
    print(Bar("pieces smaller than 1 % of the largest", ours["small"], 0))


if __name__ == "__main__":
    main()
