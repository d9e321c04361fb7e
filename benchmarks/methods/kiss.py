"""KISS-Matcher: features, pruning of their matches by a graph, and a robust solver."""

from __future__ import annotations

import numpy as np

from benchmarks.datasets import Array
from svgm.rigid import pose

#: The voxel that its defaults are for, in metres; it clamps bounds on the noise to lengths of that order.
_ITS_VOXEL = 0.3


def align(
    source: Array,
    target: Array,
    *,
    unit: float,
    threads: int,
    voxel: float,
    normal: float = 3.0,
    feature: float = 5.0,
    matches: int = 5000,
) -> Array:
    """Global registration; 3D only.

    Parameters
    ----------
    voxel
        Side of the grid that thins the points, in units; the points are scaled so that it is the 0.3 m its defaults
        are for.
    normal, feature
        Radii of the neighbourhoods, in voxels; its defaults.
    matches
        At most so many.
    """
    from kiss_matcher import KISSMatcher, KISSMatcherConfig

    scale = voxel * unit / _ITS_VOXEL
    config = KISSMatcherConfig(_ITS_VOXEL, normal_r_gain=normal, fpfh_r_gain=feature, num_max_corr=matches)
    result = KISSMatcher(config).estimate(*((points / scale).astype(np.float32) for points in (source, target)))
    return pose(np.asarray(result.rotation, dtype=float), scale * np.asarray(result.translation, dtype=float).ravel())
