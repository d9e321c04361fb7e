"""Files: point sets, trajectories, pose graphs, logs of laser scanners and meshes.

`read_points` and `write_points` choose the format by the suffix of the file:

| suffix                   | format                           | written too |
|--------------------------|----------------------------------|-------------|
| .ply                     | PLY, ASCII or binary             | yes         |
| .pcd                     | PCD, ASCII, binary or compressed | yes         |
| .xyz .txt .csv .asc .pts | columns of text                  | yes         |
| .npy .npz                | NumPy                            | yes         |
| .las .laz                | LAS through laspy                | yes         |
| .e57                     | E57 through pye57                | no          |
| .obj                     | Wavefront OBJ                    | no          |
| .stl                     | STL through trimesh              | no          |
| .ptx                     | PTX, text with poses of sensors  | no          |
| .bin                     | KITTI scans                      | no          |
| .bag .db3 .mcap          | ROS bags with one scan           | no          |

`read_cloud` and `write_cloud` keep colours, normals, intensities and all other columns. `svgm.io.bags` reads all
scans of a bag, and `depth_to_points` turns depth images into points.
`svgm.io.trajectory` holds the readers and writers of trajectories (TUM, KITTI), `svgm.io.g2o` those of pose graphs.
`svgm.io.carmen` reads logs of 2D laser scanners. A mesh is written by :meth:`svgm.Mesh.save`.
"""

from __future__ import annotations

from svgm.io.atomic import atomic_write
from svgm.io.cloud import PointCloud
from svgm.io.depth import depth_to_points
from svgm.io.formats.registry import COLUMNS_WRITABLE, READABLE, WRITABLE
from svgm.io.points import read_cloud, read_points, read_properties, write_cloud, write_points

__all__ = [
    "COLUMNS_WRITABLE",
    "READABLE",
    "WRITABLE",
    "PointCloud",
    "atomic_write",
    "depth_to_points",
    "read_cloud",
    "read_points",
    "read_properties",
    "write_cloud",
    "write_points",
]
