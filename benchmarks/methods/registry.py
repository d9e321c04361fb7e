"""Every method, with the settings among which training pairs choose.

Each has a few settings a family of data, those that did best when wider ones were tried on some pairs; lengths are in
diagonals of the target (dragon, 2D sets) or in metres (hannover).
"""

from __future__ import annotations

from itertools import product
from math import inf

from benchmarks.methods import cpd, go_icp, kiss, ndt_d2d, ours, super4pcs, with_open3d, with_small_gicp
from benchmarks.methods.method import Method, Setting


def _grid(**values: tuple[object, ...]) -> tuple[Setting, ...]:
    """Every combination of the values."""
    return tuple(dict(zip(values, combination, strict=True)) for combination in product(*values.values()))


_ALL = ("shapes_2d", "dragon", "hannover")
_NUS = (0.01, 0.1, 0.3, 0.8)

_OURS = (
    Method(
        "svgm",
        "svgm.register(source, target, search='local'): annealed, several starts, nothing chosen",
        ours.default,
        {family: ({},) for family in _ALL},
        seconds={"shapes_2d": 0.005, "dragon": 0.03, "hannover": 0.15},
    ),
    Method(
        "svgm, isotropic",
        "the same with covariance='isotropic': round components at every level, as in the paper",
        ours.call,
        {family: ({"search": "local", "covariance": "isotropic"},) for family in _ALL},
        option="covariance",
        seconds={"shapes_2d": 0.005, "dragon": 0.03, "hannover": 0.15},
    ),
    Method(
        "svgm, chosen",
        "the same with nu and the last gamma chosen",
        ours.default,
        {
            "shapes_2d": _grid(nu=_NUS, finest=(None, 100.0, 300.0, 1000.0)),
            "dragon": _grid(nu=_NUS),
            "hannover": _grid(nu=_NUS),
        },
        seconds={"shapes_2d": 0.005, "dragon": 0.03, "hannover": 0.2},
    ),
    Method(
        "SVR",
        "the paper's Algorithm 1 without annealing, one start",
        ours.svr,
        {
            "shapes_2d": _grid(gamma=(0.3, 1.0, 3.0, 10.0), nu=(0.01, 0.8)),
            "dragon": _grid(gamma=(1.0, 3.0, 10.0), nu=(0.01, 0.8)),
            "hannover": _grid(gamma=(10.0, 30.0, 100.0, 300.0), nu=(0.01, 0.3)),
        },
        seconds={"shapes_2d": 0.002, "dragon": 0.006, "hannover": 0.05},
    ),
    Method(
        "SVR+",
        "the paper's Algorithm 1 with annealing, one start",
        ours.svr_plus,
        {
            "shapes_2d": (
                *_grid(gamma=(0.1, 0.3), delta=(10.0,), levels=(3, 4), nu=(0.01, 0.8)),
                *_grid(gamma=(1.0,), delta=(10.0,), levels=(2, 3), nu=(0.01, 0.8)),
            ),
            "dragon": (
                {"gamma": 1.0, "delta": 2.0, "levels": 8},
                *_grid(gamma=(1.0, 3.0), delta=(10.0,), levels=(3,), nu=(0.01, 0.8)),
            ),
            "hannover": (
                *_grid(gamma=(1.0, 3.0), delta=(10.0**0.5,), levels=(5, 6)),
                {"gamma": 10.0, "delta": 10.0**0.5, "levels": 4},
            ),
        },
        seconds={"shapes_2d": 0.005, "dragon": 0.03, "hannover": 0.2},
    ),
    Method(
        "GMR",
        "GMMReg's mixture (KDE, equal weights), annealed, one start, in svgm's minimiser",
        ours.gmr,
        {
            "shapes_2d": _grid(gamma=(0.1, 0.3, 1.0), delta=(10.0,), levels=(2, 3, 4), points=(2000,)),
            "dragon": _grid(gamma=(0.3, 1.0), delta=(10.0**0.5,), levels=(4, 5), points=(2000,)),
            "hannover": _grid(gamma=(10.0, 30.0), delta=(10.0**0.5,), levels=(4,), points=(2000, 5000)),
        },
        seconds={"shapes_2d": 0.005, "dragon": 0.2, "hannover": 0.3},
    ),
)

_TO_THE_END = {"tolerance": 1e-9, "iterations": 1000}
_OPEN3D = {"module": "open3d", "package": "open3d-cpu"}
_SMALL_GICP = {"module": "small_gicp", "package": "small_gicp"}

_LOCAL = (
    Method(
        "CPD",
        "coherent point drift (pycpd), the scale held at 1",
        cpd.align,
        {
            "shapes_2d": _grid(w=(0.0, 0.1, 0.3, 0.5, 0.7)),
            "dragon": ({"w": 0.5, "points": 500}, *_grid(w=(0.1, 0.5, 0.7), points=(1000,))),
        },
        module="pycpd",
        package="pycpd",
        seconds={"shapes_2d": 0.15, "dragon": 1.2},
    ),
    Method(
        "ICP",
        "point-to-point ICP: in 3D Open3D's, in 2D benchmarks/methods/icp.py",
        with_open3d.icp,
        {
            "shapes_2d": _grid(reach=(inf, 0.3, 0.1), iterations=(200,), tolerance=(1e-6,)),
            "dragon": tuple({"reach": reach, **_TO_THE_END} for reach in (0.1, 0.2, 0.5)),
            "hannover": _grid(reach=(1.0, 2.0, 5.0, 10.0), tolerance=(1e-6,), iterations=(100,)),
        },
        alone=("shapes_2d",),
        seconds={"shapes_2d": 0.004, "dragon": 0.06, "hannover": 0.35},
        **_OPEN3D,
    ),
    Method(
        "ICP, many starts",
        "the same from the turned starts that svgm uses, the least trimmed error winning",
        with_open3d.icp_from_many_starts,
        {
            "shapes_2d": _grid(reach=(inf, 0.3), iterations=(200,), tolerance=(1e-6,), trim=(0.0, 0.3)),
            "dragon": _grid(reach=(0.2, 0.5), iterations=(200,), tolerance=(1e-7,), trim=(0.0, 0.3)),
        },
        alone=("shapes_2d",),
        seconds={"shapes_2d": 0.05, "dragon": 0.7},
        **_OPEN3D,
    ),
    Method(
        "GICP",
        "generalised ICP (Open3D)",
        with_open3d.gicp,
        {
            "dragon": _grid(reach=(0.1, 0.2, 0.5), tolerance=(1e-6,), iterations=(30,)),
            "hannover": _grid(reach=(1.0, 2.0, 5.0), tolerance=(1e-6,), iterations=(30,)),
        },
        seconds={"dragon": 0.05, "hannover": 0.4},
        **_OPEN3D,
    ),
    Method(
        "GICP, small",
        "generalised ICP (small_gicp)",
        with_small_gicp.align,
        {
            "dragon": _grid(reach=(0.1, 0.2, 0.5), voxel=(0.002,), still=(1e-4,), iterations=(200,)),
            "hannover": ({"reach": 2.0, "voxel": 0.1}, *_grid(reach=(5.0,), voxel=(0.1, 0.25, 0.5))),
        },
        seconds={"dragon": 0.06, "hannover": 0.1},
        **_SMALL_GICP,
    ),
    Method(
        "VGICP",
        "voxelised GICP (small_gicp)",
        with_small_gicp.align,
        {
            "dragon": _grid(reach=(0.2,), voxel=(0.002,), cell=(0.05, 0.1, 0.2), still=(1e-4,), iterations=(200,)),
            "hannover": _grid(reach=(5.0,), voxel=(0.25,), cell=(1.0, 2.0, 4.0), iterations=(200,)),
        },
        seconds={"dragon": 0.01, "hannover": 0.05},
        **_SMALL_GICP,
    ),
    Method(
        "NDP",
        "NDT, point to distribution (Open3D)",
        with_open3d.ndt,
        {
            "dragon": _grid(cell=(0.1, 0.2, 0.3), tolerance=(1e-9,), iterations=(1000,)),
            "hannover": _grid(cell=(1.0, 2.0, 4.0), tolerance=(1e-6,), iterations=(100,)),
        },
        seconds={"dragon": 0.01, "hannover": 0.15},
        **_OPEN3D,
    ),
    Method(
        "NDD",
        "NDT, distribution to distribution (benchmarks/methods/ndt_d2d.py)",
        ndt_d2d.align,
        {
            "shapes_2d": (
                {"cells": (0.3, 0.2, 0.1), "d2": 0.05},
                {"cells": (0.5, 0.3, 0.2, 0.1), "d2": 0.05},
                {"cells": (0.3, 0.2, 0.1)},
                {"cells": (0.4, 0.2)},
            ),
            "dragon": (
                {"cells": (0.3, 0.2, 0.1)},
                {"cells": (0.2, 0.1)},
                {"cells": (0.3, 0.2, 0.1, 0.05)},
                {"cells": (0.2, 0.1), "d2": 0.05},
            ),
            "hannover": (
                {"cells": (6.0, 3.0, 1.5)},
                {"cells": (8.0, 4.0, 2.0, 1.0)},
                {"cells": (8.0, 4.0, 2.0)},
                {"cells": (6.0, 3.0, 1.5), "d2": 0.05},
            ),
        },
        seconds={"shapes_2d": 0.05, "dragon": 0.06, "hannover": 0.5},
    ),
)

#: Radii and distances of FPFH features; normals look towards the middle of a statue, in a street to the scanner.
_FEATURES_OF_STATUES = (
    *_grid(normal=(0.05,), feature=(0.12,), reach=(0.03,), finish=(0.05,), towards=("mean",), voxel=(0.0, 0.02)),
    *_grid(normal=(0.03,), feature=(0.08,), reach=(0.03,), finish=(0.05,), towards=("mean", "")),
)
_FEATURES_OF_STREETS = tuple(
    {"voxel": v, "normal": 2 * v, "feature": 5 * v, "reach": 1.5 * v, "finish": 1.0, "towards": towards}
    for v, towards in ((0.5, "origin"), (1.0, "origin"), (1.0, ""), (1.5, "origin"))
)

_GLOBAL = (
    Method(
        "svgm, default call",
        "svgm.register(source, target): the local search, and the global one if that answer is not trusted",
        ours.call,
        {"dragon": ({},), "hannover": ({},)},
        search="global",
        seconds={"dragon": 0.2, "hannover": 0.8},
    ),
    Method(
        "FGR",
        "fast global registration of FPFH features, then ICP (Open3D)",
        with_open3d.fgr,
        {
            "dragon": _FEATURES_OF_STATUES,
            "hannover": _FEATURES_OF_STREETS,
        },
        search="global",
        seconds={"dragon": 0.25, "hannover": 0.6},
        **_OPEN3D,
    ),
    Method(
        "RANSAC",
        "RANSAC on FPFH features, then ICP (Open3D)",
        with_open3d.ransac,
        {
            "dragon": _FEATURES_OF_STATUES,
            "hannover": _FEATURES_OF_STREETS,
        },
        search="global",
        seconds={"dragon": 0.25, "hannover": 0.6},
        **_OPEN3D,
    ),
    Method(
        "RANSAC, plane",
        "RANSAC on FPFH features, then point-to-plane ICP; voxels in diagonals (Open3D)",
        with_open3d.ransac_to_plane,
        {"hannover": _grid(voxel=(0.02, 0.01, 0.015, 0.03))},
        search="global",
        seconds={"hannover": 0.6},
        **_OPEN3D,
    ),
    Method(
        "KISS",
        "KISS-Matcher: features, pruning by a graph, robust solver",
        kiss.align,
        {
            "dragon": (*_grid(voxel=(0.01, 0.015, 0.02, 0.03)), {"voxel": 0.02, "normal": 4.0, "feature": 6.0}),
            "hannover": _grid(voxel=(0.3, 0.5, 0.7, 1.0)),
        },
        search="global",
        module="kiss_matcher",
        package="kiss-matcher",
        seconds={"dragon": 0.04, "hannover": 0.3},
    ),
    Method(
        "GOI",
        "Go-ICP: branch and bound over all motions (py-goicp, or the authors' program)",
        go_icp.align,
        {"dragon": ({"points": 100, "error": 0.005, "trim": 0.1}, {"points": 100, "error": 0.002, "trim": 0.2})},
        search="global",
        module="py_goicp",
        package="py-goicp",
        binary=go_icp.VARIABLE,
        # It ends soon or not for many minutes: in the paper it takes 1,407 s a pair.
        limit=15.0,
        seconds={"dragon": 8.0},
    ),
    Method(
        "S4P",
        "Super 4PCS, the authors' program",
        super4pcs.align,
        {
            # The setting of its authors' example, and the best of seven on eight pairs with seed 100; outdoors the best
            # of six on six training pairs.
            "dragon": (
                {"overlap": 0.7, "delta": 0.01, "samples": 400},
                {"overlap": 0.3, "delta": 0.01, "samples": 200},
            ),
            "hannover": _grid(overlap=(0.5,), delta=(0.5,), samples=(400,)),
        },
        search="global",
        binary=super4pcs.VARIABLE,
        # It looks at its clock between two bases only, and one may take minutes.
        limit=60.0,
        seconds={"dragon": 10.0, "hannover": 10.0},
    ),
)

METHODS = {method.name: method for method in (*_OURS, *_LOCAL, *_GLOBAL)}

#: The library's registration and the paper's, which are not compared with each other.
OURS = ("svgm", "svgm, isotropic", "svgm, default call", "svgm, chosen", "SVR", "SVR+")


def is_peer(name: str) -> bool:
    """Whether it is a local method that ours is compared with."""
    return name not in OURS and METHODS[name].search == "local"
